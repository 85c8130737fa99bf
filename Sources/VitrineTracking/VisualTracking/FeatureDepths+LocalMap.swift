import VitrineMath
import VitrineVision

/// Measured depths compared with the landmarks of a map.
extension FeatureDepths {
    /// The fewest features with a measured depth that determine the scale.
    static let minimumForScale = 25
    /// The fewest landmarks with a measured depth that can contradict a pose.
    private static let minimumForAgreement = 6
    /// The largest difference between a landmark's depth and the measured one, in standard deviations.
    private static let largestError = 4.0

    /// The points at the features whose depth is measured, in the camera's frame, by ascending identifier.
    func points(of features: [Int], in frame: ObservedFrame, _ camera: UndistortedCamera) -> [(id: Int, position: Vector3d)] {
        features.sorted().compactMap { id in
            guard let observation = frame.observations[id], let depth = depth(of: id, at: camera.pixel(observation.position)) else {
                return nil
            }
            let ray = camera.ray(observation.position)
            return (id, ray * (depth.metres / ray.z))
        }
    }

    /// Whether most of some landmarks are as far from the camera as measured; also with too few of them.
    func agree(
        with landmarks: [Int], of map: LocalMap, in frame: ObservedFrame, cameraFromWorld: RigidTransform, _ camera: UndistortedCamera
    ) -> Bool {
        var (measured, agreeing) = (0, 0)
        for id in landmarks {
            guard let position = map.position(id), let observation = frame.observations[id],
                let depth = depth(of: id, at: camera.pixel(observation.position))
            else { continue }
            measured += 1
            if abs((cameraFromWorld * position).z - depth.metres) < Self.largestError * depth.deviation { agreeing += 1 }
        }
        return measured < Self.minimumForAgreement || 2 * agreeing > measured
    }

    /// The scale of a map: the median of measured depths relative to those of its landmarks; nil for too few.
    func scale(of map: LocalMap, in frame: ObservedFrame, cameraFromWorld: RigidTransform, _ camera: UndistortedCamera) -> Double? {
        var ratios = frame.observations.compactMap { id, observation -> Double? in
            guard let position = map.position(id), let depth = depth(of: id, at: camera.pixel(observation.position)) else { return nil }
            let inMap = (cameraFromWorld * position).z
            return inMap > 1e-3 ? depth.metres / inMap : nil
        }
        guard ratios.count >= Self.minimumForScale else { return nil }
        ratios.sort()
        return ratios[ratios.count / 2]
    }
}
