import VitrineMath
import VitrineVision

/// Simulates the readings of an IMU along a trajectory: gravity, white noise, and biases that follow a random walk.
package struct InertialSimulator: Equatable, Sendable {
    /// The gravity of all simulations: m/s² in the world.
    package static let gravity = Vector3d(0, -9.81, 0)

    /// Readings with their ground truth.
    package struct Recording: Equatable, Sendable {
        /// The simulated samples, with increasing times.
        package var samples: [InertialSample] = []
        /// The gyroscope's bias at each sample, in rad/s.
        package var gyroscopeBiases: [Vector3d] = []
        /// The accelerometer's bias at each sample, in m/s².
        package var accelerometerBiases: [Vector3d] = []
    }

    /// The number of samples per second.
    package var rate: Double
    /// The noise of the IMU; nil simulates an IMU without noise and with constant biases.
    package var noise: InertialNoise?
    /// The initial bias in rad/s.
    package var gyroscopeBias: Vector3d
    /// The initial bias in m/s².
    package var accelerometerBias: Vector3d
    /// The scale and the misalignment of the axes: a reading is this matrix times the true value, plus bias and noise. Default: the
    /// identity.
    package var gyroscopeDistortion = Matrix3d.identity, accelerometerDistortion = Matrix3d.identity
    /// The root mean square of a vibration that only the accelerometer feels, along each axis in m/s², and its mean frequency in Hz. Each axis
    /// has three tones within 15 % of that frequency. Defaults 0 and 85: the rotors of a small drone.
    package var vibration = 0.0, vibrationFrequency = 85.0
    /// The seed of the noise. Default 1.
    package var seed: UInt64

    /// Creates a simulator. Default: 200 samples per second with the noise of a phone.
    package init(
        rate: Double = 200, noise: InertialNoise? = InertialNoise(), gyroscopeBias: Vector3d = .zero, accelerometerBias: Vector3d = .zero,
        seed: UInt64 = 1
    ) {
        (self.rate, self.noise, self.seed) = (rate, noise, seed)
        (self.gyroscopeBias, self.accelerometerBias) = (gyroscopeBias, accelerometerBias)
    }

    /// Distorts both sensors by a random scale and misalignment: each entry of the matrices differs from the identity by a normally distributed
    /// number of this standard deviation, such as 0.01.
    package mutating func distort(by deviation: Double, seed: UInt64) {
        var random = GaussianGenerator(seed: seed &+ 0x51CA1E)
        func matrix() -> Matrix3d {
            var columns: [Vector3d] = []
            for _ in 0..<3 { columns.append(random.vector() * deviation) }
            return Matrix3d.identity + Matrix3d(columns[0], columns[1], columns[2])
        }
        gyroscopeDistortion = matrix()
        accelerometerDistortion = matrix()
    }

    /// Simulates samples at a constant rate from the spline's start to its end.
    package func record(_ spline: TrajectorySpline) -> Recording {
        var recorder = Recorder(self)
        recorder.record(spline)
        return recorder.recording
    }

    /// Simulates the samples of a trajectory that grows.
    package struct Recorder: Sendable {
        /// The samples so far.
        package private(set) var recording = Recording()
        private let simulator: InertialSimulator
        private let shaking: Vibration
        private var random: GaussianGenerator
        private var gyroscope, accelerometer: Vector3d

        /// Creates a recorder without samples.
        package init(_ simulator: InertialSimulator) {
            self.simulator = simulator
            random = GaussianGenerator(seed: simulator.seed)
            shaking = Vibration(amplitude: simulator.vibration, frequency: simulator.vibrationFrequency, seed: simulator.seed)
            (gyroscope, accelerometer) = (simulator.gyroscopeBias, simulator.accelerometerBias)
        }

        /// Appends the samples up to the spline's end.
        package mutating func record(_ spline: TrajectorySpline) {
            let rate = simulator.rate
            let count = Int(spline.duration * rate + 1e-9) + 1
            recording.samples.reserveCapacity(count)
            while recording.samples.count < count {
                add(spline.motion(at: spline.start + Double(recording.samples.count) / rate), spline.start)
            }
        }

        private mutating func add(_ motion: TrajectorySpline.Motion, _ start: Double) {
            let rate = simulator.rate
            var sample = InertialSimulator.reading(motion)
            sample.time = start + Double(recording.samples.count) / rate
            sample.angularVelocity = simulator.gyroscopeDistortion * sample.angularVelocity + gyroscope
            sample.acceleration =
                simulator.accelerometerDistortion * (sample.acceleration + shaking.acceleration(at: sample.time)) + accelerometer
            recording.gyroscopeBiases.append(gyroscope)
            recording.accelerometerBiases.append(accelerometer)
            if let noise = simulator.noise {
                // A continuous-time noise density is scaled by √rate for a sample, and by √(1/rate) for a step of a random walk.
                let (white, walk) = (rate.squareRoot(), (1 / rate).squareRoot())
                sample.angularVelocity += random.vector() * (noise.gyroscope * white)
                sample.acceleration += random.vector() * (noise.accelerometer * white)
                gyroscope += random.vector() * (noise.gyroscopeWalk * walk)
                accelerometer += random.vector() * (noise.accelerometerWalk * walk)
            }
            recording.samples.append(sample)
        }
    }

    /// The reading of an ideal IMU: angular velocity, and the specific force in the body's axes (+9.81 m/s² upwards at rest).
    package static func reading(_ motion: TrajectorySpline.Motion) -> InertialSample {
        InertialSample(
            time: motion.time, angularVelocity: motion.angularVelocity,
            acceleration: motion.worldFromBody.rotation.transpose * (motion.acceleration - gravity))
    }
}

/// Three tones along each axis, of fixed frequencies and phases.
private struct Vibration: Sendable {
    private let tones: [(frequency: Vector3d, phase: Vector3d)]
    private let amplitude: Double

    init(amplitude: Double, frequency: Double, seed: UInt64) {
        self.amplitude = amplitude
        var random = GaussianGenerator(seed: seed &+ 0x717B)
        func uniform() -> Vector3d {
            let x = random.uniform()
            let y = random.uniform()
            return Vector3d(x, y, random.uniform())
        }
        var tones: [(frequency: Vector3d, phase: Vector3d)] = []
        if amplitude > 0 {
            for _ in 0..<3 {
                let share: Vector3d = uniform() * 0.3
                let tone: Vector3d = (share + 0.85) * frequency
                tones.append((tone, uniform()))
            }
        }
        self.tones = tones
    }

    func acceleration(at time: Double) -> Vector3d {
        var sum = Vector3d.zero
        for tone in tones {
            for k in 0..<3 {
                let turns: Double = tone.frequency[k] * time + tone.phase[k]
                sum[k] += sin(2 * Double.pi * turns)
            }
        }
        // Three tones of amplitude a have a root mean square of a √1.5.
        return sum * (amplitude / 1.5.squareRoot())
    }
}
