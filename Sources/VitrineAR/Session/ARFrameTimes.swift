/// What a frame took of the clock on the wall, in milliseconds, by stage. That differs from run to run, so it is no part of the frame.
public struct ARFrameTimes: Equatable, Sendable {
    /// Reading and unpacking the picture and the samples before it.
    public var reading = 0.0
    /// Following the camera.
    public var tracking = 0.0
    /// Finding planes and light.
    public var understanding = 0.0

    public init() {}
}

/// Adds what a piece of work takes to a sum of milliseconds.
struct Stopwatch {
    private let began = ContinuousClock.now

    func add(to sum: inout Double) {
        let (seconds, attoseconds) = (ContinuousClock.now - began).components
        sum += Double(seconds) * 1e3 + Double(attoseconds) / 1e15
    }
}
