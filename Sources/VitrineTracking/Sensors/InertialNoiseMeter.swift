import VitrineMath
import VitrineVision

/// Measures an IMU's white noise while it is carried about.
///
/// Third differences of even samples take away all motion that a parabola follows from one sample to the fourth; of white noise they leave
/// twenty times its variance. What shakes faster than that, as a motor's vibration, counts as noise: a straight line between samples doesn't
/// follow it either.
struct InertialNoiseMeter: Sendable {
    /// Mean squares of a sample's noise by component, over about the last second: (rad/s)² and (m/s²)².
    private var gyroscope = 0.0, accelerometer = 0.0
    /// Seconds between two samples; and seconds of samples that went in.
    private var interval = 0.0, duration = 0.0
    private var last: [InertialSample] = []

    /// In seconds: how long a sample counts; how many are needed; what is no row of samples any more.
    private static let memory = 1.0, least = 0.2, gap = 0.05
    /// rad/s/√Hz and m/s²/√Hz: more than engines make isn't believed.
    private static let mostGyroscope = 0.005, mostAccelerometer = 0.1

    mutating func add(_ sample: InertialSample) {
        if let previous = last.last, !(sample.time - previous.time < Self.gap) { last.removeAll(keepingCapacity: true) }
        last.append(sample)
        guard last.count == 4 else { return }
        measure((sample.time - last[0].time) / 3)
        last.removeFirst()
    }

    private mutating func measure(_ step: Double) {
        // A sample that was left out is no noise.
        guard (1..<4).allSatisfy({ abs(last[$0].time - last[$0 - 1].time - step) < 0.5 * step }) else { return }
        let turn = last[3].angularVelocity - last[0].angularVelocity + (last[1].angularVelocity - last[2].angularVelocity) * 3
        let force = last[3].acceleration - last[0].acceleration + (last[1].acceleration - last[2].acceleration) * 3
        duration += step
        // A mean at first, then one that fades. Twenty times, by three components.
        let share = step / min(duration, Self.memory)
        gyroscope += share * (lengthSquared(turn) / 60 - gyroscope)
        accelerometer += share * (lengthSquared(force) / 60 - accelerometer)
        interval += share * (step - interval)
    }

    /// What to believe of an IMU that is said to have noise of `stated`: no less than is measured.
    func believed(_ stated: InertialNoise) -> InertialNoise {
        guard duration > Self.least else { return stated }
        var noise = stated
        noise.gyroscope = max(stated.gyroscope, min((gyroscope * interval).squareRoot(), Self.mostGyroscope))
        noise.accelerometer = max(stated.accelerometer, min((accelerometer * interval).squareRoot(), Self.mostAccelerometer))
        return noise
    }
}
