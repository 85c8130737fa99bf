import VitrineMath
import VitrineTracking
import VitrineVision

/// The camera as it was when a frame was taken: where it stood, how it maps directions to pixels, and how far that can be believed.
public struct ARCamera: Equatable, Sendable {
    public typealias TrackingState = VitrineTracking.TrackingState

    /// The camera's pose in the session's world, in metres: it looks along its −Z, +X is to the right along the rows of the captured image,
    /// +Y up along its columns. Always rigid and finite; the identity as long as nothing is known.
    public let transform: Matrix4
    /// How far `transform` can be believed, and what stands in the way.
    public let trackingState: TrackingState
    /// The camera with its lens, as it was found out so far: pixels of the captured image, y down, the first pixel's centre at (0.5, 0.5).
    public let model: CameraIntrinsics
    /// Seconds; nil where the source doesn't say.
    public let exposureDuration: Double?

    public init(
        transform: Matrix4 = .identity, trackingState: TrackingState = .normal, model: CameraIntrinsics, exposureDuration: Double? = nil
    ) {
        (self.transform, self.trackingState, self.model) = (transform, trackingState, model)
        self.exposureDuration = exposureDuration
    }

    /// The pinhole part of `model` in pixels: columns (fx, 0, 0), (0, fy, 0), (cx, cy, 1). It takes x right, y down, z forward to pixels;
    /// the lens's distortion is not in it.
    public var intrinsics: Matrix3 {
        let (focal, center) = (Vector2(model.focal), Vector2(model.center))
        return Matrix3(Vector3(focal.x, 0, 0), Vector3(0, focal.y, 0), Vector3(center, 1))
    }

    /// Width and height of the captured image in pixels.
    public var imageResolution: Vector2 { Vector2(Float(model.width), Float(model.height)) }

    /// Pitch, yaw and roll in radians: `transform` turns by z (roll about the view's axis), then x (pitch, positive upwards), then y (yaw about the
    /// world's vertical, positive to the left). Looking straight up or down, roll is 0 and yaw takes the turn.
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
    /// The same camera with another pose or state.
    func with(transform: Matrix4? = nil, trackingState: TrackingState? = nil) -> ARCamera {
        ARCamera(
            transform: transform ?? self.transform, trackingState: trackingState ?? self.trackingState, model: model,
            exposureDuration: exposureDuration)
    }
}
