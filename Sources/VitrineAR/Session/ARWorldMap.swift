import VitrineMath
import VitrineTracking
import VitrineVision

/// What a session knew of a place: its anchors, the points that it saw, and views by which the place is known again. It can be kept in a file:
/// `docs/ar.md` has the format.
///
/// ```swift
/// try await session.getCurrentWorldMap().write(to: file)
/// // On another day:
/// let map = try ARWorldMap(contentsOf: file)
/// session.run(ARWorldTrackingConfiguration(initialWorldMap: map))     // limited(.relocalizing) until the place is seen again
/// ```
public struct ARWorldMap: Equatable, Sendable {
    /// In the order in which they were added.
    public var anchors: [ARAnchor]
    /// In the session's world, in metres.
    public var rawFeaturePoints: ARPointCloud
    /// Views of the place, in a level world of their own, and how that lies in the session's: an app may have moved the origin.
    public internal(set) var places = LandmarkMap()
    var sessionFromPlaces = RigidTransform.identity

    public init(anchors: [ARAnchor] = [], rawFeaturePoints: ARPointCloud = ARPointCloud(points: [], identifiers: [])) {
        (self.anchors, self.rawFeaturePoints) = (anchors, rawFeaturePoints)
    }

    /// What a tracker knew of a place.
    public init(places: LandmarkMap) {
        self.init()
        self.places = places
    }

    /// Whether there are views by which the place can be found again.
    public var canBeFound: Bool { !places.isEmpty }

    /// The middle of the box around the points; the origin where there are none.
    public var center: Vector3 { bounds.map { ($0.minimum + $0.maximum) / 2 } ?? .zero }
    /// The size of the box around the points.
    public var extent: Vector3 { bounds.map { $0.maximum - $0.minimum } ?? .zero }

    private var bounds: (minimum: Vector3, maximum: Vector3)? {
        guard let first = rawFeaturePoints.points.first else { return nil }
        return rawFeaturePoints.points.reduce((first, first)) { (pointwiseMin($0.0, $1), pointwiseMax($0.1, $1)) }
    }
}
