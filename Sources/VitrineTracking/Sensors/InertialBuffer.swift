import VitrineMath
import VitrineVision

/// Inertial samples in the order of time, with interpolation.
struct InertialBuffer: Sendable {
    private(set) var samples: [InertialSample] = []
    /// Maximum number of samples: four minutes at 1 kHz.
    private static let capacity = 240_000

    var first: InertialSample? { samples.first }
    var last: InertialSample? { samples.last }

    /// Appends a sample.
    ///
    /// - Returns: false if the sample is out of order or not finite; it is not added then.
    mutating func append(_ sample: InertialSample) -> Bool {
        guard sample.isFinite else { return false }
        if let last, sample.time <= last.time { return false }
        if samples.count >= Self.capacity { samples.removeFirst(Self.capacity / 4) }
        samples.append(sample)
        return true
    }

    /// Drops old samples in large batches. Keeps at least one sample at or before `time`, for interpolation.
    mutating func drop(before time: Double) {
        let keep = firstIndex(after: time) - 1
        if keep > 256 { samples.removeFirst(keep) }
    }

    mutating func removeAll() { samples.removeAll(keepingCapacity: true) }

    /// Index of the first sample later than `time`, or `samples.count`.
    func firstIndex(after time: Double) -> Int {
        var (low, high) = (0, samples.count)
        while low < high {
            let middle = (low + high) / 2
            if samples[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The reading at `time`, interpolated; outside the measured range the nearest one. nil if the buffer is empty.
    func reading(at time: Double) -> InertialSample? {
        let next = firstIndex(after: time)
        guard next > 0 else { return samples.first.map { Self.moved($0, to: time) } }
        guard next < samples.count else { return samples.last.map { Self.moved($0, to: time) } }
        return Self.between(samples[next - 1], samples[next], time)
    }

    /// The samples from `start` to `end`, with both ends interpolated. Empty if `end` is not after `start` or the buffer is empty.
    func samples(from start: Double, to end: Double) -> [InertialSample] {
        guard end > start, let first = reading(at: start), let last = reading(at: end) else { return [] }
        var result = [first]
        var index = firstIndex(after: start)
        while index < samples.count, samples[index].time < end {
            result.append(samples[index])
            index += 1
        }
        result.append(last)
        return result
    }

    /// The longest time without a sample between `start` and `end`; both ends count as samples.
    func longestGap(from start: Double, to end: Double) -> Double {
        var (longest, previous) = (0.0, start)
        var index = firstIndex(after: start)
        if index > 0 { previous = samples[index - 1].time }
        while index < samples.count, samples[index].time < end {
            longest = max(longest, samples[index].time - previous)
            previous = samples[index].time
            index += 1
        }
        let after = index < samples.count ? samples[index].time : end
        return max(longest, max(after, end) - previous)
    }

    private static func moved(_ sample: InertialSample, to time: Double) -> InertialSample {
        InertialSample(time: time, angularVelocity: sample.angularVelocity, acceleration: sample.acceleration)
    }

    private static func between(_ a: InertialSample, _ b: InertialSample, _ time: Double) -> InertialSample {
        let share = (time - a.time) / (b.time - a.time)
        return InertialSample(
            time: time, angularVelocity: a.angularVelocity + (b.angularVelocity - a.angularVelocity) * share,
            acceleration: a.acceleration + (b.acceleration - a.acceleration) * share)
    }
}
