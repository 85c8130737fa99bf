/// A condition that begins at one limit, ends at another, and changes only if the change lasts.
struct Hysteresis: Equatable, Sendable {
    private(set) var isOn = false
    /// The time at which the opposite state began; nil while the state is confirmed.
    private var changing: Double?

    /// Updates the condition and returns its state.
    ///
    /// - Parameters:
    ///   - begins: Whether the value is beyond the limit at which the condition begins.
    ///   - ends: Whether the value is beyond the limit at which it ends.
    ///   - time: Seconds, increasing.
    ///   - settling: Seconds that a change must last.
    mutating func update(begins: Bool, ends: Bool, at time: Double, settling: Double) -> Bool {
        guard isOn ? ends : begins else {
            changing = nil
            return isOn
        }
        let start = changing ?? time
        changing = start
        // Times are sums of frame intervals: a frame interval of rounding does not count.
        if time - start >= settling - 1e-6 { (isOn, changing) = (!isOn, nil) }
        return isOn
    }
}
