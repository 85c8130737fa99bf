/// When recorded pictures are due.
struct Pacer {
    private var start: (recorded: Double, now: ContinuousClock.Instant)?
    /// How far playback may lag behind before it stops trying to catch up.
    private static let slack = Duration.milliseconds(250)
    /// How often a wait looks whether it still makes sense.
    static let slice = Duration.milliseconds(50)

    mutating func due(_ recorded: Double, now: ContinuousClock.Instant = .now) -> ContinuousClock.Instant {
        if let start {
            let due = start.now + .seconds(recorded - start.recorded)
            if now - due <= Self.slack { return due }
        }
        start = (recorded, now)
        return now
    }
}
