import VitrineMath

/// Recognizes taps and counts those in quick succession at one position. All gestures with taps use it.
struct TapSequence: Equatable, Sendable {
    private struct Tap: Equatable, Sendable {
        var position: Vector2
        var time: Double
    }

    private var start = Vector2(0, 0)
    private var tolerance: Float = 0
    private var count = 0
    private var lastTap: Tap?
    /// Whether the current press is a tap if it ends now.
    private(set) var mayBeTap = false

    /// Starts a press.
    ///
    /// - Parameters:
    ///   - tolerance: The distance in points that the press may move.
    ///   - interval: The longest time in seconds since the release of the last tap after which this press continues its sequence.
    mutating func press(
        at position: Vector2, time: Double, tolerance: Float, interval: Double = GestureTolerance.multipleTapInterval
    ) {
        (start, self.tolerance, mayBeTap) = (position, tolerance, true)
        guard let lastTap else { return }
        let isFar = distance(position, lastTap.position) > GestureTolerance.multipleTapDistance
        if isFar || time - lastTap.time > interval { count = 0 }
    }

    /// Moves the pointer.
    ///
    /// - Returns: Whether the press is still a tap.
    @discardableResult mutating func move(to position: Vector2) -> Bool {
        if mayBeTap, distance(position, start) > tolerance { fail() }
        return mayBeTap
    }

    /// Ends the press.
    ///
    /// - Parameter position: The position of the release; nil for that of the last move.
    /// - Returns: The position of the press and the number of taps in a row, including this one; nil if the press is not a tap.
    mutating func release(at position: Vector2?, time: Double) -> (position: Vector2, count: Int)? {
        guard position.map({ move(to: $0) }) ?? mayBeTap else { return nil }
        mayBeTap = false
        count += 1
        lastTap = Tap(position: start, time: time)
        return (start, count)
    }

    /// Ends the sequence: the current press is not a tap, and the next one is the first.
    mutating func fail() { (mayBeTap, count) = (false, 0) }
}
