/// Counts frames instead of reading a clock, so that a film or a test gets the same times in every run.
///
/// ```swift
/// var clock = MotionClock(framesPerSecond: 60)
/// clock.time             // 0
/// clock.advance()        // 1/60
/// ```
public struct MotionClock: Equatable, Sendable {
    public let framesPerSecond: Double
    public private(set) var frame = 0
    private let start: Double

    /// - Parameter framesPerSecond: Above 0; otherwise 60 is taken.
    public init(framesPerSecond: Double = 60, startingAt start: Double = 0) {
        self.framesPerSecond = framesPerSecond > 0 && framesPerSecond.isFinite ? framesPerSecond : 60
        self.start = start
    }

    /// Seconds; computed from the count of frames, so that nothing adds up.
    public var time: Double { start + Double(frame) / framesPerSecond }

    /// Goes on by one frame, and says its time.
    @discardableResult public mutating func advance() -> Double {
        frame += 1
        return time
    }
}
