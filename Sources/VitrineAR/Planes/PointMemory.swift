import VitrineMath
import VitrineTracking
import VitrineVision

/// The tracked points of late, each where it was last found.
struct PointMemory: Sendable {
    struct Entry: Equatable, Sendable {
        var id: Int
        var position: Vector3d
        /// How far off it may be, in metres; 0 where the tracker doesn't say.
        var deviation: Double
        /// Pictures in which it had a place.
        var sightings: Int
        /// The number of the last of them.
        var lastSeen: Int
        /// Where the camera was then.
        var seenFrom: Vector3d
        /// The plane that it lies on.
        var plane: Int?
        /// Whether it lies on none, but near one.
        var isNearPlane = false

        /// Trackers refine a place from picture to picture: the newest holds all that was seen before.
        mutating func see(_ point: TrackedPoint) {
            sightings += 1
            (position, deviation) = (point.position, point.deviation)
        }

        /// Whether it has been seen often enough, or is known well enough, to count.
        func counts(_ settings: PlaneFinder.Settings) -> Bool {
            deviation > 0 ? deviation <= settings.pointDeviation : sightings >= settings.pointSightings
        }
    }

    /// By when they were first seen.
    private(set) var entries: [Entry] = []
    private var places: [Int: Int] = [:]
    private(set) var picture = 0

    init() {}

    /// Points farther than 1 km, or not finite, are passed over.
    mutating func add(_ points: [TrackedPoint], seenFrom camera: Vector3d, limit: Int) {
        picture += 1
        for point in points where length(point.position - camera) < 1000 {
            if let place = places[point.id] {
                entries[place].see(point)
                entries[place].lastSeen = picture
                entries[place].seenFrom = camera
            } else {
                places[point.id] = entries.count
                entries.append(
                    Entry(
                        id: point.id, position: point.position, deviation: point.deviation, sightings: 1, lastSeen: picture,
                        seenFrom: camera, plane: nil))
            }
        }
        if entries.count > limit { forget(limit * 3 / 4) }
    }

    mutating func assign(_ index: Int, to plane: Int?) { entries[index].plane = plane }

    mutating func mark(_ index: Int, isNearPlane: Bool) { entries[index].isNearPlane = isNearPlane }

    mutating func replace(_ plane: Int, by other: Int?) {
        for i in entries.indices where entries[i].plane == plane { entries[i].plane = other }
    }

    /// Keeps `count`: those on planes before those that aren't, those seen lately before those that weren't.
    private mutating func forget(_ count: Int) {
        let ranked = entries.indices.sorted { a, b in
            let (x, y) = (entries[a], entries[b])
            if (x.plane != nil) != (y.plane != nil) { return x.plane != nil }
            return (x.lastSeen, x.id) > (y.lastSeen, y.id)
        }
        let kept = ranked.prefix(count).sorted()
        entries = kept.map { entries[$0] }
        places = [:]
        for (i, entry) in entries.enumerated() { places[entry.id] = i }
    }
}
