/// How long each step took.
struct StepClock {
    private var last = ContinuousClock.now
    private(set) var laps: [(step: String, seconds: Double)] = []

    mutating func lap(_ step: String) {
        laps.append((step, Self.seconds(from: last)))
        last = .now
    }

    /// Names a part of the last step a step of its own.
    mutating func move(_ seconds: Double, to step: String) {
        laps[laps.count - 1].seconds -= seconds
        laps.append((step, seconds))
    }

    static func seconds(from start: ContinuousClock.Instant) -> Double {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
