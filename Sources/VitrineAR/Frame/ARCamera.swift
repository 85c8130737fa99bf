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
    /// In seconds; nil if the source does not provide it.
    public let exposureDuration: Double?

    /// Makes a camera. Defaults: at the origin, tracking state normal.
    public init(
        transform: Matrix4 = .identity, trackingState: TrackingState = .normal, model: CameraIntrinsics, exposureDuration: Double? = nil
    ) {
        (self.transform, self.trackingState, self.model) = (transform, trackingState, model)
        self.exposureDuration = exposureDuration
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
    /// A copy with another pose or state.
    func with(transform: Matrix4? = nil, trackingState: TrackingState? = nil) -> ARCamera {
        ARCamera(
            transform: transform ?? self.transform, trackingState: trackingState ?? self.trackingState, model: model,
            exposureDuration: exposureDuration)
    }
}
