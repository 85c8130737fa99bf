import VitrineMath
import VitrineTracking
import VitrineVision

/// The recent feature points of a tracker, each with its newest position and the plane that it is assigned to.
struct FeaturePointStore: Sendable {
    struct Entry: Equatable, Sendable {
        var id: Int
        var position: Vector3d
        /// Standard deviation of the position in metres; 0 if the tracker does not estimate it.
        var deviation: Double
        /// The number of frames with a position.
        var observationCount: Int
        /// The number of the last of these frames.
        var lastFrame: Int
        /// The camera's position in that frame.
        var lastCamera: Vector3d
        /// The id of the plane that the point is assigned to.
        var plane: Int?
        /// Whether the point is close to a plane without being assigned to it.
        var isNearPlane = false

        /// Trackers refine a position from frame to frame: the newest includes all observations.
        fileprivate mutating func update(_ point: TrackedPoint) {
            observationCount += 1
            (position, deviation) = (point.position, point.deviation)
        }

        /// Whether the point is accurate enough for plane detection.
        func isReliable(_ settings: PlaneDetector.Settings) -> Bool {
            deviation > 0 ? deviation <= settings.maximumPointDeviation : observationCount >= settings.minimumObservations
        }
    }

    /// The entries in the order of first observation.
    private(set) var entries: [Entry] = []
    private var indices: [Int: Int] = [:]
    /// The number of frames so far.
    private(set) var frame = 0

    init() {}

    /// Adds the points of a frame. Ignores points that are not finite or farther than 1 km from the camera.
    mutating func add(_ points: [TrackedPoint], camera: Vector3d, capacity: Int) {
        frame += 1
        for point in points where length(point.position - camera) < 1000 {
            if let index = indices[point.id] {
                entries[index].update(point)
                entries[index].lastFrame = frame
                entries[index].lastCamera = camera
            } else {
                indices[point.id] = entries.count
                entries.append(
                    Entry(
                        id: point.id, position: point.position, deviation: point.deviation, observationCount: 1, lastFrame: frame,
                        lastCamera: camera, plane: nil))
            }
        }
        if entries.count > capacity { drop(keeping: capacity * 3 / 4) }
    }

    mutating func assign(_ index: Int, to plane: Int?) { entries[index].plane = plane }

    mutating func mark(_ index: Int, isNearPlane: Bool) { entries[index].isNearPlane = isNearPlane }

    /// Reassigns all points of a plane.
    mutating func replace(_ plane: Int, by other: Int?) {
        for i in entries.indices where entries[i].plane == plane { entries[i].plane = other }
    }

    /// Indices of reliable points without a plane, at most the 600 most recent.
    func unassigned(_ settings: PlaneDetector.Settings) -> [Int] {
        let free = entries.indices.filter { entries[$0].plane == nil && !entries[$0].isNearPlane && entries[$0].isReliable(settings) }
        guard free.count > 600 else { return free }
        return free.sorted { (entries[$0].lastFrame, $0) > (entries[$1].lastFrame, $1) }.prefix(600).sorted()
    }

    /// Keeps `count` points: assigned ones first, then the most recent ones.
    private mutating func drop(keeping count: Int) {
        let ranked = entries.indices.sorted { a, b in
            let (x, y) = (entries[a], entries[b])
            if (x.plane != nil) != (y.plane != nil) { return x.plane != nil }
            return (x.lastFrame, x.id) > (y.lastFrame, y.id)
        }
        let kept = ranked.prefix(count).sorted()
        entries = kept.map { entries[$0] }
        indices = [:]
        for (i, entry) in entries.enumerated() { indices[entry.id] = i }
    }
}
