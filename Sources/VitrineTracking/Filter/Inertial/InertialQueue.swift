import VitrineMath
import VitrineVision

/// Inertial samples that wait for a picture, in the order of time.
struct InertialQueue {
    private(set) var samples: [InertialSample] = []
    /// Those that weren't finite, were beyond what sensors can say, or did not move time on.
    private(set) var passedOver = 0
    /// A sample far ahead of the others: a wrong stamp, unless the next one goes on from there.
    private var leap: InertialSample?

    /// Seconds between samples from which on a stamp needs a witness.
    private static let doubtfulGap = 2.0
    /// At most so many wait, four minutes at 1 kHz: a picture that never comes mustn't fill the memory.
    private static let most = 240_000

    mutating func add(_ sample: InertialSample) {
        guard sample.isFinite, lengthSquared(sample.angularVelocity) < 1e4, lengthSquared(sample.acceleration) < 1e6 else {
            passedOver += 1
            return
        }
        guard let last = samples.last else {
            samples.append(sample)
            return
        }
        guard sample.time > last.time else {
            passedOver += 1
            return
        }
        guard sample.time - last.time > Self.doubtfulGap else {
            if leap != nil { passedOver += 1 }
            leap = nil
            append(sample)
            return
        }
        if let first = leap, sample.time > first.time, sample.time - first.time < Self.doubtfulGap {
            leap = nil
            append(first)
            append(sample)
        } else {
            if leap != nil { passedOver += 1 }
            leap = sample
        }
    }

    private mutating func append(_ sample: InertialSample) {
        if samples.count >= Self.most { samples.removeFirst(Self.most / 4) }
        samples.append(sample)
    }

    /// The samples between two times, with both ends worked out: in between two samples by a straight line, beyond them by the last one.
    func span(from start: Double, to end: Double) -> [InertialSample] {
        guard !samples.isEmpty, end > start else { return [] }
        var result = [sample(at: start)]
        for index in firstIndex(after: start)..<samples.count {
            guard samples[index].time < end else { break }
            result.append(samples[index])
        }
        result.append(sample(at: end))
        return result
    }

    /// What the IMU would have said at `time`. There has to be a sample.
    func sample(at time: Double) -> InertialSample {
        let next = firstIndex(after: time)
        guard next > 0, next < samples.count else {
            var held = samples[next > 0 ? samples.count - 1 : 0]
            held.time = time
            return held
        }
        let (a, b) = (samples[next - 1], samples[next])
        let share = (time - a.time) / (b.time - a.time)
        return InertialSample(
            time: time, angularVelocity: a.angularVelocity + (b.angularVelocity - a.angularVelocity) * share,
            acceleration: a.acceleration + (b.acceleration - a.acceleration) * share)
    }

    private func firstIndex(after time: Double) -> Int {
        var (low, high) = (0, samples.count)
        while low < high {
            let middle = (low + high) / 2
            if samples[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Drops what lies before `time`, but for the last sample before it, and one more: the camera's clock is found out meanwhile.
    mutating func forget(before time: Double) {
        let keep = firstIndex(after: time) - 2
        if keep > 0 { samples.removeFirst(keep) }
    }
}
