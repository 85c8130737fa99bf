/// Measures the duration of each step.
struct StepClock {
    private var last = ContinuousClock.now
    private(set) var laps: [(step: String, seconds: Double)] = []

    mutating func lap(_ step: String) {
        laps.append((step, Self.seconds(from: last)))
        last = .now
    }

    /// Records a part of the last step as a separate step.
    mutating func move(_ seconds: Double, to step: String) {
        laps[laps.count - 1].seconds -= seconds
        laps.append((step, seconds))
    }

    static func seconds(from start: ContinuousClock.Instant) -> Double {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
