/// A clock that counts frames, so that a film or a test gets the same times in every run.
///
/// ```swift
/// var clock = MotionClock(framesPerSecond: 60)
/// clock.time             // 0
/// clock.advance()        // 1/60
/// ```
public struct MotionClock: Equatable, Sendable {
    public let framesPerSecond: Double
    /// The number of the current frame, from 0.
    public private(set) var frame = 0
    private let start: Double

    /// - Parameters:
    ///   - framesPerSecond: Above 0; otherwise 60 is used.
    ///   - start: The time of frame 0, in seconds.
    public init(framesPerSecond: Double = 60, startingAt start: Double = 0) {
        self.framesPerSecond = framesPerSecond > 0 && framesPerSecond.isFinite ? framesPerSecond : 60
        self.start = start
    }

    /// The time of the current frame in seconds, computed from its number, so that no error accumulates.
    public var time: Double { start + Double(frame) / framesPerSecond }

    /// Advances by one frame and returns its time.
    @discardableResult public mutating func advance() -> Double {
        frame += 1
        return time
    }
}
