import VitrineMath

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A place in the world that something can be put at.
///
/// An anchor never changes. Where it moves, frames hold another object with the same `identifier`; that is what tells anchors apart.
// Unchecked because the compiler forbids it for classes that have subclasses: all stored properties here and in `ARPlaneAnchor` are constants of
// sendable types, and no other module can derive one.
public class ARAnchor: Identifiable, CustomStringConvertible, @unchecked Sendable {
    public let identifier: UUID
    public let name: String?
    /// From the anchor's frame to the session's world, in metres.
    public let transform: Matrix4
    public var id: UUID { identifier }

    /// - Parameters:
    ///   - transform: From the anchor's frame to the world.
    ///   - identifier: A new one each time by default; given, where a replay has to end with the same bytes.
    public init(name: String? = nil, transform: Matrix4, identifier: UUID = UUID()) {
        (self.name, self.transform, self.identifier) = (name, transform, identifier)
    }

    public var description: String { "\(name ?? "anchor") \(identifier) at \(transform.translation)" }

    /// The same anchor elsewhere.
    func with(transform: Matrix4) -> ARAnchor { ARAnchor(name: name, transform: transform, identifier: identifier) }

    /// Whether everything is the same, not just the identity.
    func isSame(as other: ARAnchor) -> Bool {
        type(of: self) == type(of: other) && identifier == other.identifier && name == other.name && transform == other.transform
    }
}

extension ARAnchor: Equatable {
    /// Whether both are the same anchor in the same state. The same anchor in any state: compare `identifier`.
    public static func == (a: ARAnchor, b: ARAnchor) -> Bool { a === b || a.isSame(as: b) }
}
