import VitrineVision

/// A camera and an IMU fixed to one another: what a tracker has to know about a device.
@frozen public struct SensorRig: Equatable, Sendable {
    public var camera: CameraIntrinsics
    /// The camera's axes (x right, y down, z forward) from the IMU's.
    public var cameraFromBody: RigidTransform
    /// Seconds to add to a picture's time stamp to have the IMU's clock: negative where the stamp is late.
    public var timeOffset: Double
    public var noise: InertialNoise
    /// Whether there is an IMU at all.
    public var hasInertialUnit: Bool

    public init(
        camera: CameraIntrinsics, cameraFromBody: RigidTransform = .identity, timeOffset: Double = 0, noise: InertialNoise = InertialNoise(),
        hasInertialUnit: Bool = true
    ) {
        (self.camera, self.cameraFromBody, self.timeOffset) = (camera, cameraFromBody, timeOffset)
        (self.noise, self.hasInertialUnit) = (noise, hasInertialUnit)
    }
}
