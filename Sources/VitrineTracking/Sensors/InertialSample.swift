import VitrineVision

/// One reading of an inertial measurement unit (IMU), in the IMU's own axes, the "body".
@frozen public struct InertialSample: Equatable, Sendable {
    /// Seconds on the IMU's clock, the clock that everything else is brought to.
    public var time: Double
    /// The gyroscope's reading in rad/s, right-handed about the body's axes.
    public var angularVelocity: Vector3d
    /// The accelerometer's reading in m/s²: the specific force, +9.81 upwards at rest.
    public var acceleration: Vector3d

    @inlinable public init(time: Double, angularVelocity: Vector3d, acceleration: Vector3d) {
        (self.time, self.angularVelocity, self.acceleration) = (time, angularVelocity, acceleration)
    }

    /// Whether every number is finite.
    @inlinable public var isFinite: Bool {
        let sum = angularVelocity + acceleration
        return time.isFinite && sum.x.isFinite && sum.y.isFinite && sum.z.isFinite
    }
}

/// How noisy an IMU is: densities of white noise, and of the biases' random walks, in continuous time, as calibration files give them.
@frozen public struct InertialNoise: Equatable, Sendable {
    /// rad/s/√Hz.
    public var gyroscope: Double
    /// m/s²/√Hz.
    public var accelerometer: Double
    /// rad/s²/√Hz.
    public var gyroscopeWalk: Double
    /// m/s³/√Hz.
    public var accelerometerWalk: Double

    /// The defaults suit the sensors in phones, with some room for what a model leaves out.
    public init(
        gyroscope: Double = 2e-4, accelerometer: Double = 2e-3, gyroscopeWalk: Double = 2e-5, accelerometerWalk: Double = 3e-3
    ) {
        (self.gyroscope, self.accelerometer) = (gyroscope, accelerometer)
        (self.gyroscopeWalk, self.accelerometerWalk) = (gyroscopeWalk, accelerometerWalk)
    }

    /// The same within what sensors of phones and cameras have, up to 400 µg/√Hz and 0.1 °/s/√Hz. Calibration files are often written for an
    /// optimizer's weights: with an accelerometer that is believed a hundred times too little, everything comes out too small.
    public var plausible: InertialNoise {
        func held(_ value: Double, _ least: Double, _ most: Double) -> Double { value >= least ? min(value, most) : least }
        return InertialNoise(
            gyroscope: held(gyroscope, 1e-4, 2e-3), accelerometer: held(accelerometer, 5e-4, 4e-3),
            gyroscopeWalk: held(gyroscopeWalk, 1e-6, 1e-3), accelerometerWalk: held(accelerometerWalk, 1e-5, 5e-3))
    }
}
