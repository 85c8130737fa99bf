#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The times of stages for each frame, in the order of their first occurrence.
struct StageSamples {
    struct Stage: Encodable {
        let name: String
        let medianMilliseconds, percentile99Milliseconds: Double
    }

    private var samples: [(name: String, values: [Double])] = []

    mutating func add(_ name: String, _ milliseconds: Double) {
        guard let index = samples.firstIndex(where: { $0.name == name }) else { return samples.append((name, [milliseconds])) }
        samples[index].values.append(milliseconds)
    }

    var stages: [Stage] {
        samples.map { name, values in
            let sorted = values.sorted()
            return Stage(
                name: name, medianMilliseconds: sorted[sorted.count / 2],
                percentile99Milliseconds: sorted[min(sorted.count - 1, sorted.count * 99 / 100)])
        }
    }
}

extension StageSamples.Stage {
    /// A line of a report.
    var text: String {
        func number(_ value: Double) -> String { value.fixed(2) }
        return "stage      \(name.padded(to: 12)) median \(number(medianMilliseconds)) ms, 99 % below "
            + "\(number(percentile99Milliseconds)) ms"
    }
}
