import VitrineMath
import VitrineVision

/// A keyframe: the camera's pose, the landmarks in frame and their descriptors.
struct Keyframe: Equatable, Sendable {
    var worldFromCamera: RigidTransform
    var landmarks: [Landmark]
    /// Descriptors of small and large patches.
    var small: LandmarkDescriptors
    var large: LandmarkDescriptors
    /// The submap to whose coordinates pose and landmarks refer. A new submap starts after tracking was lost.
    var submap: Int
    /// The median distance of the landmarks.
    let depth: Double

    init(worldFromCamera: RigidTransform, landmarks: [Landmark], small: LandmarkDescriptors, large: LandmarkDescriptors, submap: Int = 0) {
        (self.worldFromCamera, self.landmarks, self.small, self.large, self.submap) = (worldFromCamera, landmarks, small, large, submap)
        let distances = landmarks.map { length(Vector3d($0.position) - worldFromCamera.translation) }.sorted()
        depth = distances.isEmpty ? 1 : distances[distances.count / 2]
    }

    mutating func transform(by newFromOld: RigidTransform) {
        worldFromCamera = newFromOld * worldFromCamera
        for index in landmarks.indices { landmarks[index].transform(by: newFromOld) }
    }

    /// The dissimilarity of a camera's frame: the larger of the distance relative to `distance` and the angle between the viewing directions
    /// relative to `angle`.
    func dissimilarity(of pose: RigidTransform, distance: Double, angle limit: Double) -> Double {
        let cosine = dot(pose.rotation.z, worldFromCamera.rotation.z)
        let angle = atan2(max(0, 1 - cosine * cosine).squareRoot(), cosine)
        return max(length(pose.translation - worldFromCamera.translation) / distance, angle / limit)
    }
}

/// A keyframe whose landmarks are still being triangulated.
struct PendingKeyframe: Sendable {
    var time: Double
    var worldFromCamera: RigidTransform
    /// Ascending.
    var ids: [Int]
    var landmarks: [Landmark?]
    var small: LandmarkDescriptors
    var large: LandmarkDescriptors
    /// Number of its features that are still tracked.
    var tracked: Int

    init(_ frame: FrameFeatures, at pose: RigidTransform, camera: CameraIntrinsics) {
        (time, worldFromCamera, ids) = (frame.time, pose, frame.ids)
        let descriptors = frame.described(at: pose, camera: camera, sizes: [FrameFeatures.sizes[0], FrameFeatures.sizes[2]])
        (small, large) = (descriptors[0], descriptors[1])
        landmarks = Array(repeating: nil, count: ids.count)
        tracked = ids.count
    }

    mutating func transform(by newFromOld: RigidTransform) {
        worldFromCamera = newFromOld * worldFromCamera
        for index in landmarks.indices { landmarks[index]?.transform(by: newFromOld) }
    }

    /// A feature is no longer tracked.
    mutating func end(_ id: Int, _ landmark: Landmark?) {
        guard let index = index(of: id) else { return }
        landmarks[index] = landmark
        tracked -= 1
    }

    private func index(of id: Int) -> Int? {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low < ids.count && ids[low] == id ? low : nil
    }

    /// The keyframe with the landmarks triangulated so far; nil if they are too few.
    /// - Parameter current: The landmarks of features that are still tracked.
    func keyframe(minimumLandmarks: Int, maximumLandmarks: Int, submap: Int, _ current: (Int) -> Landmark?) -> Keyframe? {
        let placed = ids.indices.compactMap { index in (landmarks[index] ?? current(ids[index])).map { (index, $0) } }
        func uncertainty(_ landmark: Landmark) -> Double {
            Double(landmark.deviation) / max(length(Vector3d(landmark.position) - worldFromCamera.translation), 1e-3)
        }
        // The most accurate ones; of equal ones those tracked longer, which have smaller identifiers.
        let order = placed.sorted { (uncertainty($0.1), $0.0) < (uncertainty($1.1), $1.0) }.prefix(maximumLandmarks).sorted { $0.0 < $1.0 }
        var numbers = [Int32](repeating: -1, count: ids.count)
        var kept: [Landmark] = []
        for (index, landmark) in order {
            numbers[index] = Int32(kept.count)
            kept.append(landmark)
        }
        guard kept.count >= minimumLandmarks else { return nil }
        return Keyframe(
            worldFromCamera: worldFromCamera, landmarks: kept, small: small.kept(numbers), large: large.kept(numbers), submap: submap)
    }
}
