import VitrineMath

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Unchecked because the compiler rejects checked conformance for classes with subclasses: all stored properties here and in `ARPlaneAnchor` are
// constants of sendable types, and no other module can derive a subclass.
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
    /// Equal to `identifier`.
    public var id: UUID { identifier }

    /// - Parameters:
    ///   - transform: The transform from the anchor's frame to the world.
    ///   - identifier: Default: a new random one. Pass one for reproducible replays.
    public init(name: String? = nil, transform: Matrix4, identifier: UUID = UUID()) {
        (self.name, self.transform, self.identifier) = (name, transform, identifier)
    }

    /// Name, identifier and position.
    public var description: String { "\(name ?? "anchor") \(identifier) at \(transform.translation)" }

    /// A copy with another transform.
    func with(transform: Matrix4) -> ARAnchor { ARAnchor(name: name, transform: transform, identifier: identifier) }

    /// Whether all properties are equal, not only the identifier.
    func isSame(as other: ARAnchor) -> Bool {
        type(of: self) == type(of: other) && identifier == other.identifier && name == other.name && transform == other.transform
    }
}

extension ARAnchor: Equatable {
    /// Whether both are the same anchor in the same state. Compare `identifier` to test for the same anchor in any state.
    public static func == (a: ARAnchor, b: ARAnchor) -> Bool { a === b || a.isSame(as: b) }
}
