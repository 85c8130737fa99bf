/// A symmetric positive definite linear system with at most eight unknowns: the normal equations of small least-squares problems.
@usableFromInline package struct SmallSymmetricSystem: Sendable {
    /// The number of unknowns, 1…8.
    @usableFromInline package let count: Int
    /// The rows of the matrix; only the lower triangle is read.
    @usableFromInline package var rows: [SIMD8<Double>]
    /// The right-hand side.
    @usableFromInline package var right = SIMD8<Double>.zero

    package init(count: Int) {
        self.count = count
        rows = Array(repeating: .zero, count: count)
    }

    /// Adds one equation of a Gauss–Newton step: `residual` + `jacobian` · step ≈ 0.
    @inlinable package mutating func add(_ jacobian: SIMD8<Double>, _ residual: Double, weight: Double) {
        let weighted = jacobian * weight
        for r in 0..<count { rows[r] += jacobian * weighted[r] }
        right -= weighted * residual
    }

    /// Solves the system by Cholesky factorization; nil if the matrix is not positive definite or the solution is not finite.
    /// - Parameters:
    ///   - damping: A value added to every diagonal element.
    ///   - relativeDamping: A multiple of each diagonal element added to it.
    ///   - minimumPivot: The smallest accepted pivot as a fraction of its diagonal element.
    package func solve(damping: Double = 0, relativeDamping: Double = 0, minimumPivot: Double = 0) -> SIMD8<Double>? {
        var (factor, x) = (rows, right)
        for r in 0..<count {
            for c in 0...r {
                var sum = r == c ? rows[r][c] * (1 + relativeDamping) + damping : rows[r][c]
                for k in 0..<c { sum -= factor[r][k] * factor[c][k] }
                if r == c {
                    guard sum > minimumPivot * rows[r][r], sum > 0 else { return nil }
                    factor[r][r] = sum.squareRoot()
                } else {
                    factor[r][c] = sum / factor[c][c]
                }
            }
        }
        for r in 0..<count {
            for k in 0..<r { x[r] -= factor[r][k] * x[k] }
            x[r] /= factor[r][r]
        }
        for r in stride(from: count - 1, through: 0, by: -1) {
            for k in r + 1..<max(r + 1, count) { x[r] -= factor[k][r] * x[k] }
            x[r] /= factor[r][r]
        }
        return (0..<count).allSatisfy { x[$0].isFinite } ? x : nil
    }
}

extension Matrix3d {
    /// The lower Cholesky factor L with L Lᵀ = self; nil unless the matrix is positive definite beyond rounding errors.
    package var cholesky: Matrix3d? {
        guard x.x > 0 else { return nil }
        let a = x.x.squareRoot()
        let (b, c) = (x.y / a, x.z / a)
        let second = y.y - b * b
        guard second > 1e-13 * y.y else { return nil }
        let d = second.squareRoot()
        let e = (y.z - b * c) / d
        let third = z.z - c * c - e * e
        guard third > 1e-13 * z.z else { return nil }
        return Matrix3d(Vector3d(a, b, c), Vector3d(0, d, e), Vector3d(0, 0, third.squareRoot()))
    }
}
