import VitrineMath
import VitrineVision

/// What an IMU would read along a motion: gravity, white noise, and biases that walk.
public struct InertialSimulator: Equatable, Sendable {
    /// m/s² in the world.
    public static let gravity = Vector3d(0, -9.81, 0)

    /// Readings, and the truth behind them.
    public struct Recording: Equatable, Sendable {
        public var samples: [InertialSample] = []
        /// rad/s, one for every sample.
        public var gyroscopeBiases: [Vector3d] = []
        /// m/s², one for every sample.
        public var accelerometerBiases: [Vector3d] = []
    }

    /// In 1/s.
    public var rate: Double
    /// nil for a perfect IMU, but for its bias.
    public var noise: InertialNoise?
    /// At the start: rad/s.
    public var gyroscopeBias: Vector3d
    /// At the start: m/s².
    public var accelerometerBias: Vector3d
    public var seed: UInt64

    public init(
        rate: Double = 200, noise: InertialNoise? = InertialNoise(), gyroscopeBias: Vector3d = .zero, accelerometerBias: Vector3d = .zero,
        seed: UInt64 = 1
    ) {
        (self.rate, self.noise, self.seed) = (rate, noise, seed)
        (self.gyroscopeBias, self.accelerometerBias) = (gyroscopeBias, accelerometerBias)
    }

    /// Samples at even times from the spline's start to its end.
    public func record(_ spline: TrajectorySpline) -> Recording {
        let count = Int(spline.duration * rate + 1e-9) + 1
        var random = NormalNumbers(seed: seed)
        var (recording, gyroscope, accelerometer) = (Recording(), gyroscopeBias, accelerometerBias)
        recording.samples.reserveCapacity(count)
        // A density in continuous time is worth √rate in a sample, and √(1/rate) in a sample's step of a walk.
        let (white, walk) = (rate.squareRoot(), (1 / rate).squareRoot())
        for i in 0..<count {
            var sample = Self.reading(spline.motion(at: spline.start + Double(i) / rate))
            sample.time = spline.start + Double(i) / rate
            sample.angularVelocity += gyroscope
            sample.acceleration += accelerometer
            recording.gyroscopeBiases.append(gyroscope)
            recording.accelerometerBiases.append(accelerometer)
            if let noise {
                sample.angularVelocity += random.vector() * (noise.gyroscope * white)
                sample.acceleration += random.vector() * (noise.accelerometer * white)
                gyroscope += random.vector() * (noise.gyroscopeWalk * walk)
                accelerometer += random.vector() * (noise.accelerometerWalk * walk)
            }
            recording.samples.append(sample)
        }
        return recording
    }

    /// What a perfect IMU reads at a moment: the specific force in the body's axes, +9.81 upwards at rest.
    public static func reading(_ motion: TrajectorySpline.Motion) -> InertialSample {
        InertialSample(
            time: motion.time, angularVelocity: motion.angularVelocity,
            acceleration: motion.worldFromBody.rotation.transpose * (motion.acceleration - gravity))
    }
}
