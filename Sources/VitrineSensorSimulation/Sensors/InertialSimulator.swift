import VitrineMath
import VitrineVision

/// Simulates the readings of an IMU along a trajectory: gravity, white noise, and biases that follow a random walk.
package struct InertialSimulator: Equatable, Sendable {
    /// The gravity of all simulations: m/s² in the world.
    package static let gravity = Vector3d(0, -9.81, 0)

    /// Readings with their ground truth.
    package struct Recording: Equatable, Sendable {
        /// With increasing times.
        package var samples: [InertialSample] = []
        /// rad/s, one for every sample.
        package var gyroscopeBiases: [Vector3d] = []
        /// m/s², one for every sample.
        package var accelerometerBiases: [Vector3d] = []
    }

    /// Samples per second.
    package var rate: Double
    /// nil simulates an IMU without noise and with constant biases.
    package var noise: InertialNoise?
    /// The initial bias in rad/s.
    package var gyroscopeBias: Vector3d
    /// The initial bias in m/s².
    package var accelerometerBias: Vector3d
    /// The seed of the noise. Default 1.
    package var seed: UInt64

    /// Makes a simulator. Default: 200 samples per second with the noise of a phone.
    package init(
        rate: Double = 200, noise: InertialNoise? = InertialNoise(), gyroscopeBias: Vector3d = .zero, accelerometerBias: Vector3d = .zero,
        seed: UInt64 = 1
    ) {
        (self.rate, self.noise, self.seed) = (rate, noise, seed)
        (self.gyroscopeBias, self.accelerometerBias) = (gyroscopeBias, accelerometerBias)
    }

    /// Simulates samples at a constant rate from the spline's start to its end.
    package func record(_ spline: TrajectorySpline) -> Recording {
        let count = Int(spline.duration * rate + 1e-9) + 1
        var random = GaussianGenerator(seed: seed)
        var (recording, gyroscope, accelerometer) = (Recording(), gyroscopeBias, accelerometerBias)
        recording.samples.reserveCapacity(count)
        // A continuous-time noise density is scaled by √rate for a sample, and by √(1/rate) for a step of a random walk.
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

    /// The reading of an ideal IMU: angular velocity, and the specific force in the body's axes (+9.81 m/s² upwards at rest).
    package static func reading(_ motion: TrajectorySpline.Motion) -> InertialSample {
        InertialSample(
            time: motion.time, angularVelocity: motion.angularVelocity,
            acceleration: motion.worldFromBody.rotation.transpose * (motion.acceleration - gravity))
    }
}
