import VitrineMath

/// Feature points with identifiers that persist from frame to frame.
public struct ARPointCloud: Equatable, Sendable {
    /// The points in the session's world, in metres.
    public let points: [Vector3]
    /// The identifier of each point, in increasing order.
    public let identifiers: [UInt64]

    /// The standard deviation of each position in metres, mostly along the viewing direction; 0 if unknown.
    package let deviations: [Float]

    /// Creates a point cloud.
    ///
    /// - Precondition: There are as many identifiers as points.
    public init(points: [Vector3], identifiers: [UInt64]) {
        self.init(points: points, identifiers: identifiers, deviations: points.map { _ in 0 })
    }

    /// Creates a cloud of points with known accuracy.
    ///
    /// - Precondition: There are as many identifiers and deviations as points.
    package init(points: [Vector3], identifiers: [UInt64], deviations: [Float]) {
        precondition(points.count == identifiers.count && points.count == deviations.count)
        (self.points, self.identifiers, self.deviations) = (points, identifiers, deviations)
    }

    /// The number of points.
    public var count: Int { points.count }
}
