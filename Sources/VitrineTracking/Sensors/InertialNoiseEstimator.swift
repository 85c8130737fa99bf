import VitrineMath
import VitrineVision

/// Measures the white noise of an IMU in motion.
///
/// The third difference of equidistant samples removes motion up to a parabola over four samples and leaves twenty times the variance of white
/// noise. Two series are measured, and the one with less noise counts:
///
/// - The samples themselves. Vibration, for example of a motor, is most of their noise, but it cancels between frames: its integral is bounded.
/// - Means over a fortieth of a second, in which the vibration cancels, but not the part of it that sampling moves to low frequencies. The
///   motion of a hand is larger than the noise there.
struct InertialNoiseEstimator: Sendable {
    private var samples = ThirdDifferences(), means = ThirdDifferences()
    /// The samples of the mean that is not complete yet: their number, sums, and the time of the first and the last one.
    private var block: (count: Double, turn: Vector3d, force: Vector3d, start: Double, end: Double)?

    /// The time constant of the average, the minimum duration, the gap that interrupts a series, and the duration of a mean, in seconds.
    private static let memory = 1.0, minimumDuration = 0.2, maximumGap = 0.05, blockDuration = 0.025
    /// Upper limits of the estimate, rad/s/√Hz and m/s²/√Hz.
    private static let maximumGyroscope = 0.005, maximumAccelerometer = 0.1

    mutating func add(_ sample: InertialSample) {
        samples.add(sample)
        guard var open = block, sample.time - open.end < Self.maximumGap, sample.time - open.start < Self.blockDuration - 1e-6 else {
            if let block {
                let middle = (block.start + block.end) / 2
                means.add(InertialSample(time: middle, angularVelocity: block.turn / block.count, acceleration: block.force / block.count))
            }
            block = (1, sample.angularVelocity, sample.acceleration, sample.time, sample.time)
            return
        }
        open.count += 1
        open.turn += sample.angularVelocity
        open.force += sample.acceleration
        open.end = sample.time
        block = open
    }

    /// The measured noise, but at least `stated`.
    func noise(atLeast stated: InertialNoise) -> InertialNoise {
        guard samples.duration > Self.minimumDuration else { return stated }
        var density = samples.density
        if means.duration > Self.minimumDuration { density = density.replacing(with: means.density, where: means.density .< density) }
        var noise = stated
        noise.gyroscope = max(stated.gyroscope, min(density.x, Self.maximumGyroscope))
        noise.accelerometer = max(stated.accelerometer, min(density.y, Self.maximumAccelerometer))
        return noise
    }

    /// The noise of a series of readings.
    private struct ThirdDifferences: Sendable {
        /// Variance of a reading's noise per component over about the last second: (rad/s)² and (m/s²)².
        private var variance = SIMD2<Double>()
        /// Mean seconds between two readings; total seconds of readings used.
        private var interval = 0.0
        private(set) var duration = 0.0
        private var last: [InertialSample] = []

        /// The density of white noise, rad/s/√Hz and m/s²/√Hz.
        var density: SIMD2<Double> { (variance * interval).squareRoot() }

        mutating func add(_ reading: InertialSample) {
            if let previous = last.last, !(reading.time - previous.time < InertialNoiseEstimator.maximumGap) {
                last.removeAll(keepingCapacity: true)
            }
            last.append(reading)
            guard last.count == 4 else { return }
            measure((reading.time - last[0].time) / 3)
            last.removeFirst()
        }

        private mutating func measure(_ step: Double) {
            // A missing sample is not noise.
            guard (1..<4).allSatisfy({ abs(last[$0].time - last[$0 - 1].time - step) < 0.5 * step }) else { return }
            let turn = last[3].angularVelocity - last[0].angularVelocity + (last[1].angularVelocity - last[2].angularVelocity) * 3
            let force = last[3].acceleration - last[0].acceleration + (last[1].acceleration - last[2].acceleration) * 3
            duration += step
            // A mean at first, then an exponential average. 60: twenty times the variance, three components.
            let share = step / min(duration, InertialNoiseEstimator.memory)
            variance += share * (SIMD2(lengthSquared(turn), lengthSquared(force)) / 60 - variance)
            interval += share * (step - interval)
        }
    }
}
