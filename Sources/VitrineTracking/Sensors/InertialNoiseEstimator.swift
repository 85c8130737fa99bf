import VitrineMath
import VitrineVision

/// Measures the white noise of an IMU in motion.
///
/// The third difference of equidistant samples removes motion up to a parabola over four samples and leaves twenty times the variance of white
/// noise. Faster vibration, for example of a motor, counts as noise: linear interpolation between samples does not follow it either.
struct InertialNoiseEstimator: Sendable {
    /// Variance of a sample's noise per component over about the last second: (rad/s)² and (m/s²)².
    private var gyroscope = 0.0, accelerometer = 0.0
    /// Mean seconds between two samples; total seconds of samples used.
    private var interval = 0.0, duration = 0.0
    private var last: [InertialSample] = []

    /// The time constant of the average, the minimum duration, and the gap that interrupts a series, in seconds.
    private static let memory = 1.0, minimumDuration = 0.2, maximumGap = 0.05
    /// Upper limits of the estimate, rad/s/√Hz and m/s²/√Hz.
    private static let maximumGyroscope = 0.005, maximumAccelerometer = 0.1

    mutating func add(_ sample: InertialSample) {
        if let previous = last.last, !(sample.time - previous.time < Self.maximumGap) { last.removeAll(keepingCapacity: true) }
        last.append(sample)
        guard last.count == 4 else { return }
        measure((sample.time - last[0].time) / 3)
        last.removeFirst()
    }

    private mutating func measure(_ step: Double) {
        // A missing sample is not noise.
        guard (1..<4).allSatisfy({ abs(last[$0].time - last[$0 - 1].time - step) < 0.5 * step }) else { return }
        let turn = last[3].angularVelocity - last[0].angularVelocity + (last[1].angularVelocity - last[2].angularVelocity) * 3
        let force = last[3].acceleration - last[0].acceleration + (last[1].acceleration - last[2].acceleration) * 3
        duration += step
        // A mean at first, then an exponential average. 60: twenty times the variance, three components.
        let share = step / min(duration, Self.memory)
        gyroscope += share * (lengthSquared(turn) / 60 - gyroscope)
        accelerometer += share * (lengthSquared(force) / 60 - accelerometer)
        interval += share * (step - interval)
    }

    /// The measured noise, but at least `stated`.
    func noise(atLeast stated: InertialNoise) -> InertialNoise {
        guard duration > Self.minimumDuration else { return stated }
        var noise = stated
        noise.gyroscope = max(stated.gyroscope, min((gyroscope * interval).squareRoot(), Self.maximumGyroscope))
        noise.accelerometer = max(stated.accelerometer, min((accelerometer * interval).squareRoot(), Self.maximumAccelerometer))
        return noise
    }
}
