import VitrineMath

/// The resistance beyond a limit: a pull of x gives a displacement of x · c · d / (x · c + d), the formula of scrolling pages on iOS.
///
/// The displacement starts with slope c and approaches d.
package struct RubberBand: Equatable, Hashable, Sendable {
    /// The coefficient c: the resistance of the band. Default 0.55, as in scrolling pages.
    package var coefficient: Float
    /// The asymptote d of the displacement, above 0: for pages, the visible length.
    package var dimension: Float

    package init(dimension: Float, coefficient: Float = 0.55) {
        self.dimension = dimension > 1e-6 ? dimension : 1e-6
        self.coefficient = coefficient > 1e-6 ? coefficient : 1e-6
    }

    /// Returns the displacement for a pull beyond the limit; an odd function.
    package func give(_ pull: Float) -> Float {
        let x = abs(pull) * coefficient
        guard x.isFinite else { return pull < 0 ? -dimension : dimension }
        let shown = x * dimension / (x + dimension)
        return pull < 0 ? -shown : shown
    }

    /// Returns the derivative of `give`.
    func slope(_ pull: Float) -> Float {
        let share = dimension / (abs(pull) * coefficient + dimension)
        return coefficient * share * share
    }

    /// Returns the pull for a displacement: the inverse of `give`.
    package func pull(_ shown: Float) -> Float {
        let y = min(abs(shown), dimension * 0.999_9)
        let pull = y * dimension / ((dimension - y) * coefficient)
        return shown < 0 ? -pull : pull
    }

    /// Returns `value` if it is inside `range`, otherwise the nearer limit plus the displacement.
    package func hold(_ value: Float, in range: ClosedRange<Float>) -> Float {
        let held = clamp(value, range.lowerBound, range.upperBound)
        return held == value ? value : held + give(value - held)
    }

    /// Returns the inverse of `hold`.
    package func release(_ shown: Float, in range: ClosedRange<Float>) -> Float {
        let held = clamp(shown, range.lowerBound, range.upperBound)
        return held == shown ? shown : held + pull(shown - held)
    }
}
