import VitrineMath
import VitrineVision

/// A keyframe: the camera's pose, its corners with descriptors, and the landmarks that they observe.
struct Keyframe: Equatable, Sendable {
    var worldFromCamera: RigidTransform
    /// The submap to whose coordinates pose and landmarks refer. A new submap starts after tracking was lost.
    var submap: Int
    /// Undistorted normalized coordinates of the corners: (x/z, y/z) in the camera's frame.
    let corners: [SIMD2<Float>]
    /// Standard deviation of each corner's direction in radians.
    let noise: [Float]
    /// The landmark of each corner; −1 without.
    var landmarks: [Int32]
    let descriptors: CornerDescriptors
    /// The typical distance of the landmarks in metres.
    var depth: Double
    /// Identifies the pose of the filter to which the keyframe is fixed; −1 without a filter. Not saved.
    var id = -1
    /// The drift of the world when the keyframe was added. Not saved: a saved map defines its world.
    var drift = DriftVariance()

    /// The number of corners that observe a landmark.
    var landmarkCount: Int { landmarks.count { $0 >= 0 } }

    /// The ray of a corner in the submap.
    func ray(_ corner: Int) -> LandmarkRay {
        LandmarkRay(
            center: worldFromCamera.translation, direction: worldFromCamera.rotation * NormalizedObservation.ray(Vector2d(corners[corner])),
            noise: Double(noise[corner]))
    }

    /// The dissimilarity of a camera's view: the larger of the distance relative to `distance` and the angle between the viewing directions
    /// relative to `angle`.
    func dissimilarity(of pose: RigidTransform, distance: Double, angle limit: Double) -> Double {
        let cosine = dot(pose.rotation.z, worldFromCamera.rotation.z)
        let angle = atan2(max(0, 1 - cosine * cosine).squareRoot(), cosine)
        return max(length(pose.translation - worldFromCamera.translation) / distance, angle / limit)
    }
}
