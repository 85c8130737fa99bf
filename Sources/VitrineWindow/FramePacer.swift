/// Limits the frame rate to the refresh rate of the display, for present modes that do not wait.
struct FramePacer {
    private var lastFrame = -Double.infinity
    private var interval = 1.0 / 60
    private var settlingPauses = 0

    /// The earliest time in seconds of the next frame: shortly before the next refresh, for which presenting waits.
    var earliestNextFrame: Double { lastFrame + interval * 0.9 }

    /// Begins a frame.
    ///
    /// - Parameter refreshRate: The refresh rate of the display in hertz.
    mutating func frameBegins(at time: Double, refreshRate: Double) {
        lastFrame = time
        interval = 1 / max(refreshRate, 1)
        settlingPauses = 0
    }

    /// Returns the longest time in seconds to wait for events; nil for no limit. See `Window.pauseWithoutDemand`.
    mutating func nextSettlingPause() -> Double? {
        let pauses = [0.02, 0.1, 0.5]
        guard settlingPauses < pauses.count else { return nil }
        defer { settlingPauses += 1 }
        return pauses[settlingPauses]
    }
}
