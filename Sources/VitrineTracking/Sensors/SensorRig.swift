import VitrineVision

/// A camera and an IMU fixed to each other, with their calibration.
@frozen public struct SensorRig: Equatable, Sendable {
    /// The camera's intrinsics, for the images that the tracker receives.
    public var camera: CameraIntrinsics
    /// The camera's frame (x right, y down, z forward) from the IMU's.
    public var cameraFromBody: RigidTransform
    /// The number of seconds to add to a frame's time stamp to get the IMU's clock: negative if the stamp is late.
    public var timeOffset: Double
    /// The noise of the IMU.
    public var noise: InertialNoise
    /// Whether the device has an IMU.
    public var hasInertialUnit: Bool
    /// The readout time of a rolling shutter: seconds from the exposure of the first row to that of the last; 0 for a global shutter. A
    /// frame's time is that of its middle row.
    public var readoutTime: Double
    /// Corrections of scale, axis misalignment and mounting, from the calibration of the IMU: the angular velocity is `gyroscopeCorrection` × reading
    /// − bias, the specific force `accelerometerCorrection` × reading − bias. Default: the identity.
    public var gyroscopeCorrection = Matrix3d.identity, accelerometerCorrection = Matrix3d.identity

    /// The second camera of a stereo pair, which exposes the same rows at the same time; nil for one camera.
    public var secondCamera: CameraIntrinsics?
    /// The second camera's frame from the first camera's.
    public var secondFromCamera = RigidTransform.identity

    /// Creates a rig.
    /// - Parameters:
    ///   - camera: The camera's intrinsics.
    ///   - cameraFromBody: The camera's frame from the IMU's. Default: the same frame.
    ///   - timeOffset: Seconds to add to a frame's time stamp to get the IMU's clock.
    ///   - noise: The noise of the IMU. Default: a telephone's.
    ///   - hasInertialUnit: Whether the device has an IMU.
    ///   - readoutTime: Seconds from the exposure of the first row to that of the last. Default: 0, a global shutter.
    public init(
        camera: CameraIntrinsics, cameraFromBody: RigidTransform = .identity, timeOffset: Double = 0,
        noise: InertialNoise = InertialNoise(),
        hasInertialUnit: Bool = true, readoutTime: Double = 0
    ) {
        (self.camera, self.cameraFromBody, self.timeOffset) = (camera, cameraFromBody, timeOffset)
        (self.noise, self.hasInertialUnit, self.readoutTime) = (noise, hasInertialUnit, readoutTime)
    }
}
