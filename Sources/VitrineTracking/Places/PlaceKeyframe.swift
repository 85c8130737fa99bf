import VitrineMath
import VitrineVision

/// A view of a place that is kept: where the camera was, what it saw where, and what that looked like.
struct PlaceKeyframe: Equatable, Sendable {
    var worldFromCamera: RigidTransform
    var points: [PlacePoint]
    var small: PlaceDescriptors
    var large: PlaceDescriptors
    /// Which world the places are told in: what was seen after a loss lies in a world of its own until it is found where in the old one.
    var world: Int
    /// The median distance of its points.
    let depth: Double

    init(worldFromCamera: RigidTransform, points: [PlacePoint], small: PlaceDescriptors, large: PlaceDescriptors, world: Int = 0) {
        (self.worldFromCamera, self.points, self.small, self.large, self.world) = (worldFromCamera, points, small, large, world)
        let distances = points.map { length(Vector3d($0.position) - worldFromCamera.translation) }.sorted()
        depth = distances.isEmpty ? 1 : distances[distances.count / 2]
    }

    mutating func move(by newFromOld: RigidTransform) {
        worldFromCamera = newFromOld * worldFromCamera
        for index in points.indices { points[index].move(by: newFromOld) }
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
    var points: [PlacePoint?]
    var small: PlaceDescriptors
    var large: PlaceDescriptors
    /// How many of its points are still followed.
    var followed: Int

    init(_ view: PlaceView, at pose: RigidTransform, camera: CameraIntrinsics) {
        (time, worldFromCamera, ids) = (view.time, pose, view.ids)
        let looks = view.described(at: pose, camera: camera, sizes: [PlaceView.sizes[0], PlaceView.sizes[2]])
        (small, large) = (looks[0], looks[1])
        points = Array(repeating: nil, count: ids.count)
        followed = ids.count
    }

    mutating func move(by newFromOld: RigidTransform) {
        worldFromCamera = newFromOld * worldFromCamera
        for index in points.indices { points[index]?.move(by: newFromOld) }
    }

    /// The bundle's point is followed no longer.
    mutating func end(_ id: Int, _ point: PlacePoint?) {
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
    func keyframe(least: Int, most: Int, world: Int, places: (Int) -> PlacePoint?) -> PlaceKeyframe? {
        let placed = ids.indices.compactMap { index in (points[index] ?? places(ids[index])).map { (index, $0) } }
        func doubt(_ point: PlacePoint) -> Double {
            Double(point.deviation) / max(length(Vector3d(point.position) - worldFromCamera.translation), 1e-3)
        }
        // The surest; of equal ones those followed longer, which have lower numbers.
        let order = placed.sorted { (doubt($0.1), $0.0) < (doubt($1.1), $1.0) }.prefix(most).sorted { $0.0 < $1.0 }
        var numbers = [Int32](repeating: -1, count: ids.count)
        var kept: [PlacePoint] = []
        for (index, point) in order {
            numbers[index] = Int32(kept.count)
            kept.append(point)
        }
        guard kept.count >= least else { return nil }
        return PlaceKeyframe(
            worldFromCamera: worldFromCamera, points: kept, small: small.kept(numbers), large: large.kept(numbers), world: world)
    }
}
