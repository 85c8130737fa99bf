/// The intrinsics of a camera: how it maps directions to pixels.
///
/// The one type for all lens models (`LensModel`): reconstruction, tracking, drawing into camera images and all importers use it.
///
/// Camera frame: x right, y down, z forward (OpenCV's and COLMAP's axes; the scene's cameras look along −Z). Pixels: x right, y down, the centre of the
/// first pixel at (0.5, 0.5), so that (0, 0) and (width, height) are the image's corners, as in COLMAP. OpenCV and Kalibr put the centre of the
/// first pixel at (0, 0): add half a pixel to their principal points.
///
/// ```swift
/// let camera = CameraIntrinsics(
///     width: 640, height: 480, focal: Vector2d(500, 500), center: Vector2d(320, 240), distortion: .radial(-0.1))
/// camera.project(Vector3d(0, 0, 1))   // (320, 240)
/// camera.unproject(Vector2d(320, 240))   // (0, 0, 1)
/// ```
@frozen public struct CameraIntrinsics: Equatable, Hashable, Sendable {
    /// The size of the image in pixels.
    public var width, height: Int
    /// The focal lengths along x and y in pixels.
    public var focal: Vector2d
    /// The principal point in pixels.
    public var center: Vector2d
    /// The distortion of the lens. Default: none, a pinhole camera.
    public var distortion: LensDistortion

    /// Creates a camera.
    /// - Parameters:
    ///   - width: The width of the image in pixels.
    ///   - height: The height of the image in pixels.
    ///   - focal: Focal lengths in pixels.
    ///   - center: The principal point in pixels; the image's corners are (0, 0) and (width, height).
    ///   - distortion: The distortion of the lens; none by default.
    @inlinable public init(width: Int, height: Int, focal: Vector2d, center: Vector2d, distortion: LensDistortion = .none) {
        (self.width, self.height, self.focal, self.center, self.distortion) = (width, height, focal, center, distortion)
    }

    /// Creates a camera with Brown and Conrady's distortion.
    /// - Parameters:
    ///   - radial: k1, k2, k3.
    ///   - tangential: p1, p2.
    @inlinable package init(
        width: Int, height: Int, focal: Vector2d, center: Vector2d, radial: Vector3d, tangential: Vector2d = .zero
    ) {
        self.init(
            width: width, height: height, focal: focal, center: center,
            distortion: .brownConrady(radial: radial, tangential: tangential))
    }

    /// Creates a pinhole camera with its principal point at the centre of the image.
    /// - Parameter verticalFieldOfView: The vertical field of view in radians, below π.
    public init(width: Int, height: Int, verticalFieldOfView: Double) {
        let focal = Double(height) / 2 / (sin(verticalFieldOfView / 2) / cos(verticalFieldOfView / 2))
        self.init(
            width: width, height: height, focal: Vector2d(focal, focal), center: Vector2d(Double(width), Double(height)) / 2)
    }

    /// Whether the lens has distortion: false for a pinhole camera, true for every fisheye lens.
    @inlinable public var isDistorted: Bool { distortion.isDistorted }

    /// Projects a point in the camera frame to a pixel.
    ///
    /// Fisheye lenses map points behind the camera too. For other lenses, the result is meaningless for points at z ≤ 0.
    @inlinable public func project(_ pointInCamera: Vector3d) -> Vector2d {
        distortion.distort(pointInCamera) * focal + center
    }

    /// Returns the unit direction, in the camera frame, of the ray through a pixel.
    ///
    /// If no direction maps to the pixel, returns the direction whose projection is nearest to it.
    public func unproject(_ pixel: Vector2d) -> Vector3d {
        normalize(direction(pixel))
    }

    /// Returns `unproject` without normalization: (x/z, y/z, 1), except for fisheye lenses.
    package func direction(_ pixel: Vector2d) -> Vector3d { distortion.undistortedDirection((pixel - center) / focal) }

    /// Returns the undistorted normalized coordinates (x/z, y/z) of a pixel. For fisheye lenses with a field of view beyond 180°, use `unproject`.
    public func normalized(_ pixel: Vector2d) -> Vector2d { distortion.undistort((pixel - center) / focal) }

    /// Returns the camera for the image scaled to another size.
    public func resized(width newWidth: Int, height newHeight: Int) -> CameraIntrinsics {
        let factor = Vector2d(Double(newWidth) / Double(width), Double(newHeight) / Double(height))
        var result = self
        (result.width, result.height, result.focal, result.center) = (newWidth, newHeight, focal * factor, center * factor)
        return result
    }

    /// Whether every number is finite.
    package var isFinite: Bool { focal.isFinite && center.isFinite && distortion.isFinite }

    /// The pinhole camera with the same focal lengths and principal point.
    public var undistorted: CameraIntrinsics {
        CameraIntrinsics(width: width, height: height, focal: focal, center: center)
    }
}

/// A camera with a pose, which projects points in the world to pixels.
@frozen @usableFromInline package struct PosedCamera: Equatable, Hashable, Sendable {
    @usableFromInline package var intrinsics: CameraIntrinsics
    /// The pose of the camera, whose axes are x right, y down, z forward.
    @usableFromInline package var cameraFromWorld: RigidTransform

    @inlinable package init(intrinsics: CameraIntrinsics, cameraFromWorld: RigidTransform) {
        (self.intrinsics, self.cameraFromWorld) = (intrinsics, cameraFromWorld)
    }

    /// The optical centre in the world frame.
    @inlinable package var centerInWorld: Vector3d { -(cameraFromWorld.rotation.transpose * cameraFromWorld.translation) }
    /// Projects a point in the world to a pixel; see `CameraIntrinsics.project`.
    @inlinable package func project(_ pointInWorld: Vector3d) -> Vector2d { intrinsics.project(cameraFromWorld * pointInWorld) }
    /// Returns the unit direction, in the world frame, of the ray through a pixel.
    package func unproject(_ pixel: Vector2d) -> Vector3d { cameraFromWorld.rotation.transpose * intrinsics.unproject(pixel) }
}
