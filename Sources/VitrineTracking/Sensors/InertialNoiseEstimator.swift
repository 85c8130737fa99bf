import VitrineMath
import VitrineVision

/// Measures the noise of an IMU in motion, as far as it matters for integration.
///
/// The third difference of equidistant samples removes motion up to a parabola over four samples and leaves twenty times the variance of white
/// noise. Vibration of a motor is no white noise: it nearly cancels in an integral. Differences of means over two and four samples therefore
/// measure the noise at lower frequencies, and the least of the three densities counts: for white noise they agree, and motion only increases
/// them.
struct InertialNoiseEstimator: Sendable {
    /// Third differences of means over some samples.
    private struct Scale: Sendable {
        let count: Int
        /// Variance of a mean per component over about the last second: (rad/s)² and (m/s²)². Mean seconds between means.
        private(set) var gyroscope = 0.0, accelerometer = 0.0, interval = 0.0
        private var sum = (count: 0, rate: Vector3d.zero, force: Vector3d.zero)
        private var means: [(rate: Vector3d, force: Vector3d)] = []

        init(count: Int) { self.count = count }

        mutating func restart() {
            sum = (0, .zero, .zero)
            means.removeAll(keepingCapacity: true)
        }

        mutating func add(_ sample: InertialSample, step: Double, share: Double) {
            sum = (sum.count + 1, sum.rate + sample.angularVelocity, sum.force + sample.acceleration)
            guard sum.count == count else { return }
            means.append((sum.rate / Double(count), sum.force / Double(count)))
            sum = (0, .zero, .zero)
            guard means.count == 4 else { return }
            let rate = means[3].rate - means[0].rate + (means[1].rate - means[2].rate) * 3
            let force = means[3].force - means[0].force + (means[1].force - means[2].force) * 3
            means.removeFirst()
            // Twenty times the variance, three components.
            let part = min(1, share * Double(count))
            gyroscope += part * (lengthSquared(rate) / 60 - gyroscope)
            accelerometer += part * (lengthSquared(force) / 60 - accelerometer)
            interval += part * (step * Double(count) - interval)
        }

        /// Squared densities; nil before the first measurement.
        var densities: (gyroscope: Double, accelerometer: Double)? {
            interval > 0 ? (gyroscope * interval, accelerometer * interval) : nil
        }
    }

    private var scales = [Scale(count: 1), Scale(count: 2), Scale(count: 4)]
    /// Total seconds of samples used.
    private var duration = 0.0
    private var last: Double?
    /// The typical time between two samples.
    private var interval = 0.0

    /// Seconds: time constant of the average, minimum duration, and the gap that interrupts a series.
    private static let memory = 1.0, minimumDuration = 0.2, maximumGap = 0.05
    /// Upper limits of the estimate, rad/s/√Hz and m/s²/√Hz.
    private static let maximumGyroscope = 0.005, maximumAccelerometer = 0.1

    mutating func add(_ sample: InertialSample) {
        guard let previous = last, sample.time - previous < Self.maximumGap else {
            for index in scales.indices { scales[index].restart() }
            last = sample.time
            return
        }
        let step = sample.time - previous
        last = sample.time
        // A missing sample is not noise.
        if interval > 0, abs(step - interval) > 0.5 * interval {
            for index in scales.indices { scales[index].restart() }
        }
        interval += (step - interval) * (interval > 0 ? 0.05 : 1)
        duration += step
        let share = step / min(duration, Self.memory)
        for index in scales.indices { scales[index].add(sample, step: step, share: share) }
    }

    /// The measured noise, but at least `stated`.
    func noise(atLeast stated: InertialNoise) -> InertialNoise {
        guard duration > Self.minimumDuration else { return stated }
        var (gyroscope, accelerometer) = (Double.infinity, Double.infinity)
        for scale in scales {
            guard let densities = scale.densities else { continue }
            (gyroscope, accelerometer) = (min(gyroscope, densities.gyroscope), min(accelerometer, densities.accelerometer))
        }
        guard gyroscope.isFinite else { return stated }
        var noise = stated
        noise.gyroscope = max(stated.gyroscope, min(gyroscope.squareRoot(), Self.maximumGyroscope))
        noise.accelerometer = max(stated.accelerometer, min(accelerometer.squareRoot(), Self.maximumAccelerometer))
        return noise
    }
}
