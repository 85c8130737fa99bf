/// The times of repeated work in milliseconds.
struct Timing {
    private(set) var milliseconds: [Double] = []

    /// Runs the work a few times without measuring it, then measures it.
    init(repeats: Int, warmup: Int = 1, _ work: () throws -> Void) rethrows {
        for _ in 0..<warmup { try work() }
        for _ in 0..<repeats { milliseconds.append(try Timing.of(work)) }
    }

    init() {}

    mutating func append(_ value: Double) { milliseconds.append(value) }

    static func of(_ work: () throws -> Void) rethrows -> Double {
        let time = try ContinuousClock().measure(work)
        return Double(time.components.seconds) * 1000 + Double(time.components.attoseconds) / 1e15
    }

    var values: String {
        let sorted = milliseconds.sorted()
        return "{\"min\": \(sorted[0]), \"median\": \(sorted[sorted.count / 2]), \"max\": \(sorted[sorted.count - 1])}"
    }

    var json: String { "{\"ms\": \(values)}" }
}
