/// Computes real roots of polynomials.
package enum PolynomialRoots {
    /// Returns the real roots of a x³ + b x² + c x + d.
    package static func cubic(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> [Double] {
        let scale = max(abs(a), abs(b), abs(c), abs(d))
        guard scale > 0, scale.isFinite else { return [] }
        guard abs(a) > 1e-12 * scale else { return quadratic(b, c, d) }
        // The extrema divide the line into intervals with at most one root each.
        let turns = quadratic(3 * a, 2 * b, c).sorted()
        let bound = 1 + max(abs(b), abs(c), abs(d)) / abs(a)
        let ends = [-bound] + turns + [bound]
        func value(_ x: Double) -> Double { ((a * x + b) * x + c) * x + d }
        var roots: [Double] = []
        for i in 1..<ends.count {
            var (low, high) = (ends[i - 1], ends[i])
            let (lowValue, highValue) = (value(low), value(high))
            guard (lowValue < 0) != (highValue < 0) else { continue }
            var x = 0.5 * (low + high)
            for _ in 0..<100 {
                let y = value(x)
                if (y < 0) == (lowValue < 0) { low = x } else { high = x }
                let slope = (3 * a * x + 2 * b) * x + c
                var next = x - y / slope
                if !(next > low && next < high) { next = 0.5 * (low + high) }
                if abs(next - x) <= 1e-15 * max(1, abs(next)) { break }
                x = next
            }
            roots.append(x)
        }
        return roots
    }

    /// Returns the real roots of a x² + b x + c.
    package static func quadratic(_ a: Double, _ b: Double, _ c: Double) -> [Double] {
        guard abs(a) > 1e-14 * max(abs(b), abs(c)) else { return b != 0 ? [-c / b] : [] }
        let discriminant = b * b - 4 * a * c
        guard discriminant >= 0 else { return [] }
        let q = -0.5 * (b + (b < 0 ? -1 : 1) * discriminant.squareRoot())
        return q != 0 ? [q / a, c / q] : [0]
    }
}
