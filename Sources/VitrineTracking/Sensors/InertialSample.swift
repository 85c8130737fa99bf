import VitrineVision

/// A reading of an inertial measurement unit (IMU), on the IMU's axes (the body frame).
@frozen public struct InertialSample: Equatable, Sendable {
    /// The time in seconds on the IMU's clock, which is the reference for all times.
    public var time: Double
    /// The gyroscope's reading, rad/s, right-handed about the body's axes.
    public var angularVelocity: Vector3d
    /// The accelerometer's reading, m/s²: the specific force, +9.81 upwards at rest.
    public var acceleration: Vector3d

    /// Creates a sample; see the properties for units and axes.
    @inlinable public init(time: Double, angularVelocity: Vector3d, acceleration: Vector3d) {
        (self.time, self.angularVelocity, self.acceleration) = (time, angularVelocity, acceleration)
    }

    /// Whether every number is finite.
    @inlinable public var isFinite: Bool {
        let sum = angularVelocity + acceleration
        return time.isFinite && sum.x.isFinite && sum.y.isFinite && sum.z.isFinite
    }
}

/// The noise model of an IMU: continuous-time densities of white noise and of the biases' random walks.
@frozen public struct InertialNoise: Equatable, Sendable {
    /// The white noise of the gyroscope, rad/s/√Hz.
    public var gyroscope: Double
    /// The white noise of the accelerometer, m/s²/√Hz.
    public var accelerometer: Double
    /// The random walk of the gyroscope's bias, rad/s²/√Hz.
    public var gyroscopeWalk: Double
    /// The random walk of the accelerometer's bias, m/s³/√Hz.
    public var accelerometerWalk: Double

    /// The defaults suit the sensors of phones, with a margin for unmodelled errors.
    public init(
        gyroscope: Double = 2e-4, accelerometer: Double = 2e-3, gyroscopeWalk: Double = 2e-5, accelerometerWalk: Double = 3e-3
    ) {
        (self.gyroscope, self.accelerometer) = (gyroscope, accelerometer)
        (self.gyroscopeWalk, self.accelerometerWalk) = (gyroscopeWalk, accelerometerWalk)
    }

    /// The values clamped to the range of consumer sensors, up to 400 µg/√Hz and 0.1 °/s/√Hz. Some calibration files inflate them as weights of an
    /// optimizer: with an accelerometer weighted a hundred times too little, the scale becomes too small.
    public var plausible: InertialNoise {
        func clamped(_ value: Double, _ least: Double, _ most: Double) -> Double { value >= least ? min(value, most) : least }
        return InertialNoise(
            gyroscope: clamped(gyroscope, 1e-4, 2e-3), accelerometer: clamped(accelerometer, 5e-4, 4e-3),
            gyroscopeWalk: clamped(gyroscopeWalk, 1e-6, 1e-3), accelerometerWalk: clamped(accelerometerWalk, 1e-5, 5e-3))
    }
}
