import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Unchecked for the same reason as `ARAnchor`.
/// A detected plane.
///
/// In its frame, y is the plane's normal, out of the surface; x and z lie in the plane. `transform` stays fixed, so that attached content stays
/// in place; `center`, `planeExtent` and `geometry` change as more of the plane becomes visible.
///
/// When two planes merge, one is removed and the other grows.
public final class ARPlaneAnchor: ARAnchor, @unchecked Sendable {
    /// The alignment of a plane with respect to gravity.
    public enum Alignment: String, Equatable, Hashable, Sendable, CaseIterable {
        /// The normal points up or down.
        case horizontal
        /// The normal is perpendicular to gravity.
        case vertical
    }

    /// The kind of surface that a plane probably is. Detected planes are classified by height and size alone, and never as a window or a door.
    public enum Classification: String, Equatable, Hashable, Sendable, CaseIterable {
        /// The plane is not classified.
        case none
        /// A vertical plane.
        case wall
        /// The lowest large horizontal plane.
        case floor
        /// A large horizontal plane over the camera that faces down.
        case ceiling
        /// A horizontal plane at the height of a table.
        case table
        /// A horizontal plane at the height of a seat.
        case seat
        /// A window; never assigned by plane detection.
        case window
        /// A door; never assigned by plane detection.
        case door
    }

    /// The alignment with respect to gravity.
    public let alignment: Alignment
    /// The centre of the extent in the anchor's frame; y is 0.
    public let center: Vector3
    /// The bounding rectangle of the outline.
    public let planeExtent: ARPlaneExtent
    /// The outline of the plane and its triangulation, in the anchor's frame.
    public let geometry: ARPlaneGeometry
    /// The kind of surface, by height and size.
    public let classification: Classification

    /// Creates a plane anchor; sessions do this for detected planes.
    public init(
        name: String? = nil, transform: Matrix4, identifier: UUID = UUID(), alignment: Alignment, center: Vector3 = .zero,
        planeExtent: ARPlaneExtent, geometry: ARPlaneGeometry, classification: Classification = .none
    ) {
        (self.alignment, self.center, self.planeExtent) = (alignment, center, planeExtent)
        (self.geometry, self.classification) = (geometry, classification)
        super.init(name: name, transform: transform, identifier: identifier)
    }

    /// The size in metres: the width along x, 0, and the height along z, as in `planeExtent`, without its rotation.
    @available(*, deprecated, renamed: "planeExtent")
    public var extent: Vector3 { Vector3(planeExtent.width, 0, planeExtent.height) }

    override func with(transform: Matrix4) -> ARPlaneAnchor {
        ARPlaneAnchor(
            name: name, transform: transform, identifier: identifier, alignment: alignment, center: center, planeExtent: planeExtent,
            geometry: geometry, classification: classification)
    }

    override func isSame(as other: ARAnchor) -> Bool {
        guard let other = other as? ARPlaneAnchor, super.isSame(as: other) else { return false }
        return alignment == other.alignment && center == other.center && planeExtent == other.planeExtent
            && geometry == other.geometry && classification == other.classification
    }
}

/// A rectangle in a plane anchor's frame, around its `center`.
public struct ARPlaneExtent: Equatable, Sendable {
    /// The width in metres along x, before the rotation.
    public let width: Float
    /// The height in metres along z, before the rotation.
    public let height: Float
    /// The rotation of the rectangle about the anchor's y axis in radians, right-handed.
    public let rotationOnYAxis: Float

    /// Creates an extent. Default rotation 0.
    public init(width: Float, height: Float, rotationOnYAxis: Float = 0) {
        (self.width, self.height, self.rotationOnYAxis) = (width, height, rotationOnYAxis)
    }
}

/// A plane's outline.
public struct ARPlaneGeometry: Equatable, Sendable {
    /// A simple polygon in the anchor's frame with y = 0, counterclockwise as seen from the side of the normal, without a repeated last vertex.
    public let boundaryVertices: [Vector3]

    /// Creates an outline of the given vertices.
    public init(boundaryVertices: [Vector3]) { self.boundaryVertices = boundaryVertices }
}

extension ARPlaneAnchor {
    /// The anchor of a detected plane, in the tracker's world.
    convenience init(_ plane: DetectedPlane, identifier: UUID) {
        self.init(
            transform: Matrix4(plane.worldFromPlane), identifier: identifier, alignment: plane.alignment,
            center: Vector3(plane.center),
            planeExtent: ARPlaneExtent(
                width: Float(plane.rectangle.width), height: Float(plane.rectangle.height),
                rotationOnYAxis: Float(plane.rectangle.rotationOnYAxis)),
            geometry: ARPlaneGeometry(boundaryVertices: plane.outline.map { Vector3(Float($0.x), 0, Float($0.y)) }),
            classification: plane.classification)
    }
}
