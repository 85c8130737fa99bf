import VitrineMath
import VitrineVision

/// Inertial samples that wait for a frame, in the order of time.
struct InertialQueue {
    private(set) var samples: [InertialSample] = []
    /// Number of samples that were out of order, not finite or out of range.
    private(set) var skipped = 0
    /// A sample after a long gap, which waits for confirmation by the next one.
    private var candidate: InertialSample?

    /// Seconds after which a sample needs confirmation.
    private static let longGap = 2.0
    /// Maximum number of samples: four minutes at 1 kHz.
    private static let capacity = 240_000

    mutating func add(_ sample: InertialSample) {
        guard sample.isFinite, lengthSquared(sample.angularVelocity) < 1e4, lengthSquared(sample.acceleration) < 1e6 else {
            skipped += 1
            return
        }
        guard let last = samples.last else {
            samples.append(sample)
            return
        }
        guard sample.time > last.time else {
            skipped += 1
            return
        }
        guard sample.time - last.time > Self.longGap else {
            if candidate != nil { skipped += 1 }
            candidate = nil
            append(sample)
            return
        }
        if let first = candidate, sample.time > first.time, sample.time - first.time < Self.longGap {
            candidate = nil
            append(first)
            append(sample)
        } else {
            if candidate != nil { skipped += 1 }
            candidate = sample
        }
    }

    private mutating func append(_ sample: InertialSample) {
        if samples.count >= Self.capacity { samples.removeFirst(Self.capacity / 4) }
        samples.append(sample)
    }

    /// The samples between two times, with both ends interpolated; beyond the samples the last one is repeated.
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

    /// The interpolated reading at `time`. The queue must not be empty.
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

    /// Drops samples before `time` except the last two, since the estimate of the camera's clock may change.
    mutating func drop(before time: Double) {
        let keep = firstIndex(after: time) - 2
        if keep > 0 { samples.removeFirst(keep) }
    }
}
