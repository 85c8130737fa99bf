import VitrineMath
import VitrineVision

/// Inertial samples in the order of their times, and what lies between them.
struct InertialBuffer: Sendable {
    private(set) var samples: [InertialSample] = []

    var first: InertialSample? { samples.first }
    var last: InertialSample? { samples.last }

    /// - Returns: false where the sample isn't finite or doesn't move time on: it is passed over then.
    mutating func append(_ sample: InertialSample) -> Bool {
        guard sample.isFinite else { return false }
        if let last, sample.time <= last.time { return false }
        samples.append(sample)
        return true
    }

    /// Keeps at least one sample at or before `time`, so that what follows it can still be told. Many go at once, or none.
    mutating func drop(before time: Double) {
        let keep = firstIndex(after: time) - 1
        if keep > 256 { samples.removeFirst(keep) }
    }

    mutating func removeAll() { samples.removeAll(keepingCapacity: true) }

    /// The first sample later than `time`; `samples.count` where there is none.
    func firstIndex(after time: Double) -> Int {
        var (low, high) = (0, samples.count)
        while low < high {
            let middle = (low + high) / 2
            if samples[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The reading at `time`, between its neighbours; the nearest one's outside of what was measured. Nil where there is none at all.
    func reading(at time: Double) -> InertialSample? {
        let next = firstIndex(after: time)
        guard next > 0 else { return samples.first.map { Self.moved($0, to: time) } }
        guard next < samples.count else { return samples.last.map { Self.moved($0, to: time) } }
        return Self.between(samples[next - 1], samples[next], time)
    }

    /// The samples from `start` to `end`, both ends made by interpolation. Empty where the time doesn't move on or nothing was measured.
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

    /// The longest time without a sample between `start` and `end`, its ends counting as samples.
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
