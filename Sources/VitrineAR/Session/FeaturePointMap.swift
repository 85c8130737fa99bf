import VitrineTracking
import VitrineVision

/// The feature points that a world map keeps, in the tracker's world, and the share of visible points that are known for a while: the mapping
/// status for trackers without a landmark map.
struct FeaturePointMap {
    /// The most points kept; the newest stay.
    private static let capacity = 20_000
    /// The fewest visible points for a status better than `.limited`.
    private static let minimumVisiblePoints = 15
    /// Seconds after which a point counts as known.
    private static let knownAfter = 1.0
    /// The share of known points in view from which the status is `.mapped`.
    private static let mappedShare = 0.8

    /// The times at which the visible points were first observed, by their identifiers.
    private var firstObserved: [Int: Double] = [:]
    private var status = ARFrame.WorldMappingStatus.notAvailable
    private var positions: [Int: Vector3d] = [:]

    var isEmpty: Bool { positions.isEmpty }
    /// The points, ordered by increasing identifier.
    var points: [(id: Int, position: Vector3d)] { positions.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    /// Greater than every identifier so far.
    var nextID: Int { (positions.keys.max() ?? -1) + 1 }

    /// Adds the points of a frame.
    ///
    /// - Parameter isTracking: Whether tracking is normal; only then are positions kept.
    mutating func add(_ points: [TrackedPoint], time: Double, isTracking: Bool) {
        var visible: [Int: Double] = [:]
        var knownCount = 0
        for point in points {
            let first = firstObserved[point.id] ?? time
            visible[point.id] = first
            if time - first >= Self.knownAfter { knownCount += 1 }
            if isTracking { positions[point.id] = point.position }
        }
        firstObserved = visible
        if positions.count > Self.capacity { dropOldest() }
        status =
            !isTracking || points.count < Self.minimumVisiblePoints
            ? .limited : Double(knownCount) >= Self.mappedShare * Double(points.count) ? .mapped : .extending
    }

    /// Transforms the points from an identifier on.
    mutating func transform(from first: Int, by newFromOld: RigidTransform) {
        positions = Dictionary(uniqueKeysWithValues: positions.map { ($0, $0 >= first ? newFromOld * $1 : $1) })
    }

    /// Drops half of the capacity at once, to do it rarely. Identifiers increase: the smallest are the oldest.
    private mutating func dropOldest() {
        let newest = positions.keys.sorted().suffix(Self.capacity / 2)
        positions = Dictionary(uniqueKeysWithValues: newest.map { ($0, positions[$0]!) })
    }

    func status(_ state: TrackingState) -> ARFrame.WorldMappingStatus { state == .notAvailable ? .notAvailable : status }
}
