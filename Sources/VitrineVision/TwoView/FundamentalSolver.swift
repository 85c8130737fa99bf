import VitrineMath

/// Fundamental matrices from matches: secondᵀ F first = 0.
enum FundamentalSolver {
    /// The seven-point algorithm: up to three matrices.
    static func sevenPoint(_ matches: PointMatches, _ sample: [Int]) -> [Matrix3d] {
        var rows: [Double] = []
        rows.reserveCapacity(63)
        for i in sample { appendRow(matches.a(i), matches.b(i), to: &rows) }
        guard let basis = SmallMatrix.nullSpace(&rows, rows: 7, columns: 9) else { return [] }
        // det(t A + B) = 0.
        let (a, b) = (matrix(basis[0]), matrix(basis[1]))
        let cubic = a.determinant
        let square = dot(b.x, cross(a.y, a.z)) + dot(b.y, cross(a.z, a.x)) + dot(b.z, cross(a.x, a.y))
        let linear = dot(a.x, cross(b.y, b.z)) + dot(a.y, cross(b.z, b.x)) + dot(a.z, cross(b.x, b.y))
        let roots = PolynomialRoots.cubic(cubic, square, linear, b.determinant)
        return roots.map { a * $0 + b }.filter { isOriented($0, matches, sample) }
    }

    /// Whether the points of a sample may all lie in front of both cameras: the sides of the epipolar lines must agree (Chum, Werner & Matas 2004).
    private static func isOriented(_ f: Matrix3d, _ matches: PointMatches, _ sample: [Int]) -> Bool {
        // The epipole of the second photo: orthogonal to all columns.
        let candidates = [cross(f.x, f.y), cross(f.x, f.z), cross(f.y, f.z)]
        let epipole = candidates.max { lengthSquared($0) < lengthSquared($1) }!
        var (positive, negative) = (false, false)
        for i in sample {
            let (a, b) = (matches.a(i), matches.b(i))
            let line = f * Vector3d(a.x, a.y, 1)
            let sign = dot(cross(epipole, Vector3d(b.x, b.y, 1)), line)
            if sign > 0 { positive = true } else { negative = true }
            if positive && negative { return false }
        }
        return true
    }

    /// The weighted least-squares matrix of at least eight matches (Hartley's normalized eight-point algorithm); nil if it is not determined.
    static func leastSquares(_ matches: PointMatches, _ indices: [Int], weights: [Double]? = nil) -> Matrix3d? {
        guard indices.count >= 8 else { return nil }
        let (fromFirst, fromSecond) = (
            Normalization(indices.map(matches.a)), Normalization(indices.map(matches.b))
        )
        var sums = [Double](repeating: 0, count: 81)
        var row: [Double] = []
        row.reserveCapacity(9)
        for (k, i) in indices.enumerated() {
            row.removeAll(keepingCapacity: true)
            appendRow(fromFirst.apply(matches.a(i)), fromSecond.apply(matches.b(i)), to: &row)
            let weight = weights?[k] ?? 1
            sums.withUnsafeMutableBufferPointer { sums in
                row.withUnsafeBufferPointer { row in
                    for r in 0..<9 { for c in r..<9 { sums[r * 9 + c] += weight * row[r] * row[c] } }
                }
            }
        }
        for r in 0..<9 { for c in 0..<r { sums[r * 9 + c] = sums[c * 9 + r] } }
        let f = rankTwo(matrix(SmallMatrix.smallestEigenvector(sums, n: 9).vector))
        let result = fromSecond.matrix.transpose * f * fromFirst.matrix
        return result.unit
    }

    /// Iteratively reweighted least squares that minimizes the Sampson distances; matches near the limit have less weight.
    static func refined(_ start: Matrix3d, _ matches: PointMatches, limit: Float, rounds: Int) -> Matrix3d {
        var f = start
        for _ in 0..<rounds {
            let squares = matches.residuals(fundamental: f)
            var (indices, weights): ([Int], [Double]) = ([], [])
            for i in 0..<matches.count where squares[i] < limit {
                let (a, b) = (matches.a(i), matches.b(i))
                let line = f * Vector3d(a.x, a.y, 1)
                let back = f.transpose * Vector3d(b.x, b.y, 1)
                let gradient = line.x * line.x + line.y * line.y + back.x * back.x + back.y * back.y
                let share = 1 - Double(squares[i] / limit)
                indices.append(i)
                weights.append(share * share / max(gradient, 1e-30))
            }
            // Weights of similar size keep the sums well scaled.
            let largest = weights.max() ?? 1
            guard let next = leastSquares(matches, indices, weights: weights.map { $0 / largest }) else { break }
            f = next
        }
        return f
    }

    /// The nearest matrix of rank two.
    static func rankTwo(_ f: Matrix3d) -> Matrix3d {
        let least = (f.transpose * f).symmetricEigen().vectors.z
        let image = f * least
        return f - Matrix3d(image * least.x, image * least.y, image * least.z)
    }

    private static func matrix(_ v: [Double]) -> Matrix3d {
        Matrix3d(rows: Vector3d(v[0], v[1], v[2]), Vector3d(v[3], v[4], v[5]), Vector3d(v[6], v[7], v[8]))
    }

    private static func appendRow(_ a: Vector2d, _ b: Vector2d, to rows: inout [Double]) {
        rows.append(b.x * a.x)
        rows.append(b.x * a.y)
        rows.append(b.x)
        rows.append(b.y * a.x)
        rows.append(b.y * a.y)
        rows.append(b.y)
        rows.append(a.x)
        rows.append(a.y)
        rows.append(1)
    }
}

/// Hartley normalization: translates points to their mean and scales them to a mean distance of √2 (Hartley 1997).
struct Normalization {
    let mean: Vector2d
    let scale: Double

    init(_ points: [Vector2d]) {
        var sum = Vector2d.zero
        for point in points { sum += point }
        let mean = sum / Double(max(1, points.count))
        var distance = 0.0
        for point in points { distance += length(point - mean) }
        self.mean = mean
        scale = distance > 0 ? 2.0.squareRoot() * Double(points.count) / distance : 1
    }

    @inline(__always) func apply(_ point: Vector2d) -> Vector2d { (point - mean) * scale }

    var matrix: Matrix3d {
        Matrix3d(rows: Vector3d(scale, 0, -scale * mean.x), Vector3d(0, scale, -scale * mean.y), Vector3d(0, 0, 1))
    }
}

extension Matrix3d {
    /// The matrix scaled to a Frobenius norm of 1; nil if it is zero or not finite.
    var unit: Matrix3d? {
        let norm = (lengthSquared(x) + lengthSquared(y) + lengthSquared(z)).squareRoot()
        guard norm > 0, norm.isFinite else { return nil }
        return self * (1 / norm)
    }
}
