import VitrineMath

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Unchecked because the compiler rejects checked conformance for classes with subclasses: all stored properties here and in the
// subclasses, which are final, are constants of sendable types, and no other module can derive a subclass.
/// A pose in the world to attach content to.
///
/// An anchor is immutable. When an anchor moves, frames contain another object with the same `identifier`, which identifies the anchor.
public class ARAnchor: Identifiable, CustomStringConvertible, @unchecked Sendable {
    /// The identity of the anchor, also of its later states.
    public let identifier: UUID
    /// A name for the app; nil without one.
    public let name: String?
    /// The transform from the anchor's frame to the session's world, in metres.
    public let transform: Matrix4
    /// The origin of the ray that placed the anchor on an estimated surface, in the session's world; nil for any other anchor. The anchor moves along
    /// this ray onto the first plane that is detected near it, and `didUpdate` reports that.
    public let estimatedFrom: Vector3?
    /// The identity of the anchor, equal to `identifier`.
    public var id: UUID { identifier }

    /// Creates an anchor.
    ///
    /// - Parameters:
    ///   - transform: The transform from the anchor's frame to the world.
    ///   - identifier: The identifier; a new random one by default. Pass one for reproducible replays.
    ///   - estimatedFrom: The origin of the ray, for a hit of a ray cast at `.estimatedPlane`, such as the camera's position. The anchor
    ///     then moves onto the plane once that is detected. Default nil: the anchor stays.
    public init(name: String? = nil, transform: Matrix4, identifier: UUID = UUID(), estimatedFrom: Vector3? = nil) {
        (self.name, self.transform, self.identifier, self.estimatedFrom) = (name, transform, identifier, estimatedFrom)
    }

    /// The anchor's name, identifier and position as text.
    public var description: String { "\(name ?? "anchor") \(identifier) at \(transform.translation)" }

    /// Whether a world map contains the anchor, and the anchor follows corrections of the map: others are detected again.
    var isSavedInMaps: Bool { true }

    /// A copy with another transform.
    func with(transform: Matrix4) -> ARAnchor { moved(by: transform * self.transform.affineInverse, to: transform) }

    /// A copy with another transform; the origin of its ray moves with the world.
    private func moved(by change: Matrix4, to transform: Matrix4) -> ARAnchor {
        ARAnchor(
            name: name, transform: transform, identifier: identifier,
            estimatedFrom: estimatedFrom.map { change.transform(point: $0) })
    }

    /// The anchor on a plane that its ray hits near it; nil if it was not placed by a ray, or on another surface.
    func snapped(to plane: ARPlaneAnchor) -> ARAnchor? {
        guard let origin = estimatedFrom else { return nil }
        let way = transform.translation - origin
        let distance = length(way)
        let normal = normalize(plane.transform.y.xyz)
        guard distance > 1e-3, abs(dot(normal, normalize(transform.y.xyz))) > 0.85,
            let hit = plane.hit(by: Ray(origin: origin, direction: way / distance), .outline),
            abs(hit.distance - distance) < Self.snapReach * distance
        else { return nil }
        // Keep the direction across the surface.
        let up = normalize(hit.worldTransform.y.xyz)
        let back = transform.z.xyz - up * dot(transform.z.xyz, up)
        guard length(back) > 1e-3 else { return nil }
        let z = normalize(back)
        return ARAnchor(
            name: name, transform: Matrix4(Matrix3(cross(up, z), up, z), translation: hit.worldTransform.translation),
            identifier: identifier)
    }

    /// The largest relative error of the distance of an estimated surface.
    static let snapReach: Float = 0.3

    /// Whether all properties are equal, not only the identifier.
    func isSame(as other: ARAnchor) -> Bool {
        type(of: self) == type(of: other) && identifier == other.identifier && name == other.name && transform == other.transform
            && estimatedFrom == other.estimatedFrom
    }
}

extension ARAnchor: Equatable {
    /// Whether both are the same anchor in the same state. Compare `identifier` to test for the same anchor in any state.
    public static func == (a: ARAnchor, b: ARAnchor) -> Bool { a === b || a.isSame(as: b) }
}
