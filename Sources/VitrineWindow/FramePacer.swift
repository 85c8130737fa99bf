/// Keeps pictures from coming faster than the display shows them, where presenting doesn't wait by itself.
struct FramePacer {
    private var lastFrame = -Double.infinity
    private var interval = 1.0 / 60
    private var settlingPauses = 0

    /// Seconds: a little before the display's next picture, so that presenting, which waits for it, isn't missed.
    var earliestNextFrame: Double { lastFrame + interval * 0.9 }

    mutating func frameBegins(at time: Double, refreshRate: Double) {
        lastFrame = time
        interval = 1 / max(refreshRate, 1)
        settlingPauses = 0
    }

    /// How long to wait at most; nil: no limit. See `Window.pauseWithoutDemand`.
    mutating func nextSettlingPause() -> Double? {
        let pauses = [0.02, 0.1, 0.5]
        guard settlingPauses < pauses.count else { return nil }
        defer { settlingPauses += 1 }
        return pauses[settlingPauses]
    }
}
