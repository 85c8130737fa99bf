import VitrineGeometry
import VitrineMath
import VitrineTracking
import VitrineVision

/// The camera of a frame: pose, intrinsics and tracking state.
public struct ARCamera: Equatable, Sendable {
    /// The quality of tracking, and what limits it.
    public typealias TrackingState = VitrineTracking.TrackingState

    /// The camera's pose in the session's world, in metres: it looks along its −Z, +X points right along the rows of the captured image, +Y up
    /// along its columns. Always rigid and finite; the identity until tracking starts.
    public let transform: Matrix4
    /// The quality of `transform`, and what limits it.
    public let trackingState: TrackingState
    /// The current estimate of intrinsics and lens distortion: pixels of the captured image, y down, the first pixel's centre at (0.5, 0.5).
    public let model: CameraIntrinsics
    /// The exposure duration in seconds; nil if the source does not provide it.
    public let exposureDuration: Double?
    /// Advice for the user about limited tracking; nil without any.
    public let trackingAdvice: TrackingAdvice?

    /// Creates a camera. Defaults: at the origin, tracking state normal.
    public init(
        transform: Matrix4 = .identity, trackingState: TrackingState = .normal, model: CameraIntrinsics, exposureDuration: Double? = nil,
        trackingAdvice: TrackingAdvice? = nil
    ) {
        (self.transform, self.trackingState, self.model) = (transform, trackingState, model)
        (self.exposureDuration, self.trackingAdvice) = (exposureDuration, trackingAdvice)
    }

    /// The intrinsic matrix in pixels without distortion: columns (fx, 0, 0), (0, fy, 0), (cx, cy, 1). Maps x right, y down, z forward to pixels.
    public var intrinsics: Matrix3 {
        let (focal, center) = (Vector2(model.focal), Vector2(model.center))
        return Matrix3(Vector3(focal.x, 0, 0), Vector3(0, focal.y, 0), Vector3(center, 1))
    }

    /// The width and height of the captured image in pixels.
    public var imageResolution: Vector2 { Vector2(Float(model.width), Float(model.height)) }

    /// Pitch, yaw and roll in radians: `transform` rotates about z (roll), then x (pitch, positive upwards), then y (yaw about the world's
    /// vertical, positive to the left). For a camera that looks straight up or down, roll is 0.
    public var eulerAngles: Vector3 {
        let m = transform.linear
        // m = Ry(yaw) · Rx(pitch) · Rz(roll): its third column is (sin yaw cos pitch, −sin pitch, cos yaw cos pitch).
        let level = (m.z.x * m.z.x + m.z.z * m.z.z).squareRoot()
        let pitch = atan2(-m.z.y, level)
        guard level > 1e-5 else { return Vector3(pitch, atan2(-m.x.z, m.x.x), 0) }
        return Vector3(pitch, atan2(m.z.x, m.z.z), atan2(m.x.y, m.y.y))
    }
}

extension ARCamera {
    /// The camera with the axes of computer vision: x right, y down, z forward.
    package var posed: PosedCamera {
        let columns = transform.linear
        let worldFromCamera = RigidTransform(
            rotation: Matrix3d(Vector3d(columns.x), -Vector3d(columns.y), -Vector3d(columns.z)),
            translation: Vector3d(transform.translation))
        return PosedCamera(intrinsics: model, cameraFromWorld: worldFromCamera.inverse)
    }

    /// A copy with another pose or state.
    func with(transform: Matrix4? = nil, trackingState: TrackingState? = nil) -> ARCamera {
        ARCamera(
            transform: transform ?? self.transform, trackingState: trackingState ?? self.trackingState, model: model,
            exposureDuration: exposureDuration, trackingAdvice: trackingState == nil ? trackingAdvice : nil)
    }
}

extension ARCamera {
    /// Returns the mapping of the image into a view.
    func fit(_ orientation: InterfaceOrientation, _ viewportSize: Vector2) -> ImageFit {
        ImageFit(imageSize: imageResolution, orientation: orientation, viewportSize: viewportSize)
    }

    /// The projection from the frame of `viewMatrix(for:)` to clip space (x right, y up, −w…w; depth 0 at `zNear`, 1 at `zFar`). Rendered
    /// content aligns with an image that fills the view by `ARFrame.displayTransform`.
    ///
    /// The projection is that of a pinhole camera: undistort the image of a lens with distortion before drawing it behind (`CameraBackground`
    /// does that).
    ///
    /// - Parameters:
    ///   - viewportSize: Width and height of the view in its orientation, in any unit, above 0.
    ///   - zNear: The distance of the near plane in metres, above 0.
    ///   - zFar: The distance of the far plane in metres, greater than `zNear`; may be infinite.
    public func projectionMatrix(for orientation: InterfaceOrientation, viewportSize: Vector2, zNear: Float, zFar: Float) -> Matrix4 {
        fit(orientation, viewportSize).clipFromView(imageFromCamera: intrinsics, zNear: zNear, zFar: zFar)
    }

    /// The transform from the world to the camera in the view's orientation: x right, y up, −z forward.
    public func viewMatrix(for orientation: InterfaceOrientation) -> Matrix4 {
        Matrix4(orientation.viewFromCamera) * transform.affineInverse
    }

    /// Projects a world point to the view.
    ///
    /// - Returns: The point in the units of `viewportSize`, right and down from the upper left corner, also outside of the view; nil if it is
    ///   not in front of the camera.
    public func projectPoint(_ point: Vector3, orientation: InterfaceOrientation, viewportSize: Vector2) -> Vector2? {
        let projection = projectionMatrix(for: orientation, viewportSize: viewportSize, zNear: 0.001, zFar: .infinity)
        let clip = projection * (viewMatrix(for: orientation) * Vector4(point, 1))
        guard clip.w > 0 else { return nil }
        return Vector2(1 + clip.x / clip.w, 1 - clip.y / clip.w) / 2 * viewportSize
    }

    /// The ray from the camera through a point of the view, in the world, with unit direction.
    ///
    /// - Parameter point: A point of the view in the units of `viewportSize`, right and down from the upper left corner.
    public func ray(through point: Vector2, orientation: InterfaceOrientation, viewportSize: Vector2) -> Ray {
        let pixel = fit(orientation, viewportSize).viewFromImage.inverse.transform(point: point / viewportSize) * imageResolution
        let k = intrinsics
        let direction = Vector3((pixel.x - k.z.x) / k.x.x, -(pixel.y - k.z.y) / k.y.y, -1)
        return Ray(origin: transform.translation, direction: normalize(transform.transform(direction: direction)))
    }

    /// Unprojects a point of the view onto a plane.
    ///
    /// - Parameters:
    ///   - point: A projected point as `projectPoint` returns it.
    ///   - planeTransform: The transform from the plane's frame to the world: x and z lie in the plane, y is its normal, as of an
    ///     `ARPlaneAnchor`.
    /// - Returns: nil if the plane is not in front of the camera there.
    public func unprojectPoint(
        _ point: Vector2, ontoPlane planeTransform: Matrix4, orientation: InterfaceOrientation, viewportSize: Vector2
    ) -> Vector3? {
        let ray = ray(through: point, orientation: orientation, viewportSize: viewportSize)
        let normal = normalize(planeTransform.y.xyz)
        let distance = dot(normal, planeTransform.translation - ray.origin) / dot(normal, ray.direction)
        guard distance.isFinite, distance > 0 else { return nil }
        return ray.origin + ray.direction * distance
    }
}
