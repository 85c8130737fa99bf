import VitrineMath
import VitrineVision

/// Averages depth images over time: each pixel with the earlier measurements there, projected from the current pose.
///
/// Where both disagree by more than 3 %, as on moving objects and at their edges, the current measurement counts alone.
struct DepthSmoother {
    /// The weight of the current measurement once there are older ones.
    private static let share: Float = 0.25
    private static let tolerance: Float = 0.03

    private var last: (metres: Plane<Float>, camera: CameraIntrinsics, cameraFromWorld: RigidTransform)?
    /// The direction of each pixel with z = 1, for a camera.
    private var rays: (camera: CameraIntrinsics, directions: [Vector3d])?

    /// Returns the smoothed depth image.
    ///
    /// - Parameter camera: The intrinsics of the captured image.
    mutating func smoothed(_ depth: DepthImage, camera: CameraIntrinsics, worldFromCamera: RigidTransform) -> DepthImage {
        let (width, height) = (depth.metres.width, depth.metres.height)
        guard width > 0, height > 0 else { return depth }
        let camera = camera.resized(width: width, height: height)
        let directions = directions(camera)
        var result = depth
        if let last, last.metres.width == width, last.metres.height == height {
            let lastFromCamera = last.cameraFromWorld * worldFromCamera
            for index in directions.indices {
                let metres = depth.metres.values[index]
                guard metres > 0, metres.isFinite else { continue }
                let before = lastFromCamera * (directions[index] * Double(metres))
                guard before.z > 0.05 else { continue }
                let pixel = last.camera.project(before)
                guard pixel.x >= 0, pixel.y >= 0, pixel.x < Double(width), pixel.y < Double(height) else { continue }
                let measured = last.metres[Int(pixel.x), Int(pixel.y)]
                let difference = measured - Float(before.z)
                guard measured > 0, abs(difference) < Self.tolerance * metres else { continue }
                result.metres.values[index] = metres + difference * (1 - Self.share)
            }
        }
        last = (result.metres, camera, worldFromCamera.inverse)
        return result
    }

    private mutating func directions(_ camera: CameraIntrinsics) -> [Vector3d] {
        if let rays, rays.camera == camera { return rays.directions }
        let made = (0..<camera.width * camera.height).map { index in
            let p = camera.normalized(Vector2d(Double(index % camera.width) + 0.5, Double(index / camera.width) + 0.5))
            return p.isFinite ? Vector3d(p.x, p.y, 1) : Vector3d(0, 0, 0)
        }
        rays = (camera, made)
        return made
    }
}
