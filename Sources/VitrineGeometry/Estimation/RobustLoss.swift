/// A robust loss function ρ(s) of the squared residual s in units of the noise variance: limits the influence of outliers.
@usableFromInline package enum RobustLoss: Sendable, Equatable {
    /// The squared loss ρ(s) = s, which is not robust.
    case squared
    /// Quadratic up to `threshold`, linear beyond (Huber 1964).
    case huber(threshold: Double)
    /// The logarithmic loss of Cauchy: residuals far beyond `threshold` have little influence.
    case cauchy(threshold: Double)

    /// Returns the loss ρ(s) of a squared residual s.
    @inlinable @inline(__always) package func cost(_ squared: Double) -> Double {
        switch self {
        case .squared: return squared
        case .huber(let threshold):
            return squared <= threshold * threshold ? squared : 2 * threshold * squared.squareRoot() - threshold * threshold
        case .cauchy(let threshold):
            let scale = threshold * threshold
            return scale * log(1 + squared / scale)
        }
    }

    /// Returns ρ′(s), the weight for iteratively reweighted least squares.
    @inlinable @inline(__always) package func weight(_ squared: Double) -> Double {
        switch self {
        case .squared: return 1
        case .huber(let threshold): return squared <= threshold * threshold ? 1 : threshold / squared.squareRoot()
        case .cauchy(let threshold): return 1 / (1 + squared / (threshold * threshold))
        }
    }
}
