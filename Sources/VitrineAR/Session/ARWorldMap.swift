import VitrineMath

/// What a session knew of a place: its anchors and the points that it saw. It can be kept in a file: `docs/ar.md` has the format.
public struct ARWorldMap: Equatable, Sendable {
    /// In the order in which they were added.
    public var anchors: [ARAnchor]
    /// In the session's world, in metres.
    public var rawFeaturePoints: ARPointCloud

    public init(anchors: [ARAnchor] = [], rawFeaturePoints: ARPointCloud = ARPointCloud(points: [], identifiers: [])) {
        (self.anchors, self.rawFeaturePoints) = (anchors, rawFeaturePoints)
    }

    /// The middle of the box around the points; the origin where there are none.
    public var center: Vector3 { bounds.map { ($0.minimum + $0.maximum) / 2 } ?? .zero }
    /// The size of the box around the points.
    public var extent: Vector3 { bounds.map { $0.maximum - $0.minimum } ?? .zero }

    private var bounds: (minimum: Vector3, maximum: Vector3)? {
        guard let first = rawFeaturePoints.points.first else { return nil }
        return rawFeaturePoints.points.reduce((first, first)) { (pointwiseMin($0.0, $1), pointwiseMax($0.1, $1)) }
    }
}
