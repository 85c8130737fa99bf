/// Quantiles of the χ² distribution, used as thresholds that reject outliers by their squared normalized residuals.
package struct ChiSquare: Sendable {
    private let quantiles: [Double]

    /// Computes the quantiles for 1 to `most` degrees of freedom.
    ///
    /// - Parameters:
    ///   - probability: The probability of accepting an inlier, 0.5…0.9999.
    ///   - most: The largest number of degrees of freedom.
    package init(probability: Double, most: Int) {
        let clamped = min(max(probability, 0.5), 0.9999)
        quantiles = (0...most).map { $0 == 0 ? 0 : Self.quantile(clamped, degrees: $0) }
    }

    /// The value that the sum of `degrees` squared standard normal numbers does not exceed with the given probability.
    package subscript(degrees: Int) -> Double { quantiles[min(degrees, quantiles.count - 1)] }

    /// Computes a quantile by bisection.
    package static func quantile(_ probability: Double, degrees: Int) -> Double {
        var (low, high) = (0.0, 10 * Double(degrees) + 50)
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if cumulative(middle, degrees: degrees) < probability { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }

    /// Computes the cumulative distribution: the regularized lower incomplete gamma function P(k/2, x/2) by its series (Abramowitz & Stegun 6.5.29).
    package static func cumulative(_ x: Double, degrees: Int) -> Double {
        guard x > 0 else { return 0 }
        let (a, half) = (Double(degrees) / 2, x / 2)
        // log Γ(a + 1), from Γ(1) or Γ(1/2) upwards.
        var (logGamma, at) = degrees % 2 == 0 ? (0.0, 1.0) : (0.5723649429247001, 0.5)
        while at < a + 0.75 {
            logGamma += log(at)
            at += 1
        }
        var (term, sum, n) = (1.0, 1.0, a)
        for _ in 0..<2000 where term > sum * 1e-15 {
            n += 1
            term *= half / n
            sum += term
        }
        return min(1, sum * exp(a * log(half) - half - logGamma))
    }
}
