import VitrineMath
import VitrineVision

/// What a camera without an IMU goes by: points of the world, and the views (keyframes) that they were found in.
///
/// Bounded: so many keyframes and points, the rest is forgotten. Nothing depends on the order of a dictionary.
struct VisualMap: Sendable {
    struct Keyframe: Sendable {
        /// Rising.
        var serial: Int
        var time: Double
        var cameraFromWorld: RigidTransform
        /// By feature.
        var sights: [Int: FlatCamera.Sight]
        /// nil where it had no picture.
        var thumbnail: PictureThumbnail?

        var center: Vector3d { -(cameraFromWorld.rotation.transpose * cameraFromWorld.translation) }
    }

    struct Point: Sendable {
        var position: Vector3d
        /// The keyframe in which it got its place, and the newest picture's time that showed it.
        var born: Int
        var lastSeen: Double
        /// nil where there was no picture.
        var patch: PointPatch?
    }

    static let mostKeyframes = 48
    static let mostPoints = 4000

    let camera: FlatCamera
    /// By rising serial.
    var keyframes: [Keyframe] = []
    /// By the feature that it was triangulated from.
    private(set) var points: [Int: Point] = [:]
    private var nextSerial = 0

    init(camera: FlatCamera) { self.camera = camera }

    func position(_ id: Int) -> Vector3d? { points[id]?.position }

    mutating func put(_ id: Int, at position: Vector3d, time: Double) {
        points[id] = Point(position: position, born: nextSerial, lastSeen: time)
    }

    /// How a new point looks.
    mutating func give(_ id: Int, _ patch: PointPatch?) { points[id]?.patch = patch }

    /// Two points turned out to be one: the second's sights are the first's.
    mutating func merge(_ other: Int, into id: Int) {
        for index in keyframes.indices {
            guard let sight = keyframes[index].sights.removeValue(forKey: other) else { continue }
            if keyframes[index].sights[id] == nil { keyframes[index].sights[id] = sight }
        }
        points[other] = nil
    }

    mutating func move(_ id: Int, to position: Vector3d) { points[id]?.position = position }

    mutating func remove(_ id: Int) {
        points[id] = nil
        for index in keyframes.indices { keyframes[index].sights[id] = nil }
    }

    mutating func see(_ ids: some Sequence<Int>, time: Double) {
        for id in ids { points[id]?.lastSeen = time }
    }

    mutating func append(
        time: Double, cameraFromWorld: RigidTransform, sights: [Int: FlatCamera.Sight], thumbnail: PictureThumbnail? = nil
    ) {
        keyframes.append(
            Keyframe(serial: nextSerial, time: time, cameraFromWorld: cameraFromWorld, sights: sights, thumbnail: thumbnail))
        nextSerial += 1
    }

    /// Of points in front of a camera, in the map's unit; nil where there are too few.
    func medianDepth(_ cameraFromWorld: RigidTransform, of ids: some Sequence<Int>) -> Double? {
        var depths = ids.compactMap { id in position(id).map { (cameraFromWorld * $0).z } }.filter { $0 > 0 }
        guard depths.count >= 3 else { return nil }
        depths.sort()
        return depths[depths.count / 2]
    }

    /// The whole map in another world.
    mutating func transform(by change: SimilarityTransform) {
        for id in points.keys {
            points[id]!.position = change * points[id]!.position
            points[id]!.patch?.transform(by: change)
        }
        for index in keyframes.indices { keyframes[index].cameraFromWorld = change.moved(keyframes[index].cameraFromWorld) }
    }

    // MARK: Forgetting

    /// Drops what is more than is kept: the keyframe that adds least to its neighbours, and the points that weren't seen for longest.
    mutating func prune() {
        while keyframes.count > Self.mostKeyframes { keyframes.remove(at: leastTelling()) }
        if points.count > Self.mostPoints {
            let order = points.keys.sorted { (points[$0]!.lastSeen, $0) < (points[$1]!.lastSeen, $1) }
            for id in order.prefix(points.count - Self.mostPoints) { remove(id) }
        }
    }

    /// Of all but the first and the newest ten, the one whose neighbours stand nearest together.
    private func leastTelling() -> Int {
        var best = (index: 1, cost: Double.infinity)
        for index in 1..<max(2, keyframes.count - 10) {
            let (a, b) = (keyframes[index - 1], keyframes[index + 1])
            let turn = 3 - (a.cameraFromWorld.rotation * b.cameraFromWorld.rotation.transpose).trace
            let depth = medianDepth(keyframes[index].cameraFromWorld, of: keyframes[index].sights.keys) ?? 1
            let cost = lengthSquared(a.center - b.center) / (depth * depth) + turn
            if cost < best.cost { best = (index, cost) }
        }
        return best.index
    }
}
