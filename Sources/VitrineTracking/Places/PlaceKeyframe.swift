import VitrineMath
import VitrineVision

/// A view of a place that is kept: where the camera was, what it saw where, and what that looked like.
struct PlaceKeyframe: Equatable, Sendable {
    var worldFromCamera: RigidTransform
    /// In the world, metres.
    var points: [SIMD3<Float>]
    var small: PlaceDescriptors
    var large: PlaceDescriptors
    /// Which world the places are told in: what was seen after a loss lies in a world of its own until it is found where in the old one.
    var world: Int
    /// The median distance of its points.
    let depth: Double

    init(worldFromCamera: RigidTransform, points: [SIMD3<Float>], small: PlaceDescriptors, large: PlaceDescriptors, world: Int = 0) {
        (self.worldFromCamera, self.points, self.small, self.large, self.world) = (worldFromCamera, points, small, large, world)
        let distances = points.map { length(Vector3d($0) - worldFromCamera.translation) }.sorted()
        depth = distances.isEmpty ? 1 : distances[distances.count / 2]
    }

    mutating func move(by newFromOld: RigidTransform) {
        worldFromCamera = newFromOld * worldFromCamera
        points = points.map { SIMD3<Float>(newFromOld * Vector3d($0)) }
    }

    /// How different a camera sees the same: the way as a share of `reach`, and the turn of where it looks as a share of `turn`, whichever
    /// is more.
    func strangeness(of pose: RigidTransform, reach: Double, turn: Double) -> Double {
        let cosine = dot(pose.rotation.z, worldFromCamera.rotation.z)
        let angle = atan2(max(0, 1 - cosine * cosine).squareRoot(), cosine)
        return max(length(pose.translation - worldFromCamera.translation) / reach, angle / turn)
    }
}

/// A view whose points are still being placed.
struct OpenKeyframe: Sendable {
    var time: Double
    var worldFromCamera: RigidTransform
    /// Rising.
    var ids: [Int]
    var points: [Vector3d?]
    var small: PlaceDescriptors
    var large: PlaceDescriptors
    /// How many of its points are still followed.
    var followed: Int

    init(_ view: PlaceView, at pose: RigidTransform) {
        (time, worldFromCamera, ids, small, large) = (view.time, pose, view.ids, view.small, view.large)
        points = Array(repeating: nil, count: ids.count)
        followed = ids.count
    }

    /// The bundle's point is followed no longer.
    mutating func end(_ id: Int, _ point: Vector3d?) {
        guard let index = index(of: id) else { return }
        points[index] = point
        followed -= 1
    }

    private func index(of id: Int) -> Int? {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low < ids.count && ids[low] == id ? low : nil
    }

    /// With the points that have a place by now; nil where they are too few.
    /// - Parameter places: of those that are still followed.
    func keyframe(least: Int, most: Int, world: Int, places: (Int) -> Vector3d?) -> PlaceKeyframe? {
        var numbers = [Int32](repeating: -1, count: ids.count)
        var kept: [SIMD3<Float>] = []
        // Older features have lower numbers.
        for index in ids.indices where kept.count < most {
            guard let point = points[index] ?? places(ids[index]) else { continue }
            numbers[index] = Int32(kept.count)
            kept.append(SIMD3<Float>(point))
        }
        guard kept.count >= least else { return nil }
        return PlaceKeyframe(
            worldFromCamera: worldFromCamera, points: kept, small: small.kept(numbers), large: large.kept(numbers), world: world)
    }
}
