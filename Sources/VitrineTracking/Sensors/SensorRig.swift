import VitrineVision

/// A camera and an IMU fixed to each other, with their calibration.
@frozen public struct SensorRig: Equatable, Sendable {
    /// The camera's intrinsics, for the images that the tracker receives.
    public var camera: CameraIntrinsics
    /// The camera's frame (x right, y down, z forward) from the IMU's.
    public var cameraFromBody: RigidTransform
    /// Seconds to add to a frame's time stamp to get the IMU's clock: negative if the stamp is late.
    public var timeOffset: Double
    /// The noise of the IMU.
    public var noise: InertialNoise
    /// Whether the device has an IMU.
    public var hasInertialUnit: Bool

    /// Creates a rig.
    /// - Parameters:
    ///   - camera: The camera's intrinsics.
    ///   - cameraFromBody: The camera's frame from the IMU's. Default: the same frame.
    ///   - timeOffset: Seconds to add to a frame's time stamp to get the IMU's clock.
    ///   - noise: The noise of the IMU. Default: a telephone's.
    ///   - hasInertialUnit: Whether the device has an IMU.
    public init(
        camera: CameraIntrinsics, cameraFromBody: RigidTransform = .identity, timeOffset: Double = 0,
        noise: InertialNoise = InertialNoise(),
        hasInertialUnit: Bool = true
    ) {
        (self.camera, self.cameraFromBody, self.timeOffset) = (camera, cameraFromBody, timeOffset)
        (self.noise, self.hasInertialUnit) = (noise, hasInertialUnit)
    }
}
