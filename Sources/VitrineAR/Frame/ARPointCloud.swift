import VitrineMath

/// Points that tracking found a place for, each with an identifier that stays the same from frame to frame.
public struct ARPointCloud: Equatable, Sendable {
    /// In the session's world, in metres.
    public let points: [Vector3]
    /// One a point, rising.
    public let identifiers: [UInt64]

    /// - Precondition: as many identifiers as points.
    public init(points: [Vector3], identifiers: [UInt64]) {
        precondition(points.count == identifiers.count)
        (self.points, self.identifiers) = (points, identifiers)
    }

    public var count: Int { points.count }
}
