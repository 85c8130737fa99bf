import VitrineMath

/// How far something gives that is pulled beyond its limit: x · c · d / (x · c + d), the formula that scrolling pages have been found to follow.
///
/// With a pull of x it gives that much: at first c for each unit, ever less, never d.
public struct RubberBand: Equatable, Hashable, Sendable {
    /// c: 0.55 of pages.
    public var coefficient: Float
    /// d: what it never gives; of pages their length in view. Above 0.
    public var dimension: Float

    public init(dimension: Float, coefficient: Float = 0.55) {
        self.dimension = dimension > 1e-6 ? dimension : 1e-6
        self.coefficient = coefficient > 1e-6 ? coefficient : 1e-6
    }

    /// What a pull of `pull` beyond the limit shows; odd.
    public func give(_ pull: Float) -> Float {
        let x = abs(pull) * coefficient
        guard x.isFinite else { return pull < 0 ? -dimension : dimension }
        let shown = x * dimension / (x + dimension)
        return pull < 0 ? -shown : shown
    }

    /// How much of a pull is shown where the pull is `pull`.
    func slope(_ pull: Float) -> Float {
        let share = dimension / (abs(pull) * coefficient + dimension)
        return coefficient * share * share
    }

    /// The pull that shows `shown`: the inverse of `give`.
    public func pull(_ shown: Float) -> Float {
        let y = min(abs(shown), dimension * 0.999_9)
        let pull = y * dimension / ((dimension - y) * coefficient)
        return shown < 0 ? -pull : pull
    }

    /// `value`, which only beyond `range` gives way.
    public func hold(_ value: Float, in range: ClosedRange<Float>) -> Float {
        let held = clamp(value, range.lowerBound, range.upperBound)
        return held == value ? value : held + give(value - held)
    }

    /// The inverse of `hold`.
    public func release(_ shown: Float, in range: ClosedRange<Float>) -> Float {
        let held = clamp(shown, range.lowerBound, range.upperBound)
        return held == shown ? shown : held + pull(shown - held)
    }
}
