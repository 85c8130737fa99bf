import VitrineMath

/// Feature points with identifiers that persist from frame to frame.
public struct ARPointCloud: Equatable, Sendable {
    /// In the session's world, in metres.
    public let points: [Vector3]
    /// One for each point, increasing.
    public let identifiers: [UInt64]

    /// - Precondition: There are as many identifiers as points.
    public init(points: [Vector3], identifiers: [UInt64]) {
        precondition(points.count == identifiers.count)
        (self.points, self.identifiers) = (points, identifiers)
    }

    /// The number of points.
    public var count: Int { points.count }
}
