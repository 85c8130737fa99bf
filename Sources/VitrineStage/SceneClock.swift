/// Computes the time step of a scene before each frame.
///
/// The steps depend on the clock of the frames, not on their number: slow drawing drops frames and does not slow the motion. While nothing moves, the
/// window sleeps; that time is skipped, so that a motion that an event starts begins at its start.
package struct SceneClock {
    private var last: Double?
    private var wasMoving = false

    /// The longest step in seconds: the window may have been hidden, or the machine suspended.
    private static let longestStep = 1.0

    package init() {}

    /// Advances to `time` and returns the seconds since the last frame.
    package mutating func step(to time: Double) -> Double {
        defer { last = time }
        guard wasMoving, let last, time > last else { return 0 }
        return min(time - last, Self.longestStep)
    }

    /// Ends a step.
    ///
    /// - Parameter isMoving: Whether the time until the next frame counts.
    package mutating func endStep(isMoving: Bool) { wasMoving = isMoving }
}
