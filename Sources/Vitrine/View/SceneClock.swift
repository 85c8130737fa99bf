/// How much time a scene is given before each picture.
///
/// Time is taken from the frames' clock, not counted in frames, so slow drawing drops pictures and does not slow the motion. While nothing
/// moves the window sleeps: that is no time for what begins with the click that wakes it.
struct SceneClock {
    private var last: Double?
    private var wasMoving = false

    /// At most this much passes between two pictures: the window may have been hidden, or the machine have slept.
    private static let longestStep = 1.0

    /// Seconds since the last picture.
    mutating func step(to time: Double) -> Double {
        defer { last = time }
        guard wasMoving, let last, time > last else { return 0 }
        return min(time - last, Self.longestStep)
    }

    /// After each step: whether time goes on until the next picture.
    mutating func settle(isMoving: Bool) { wasMoving = isMoving }
}
