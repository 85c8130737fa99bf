import VitrineMath
import VitrineVision

/// An undistorted pinhole camera with the focal length of a distorted one, for multi-view geometry.
///
/// Undistorted pixels have about the size of the camera's own pixels at the image centre and are larger towards the edges of a wide lens.
struct UndistortedCamera: Sendable {
    /// An observation of a feature.
    struct Observation: Sendable, Equatable {
        /// The position in undistorted pixels.
        var position: Vector2d
        /// Inverse variance in undistorted pixels.
        var information: Double
    }

    let camera: CameraIntrinsics
    /// The pinhole's intrinsics, with one focal length.
    let intrinsics: CameraIntrinsics

    /// Largest tangent of the angle to the optical axis (66°).
    private static let maximumTangent = 2.25

    init(_ camera: CameraIntrinsics) {
        self.camera = camera
        let focal = 0.5 * (camera.focal.x + camera.focal.y)
        intrinsics = CameraIntrinsics(
            width: camera.width, height: camera.height, focal: Vector2d(focal, focal),
            center: Vector2d(Double(camera.width), Double(camera.height)) / 2)
    }

    var focal: Double { intrinsics.focal.x }

    /// Undistorts a pixel; nil if it is too far from the optical axis.
    func observation(_ pixel: Vector2d, information: Double = 1) -> Observation? {
        let normalized = camera.normalized(pixel)
        let squared = lengthSquared(normalized)
        guard squared < Self.maximumTangent * Self.maximumTangent else { return nil }
        // Undistortion stretches the pixels of a fisheye by the derivative of the tangent.
        var stretch = 1.0
        if camera.distortion.isFisheye { stretch = 1 + squared }
        return Observation(position: normalized * focal + intrinsics.center, information: information / (stretch * stretch))
    }

    /// The distorted pixel of an undistorted one.
    func pixel(_ undistorted: Vector2d) -> Vector2d {
        camera.distortion.distort((undistorted - intrinsics.center) / focal) * camera.focal + camera.center
    }

    /// The unit direction of an undistorted pixel in the camera's frame.
    func ray(_ undistorted: Vector2d) -> Vector3d {
        let p = (undistorted - intrinsics.center) / focal
        return normalize(Vector3d(p.x, p.y, 1))
    }

    /// The undistorted pixel of a point in the camera's frame.
    @inline(__always) func project(_ point: Vector3d) -> Vector2d {
        Vector2d(point.x, point.y) * (focal / point.z) + intrinsics.center
    }
}
