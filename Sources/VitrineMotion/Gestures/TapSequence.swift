import VitrineMath

/// Recognizes taps and counts those that follow each other quickly at one position. All gestures that know taps use it.
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
    ///   - tolerance: Distance in points that the press may move.
    ///   - interval: Seconds since the release of the last tap within which this press continues its sequence.
    mutating func press(
        at position: Vector2, time: Double, tolerance: Float, interval: Double = GestureTolerance.multipleTapInterval
    ) {
        (start, self.tolerance, mayBeTap) = (position, tolerance, true)
        guard let lastTap else { return }
        let isFar = distance(position, lastTap.position) > GestureTolerance.multipleTapDistance
        if isFar || time - lastTap.time > interval { count = 0 }
    }

    /// - Returns: Whether the press is still a tap.
    @discardableResult mutating func move(to position: Vector2) -> Bool {
        if mayBeTap, distance(position, start) > tolerance { fail() }
        return mayBeTap
    }

    /// Ends the press.
    ///
    /// - Parameter position: nil: the position of the last move.
    /// - Returns: The position where the press started and the number of taps in a row, this one included; nil if the press is not a tap.
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
