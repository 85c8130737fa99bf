import VitrineMapping
import VitrineMath
import VitrineTracking
import VitrineVision

/// A saved world: anchors, feature points, and a landmark map with keyframes to relocalize in. `docs/design/recording-format.md` describes the file format.
///
/// ```swift
/// try await session.getCurrentWorldMap().write(to: file)
/// // On another day:
/// let map = try ARWorldMap(contentsOf: file)
/// session.run(ARWorldTrackingConfiguration(initialWorldMap: map))     // limited(.relocalizing) until relocalization succeeds
/// ```
public struct ARWorldMap: Equatable, Sendable {
    /// The anchors in the order in which they were added.
    public var anchors: [ARAnchor]
    /// The raw feature points in the session's world, in metres.
    public var rawFeaturePoints: ARPointCloud
    /// The landmark map in a gravity-aligned world of its own, and the transform to the session's world: an app may have moved the origin.
    package internal(set) var landmarkMap = LandmarkMap()
    var sessionFromLandmarkMap = RigidTransform.identity

    /// Creates a map without a landmark map.
    public init(anchors: [ARAnchor] = [], rawFeaturePoints: ARPointCloud = ARPointCloud(points: [], identifiers: [])) {
        (self.anchors, self.rawFeaturePoints) = (anchors, rawFeaturePoints)
    }

    /// Creates a world map of a tracker's landmark map alone.
    package init(landmarkMap: LandmarkMap) {
        self.init()
        self.landmarkMap = landmarkMap
    }

    /// Whether the map has keyframes to relocalize with.
    public var supportsRelocalization: Bool { !landmarkMap.isEmpty }

    /// The centre of the bounding box of the points; the origin without points.
    public var center: Vector3 { bounds.map { ($0.minimum + $0.maximum) / 2 } ?? .zero }
    /// The size of the bounding box of the points.
    public var extent: Vector3 { bounds.map { $0.maximum - $0.minimum } ?? .zero }

    private var bounds: (minimum: Vector3, maximum: Vector3)? {
        guard let first = rawFeaturePoints.points.first else { return nil }
        return rawFeaturePoints.points.reduce((first, first)) { (pointwiseMin($0.0, $1), pointwiseMax($0.1, $1)) }
    }
}
