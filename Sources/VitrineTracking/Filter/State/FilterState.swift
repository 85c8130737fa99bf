import VitrineVision

/// Where the body, the IMU, is and how it moves.
@frozen public struct FilterState: Equatable, Sendable {
    /// Seconds on the IMU's clock.
    public var time: Double
    /// The IMU's axes in the world, metres.
    public var worldFromBody: RigidTransform
    /// m/s in the world.
    public var velocity: Vector3d
    /// rad/s in the body: what the gyroscope says at rest.
    public var gyroscopeBias: Vector3d
    /// m/s² in the body: what the accelerometer says too much.
    public var accelerometerBias: Vector3d

    public init(
        time: Double, worldFromBody: RigidTransform = .identity, velocity: Vector3d = .zero, gyroscopeBias: Vector3d = .zero,
        accelerometerBias: Vector3d = .zero
    ) {
        (self.time, self.worldFromBody, self.velocity) = (time, worldFromBody, velocity)
        (self.gyroscopeBias, self.accelerometerBias) = (gyroscopeBias, accelerometerBias)
    }

    var isFinite: Bool {
        let sum =
            worldFromBody.translation + worldFromBody.rotation.x + worldFromBody.rotation.y + worldFromBody.rotation.z + velocity
            + gyroscopeBias + accelerometerBias
        return time.isFinite && sum.x.isFinite && sum.y.isFinite && sum.z.isFinite
    }
}
