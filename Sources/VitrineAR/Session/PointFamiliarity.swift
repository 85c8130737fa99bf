import VitrineTracking
import VitrineVision

/// How well the points in view are known from before, and those that a world map keeps.
struct PointFamiliarity {
    /// The most points kept: the newest.
    static let limit = 20_000
    /// Fewer points than this in view can't be known again.
    static let enough = 15
    /// Seconds after which a point counts as known.
    static let familiarAfter = 1.0
    /// The share of known points in view from which a place counts as mapped.
    static let mappedShare = 0.8

    /// When points in view were seen first.
    private var firstSeen: [Int: Double] = [:]
    private var status = ARFrame.WorldMappingStatus.notAvailable
    /// In the tracker's world, by rising identifier.
    private(set) var kept: [Int: Vector3d] = [:]

    /// - Parameter isSure: Whether tracking is normal: only then are points kept.
    mutating func see(_ points: [TrackedPoint], time: Double, isSure: Bool) {
        var seen: [Int: Double] = [:]
        var known = 0
        for point in points {
            let first = firstSeen[point.id] ?? time
            seen[point.id] = first
            if time - first >= Self.familiarAfter { known += 1 }
            if isSure { kept[point.id] = point.position }
        }
        firstSeen = seen
        if kept.count > Self.limit { forgetOldest() }
        status =
            !isSure || points.count < Self.enough
            ? .limited : Double(known) >= Self.mappedShare * Double(points.count) ? .mapped : .extending
    }

    /// Moves the points from an identifier on.
    mutating func move(from first: Int, by newFromOld: RigidTransform) {
        kept = Dictionary(uniqueKeysWithValues: kept.map { ($0, $0 >= first ? newFromOld * $1 : $1) })
    }

    /// Half of them, so that it happens seldom. Identifiers rise: the smallest are the oldest.
    private mutating func forgetOldest() {
        let newest = kept.keys.sorted().suffix(Self.limit / 2)
        kept = Dictionary(uniqueKeysWithValues: newest.map { ($0, kept[$0]!) })
    }

    func status(_ state: TrackingState) -> ARFrame.WorldMappingStatus { state == .notAvailable ? .notAvailable : status }
}
