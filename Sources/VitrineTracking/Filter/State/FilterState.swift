import VitrineVision

/// The motion state of the body (the IMU) and its biases.
package struct FilterState: Equatable, Sendable {
    /// The time in seconds on the IMU's clock.
    package var time: Double
    /// The pose of the IMU in the world, metres.
    package var worldFromBody: RigidTransform
    /// The velocity in the world, m/s.
    package var velocity: Vector3d
    /// The bias of the gyroscope in the body frame, rad/s.
    package var gyroscopeBias: Vector3d
    /// The bias of the accelerometer in the body frame, m/s².
    package var accelerometerBias: Vector3d

    package init(
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
