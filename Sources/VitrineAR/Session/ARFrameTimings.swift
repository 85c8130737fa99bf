/// Wall-clock time that each stage spent on a frame, in milliseconds. It differs from run to run, so `ARFrame` does not contain it.
package struct ARFrameTimings: Equatable, Sendable {
    /// The time to read and decode the image and the samples before it.
    package var reading = 0.0
    /// The time to estimate the camera's pose.
    package var tracking = 0.0
    /// The time to detect planes and estimate light.
    package var understanding = 0.0

    package init() {}
}

/// Measures the wall-clock time of a piece of work.
struct Stopwatch {
    private let start = ContinuousClock.now

    /// Adds the milliseconds since the stopwatch was made to a sum.
    func add(to sum: inout Double) {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        sum += Double(seconds) * 1e3 + Double(attoseconds) / 1e15
    }
}
