import VitrineMath

/// Homographies from matches: second ~ H first.
enum HomographySolver {
    /// The homography of four matches; nil if three are collinear or the homography mirrors the image.
    static func fourPoint(_ matches: PointMatches, _ sample: [Int]) -> Matrix3d? {
        for skipped in 0..<4 {
            let three = sample.indices.filter { $0 != skipped }.map { sample[$0] }
            let before = turn(matches.a(three[0]), matches.a(three[1]), matches.a(three[2]))
            let after = turn(matches.b(three[0]), matches.b(three[1]), matches.b(three[2]))
            guard before * after > 0 else { return nil }
        }
        var rows: [Double] = []
        rows.reserveCapacity(72)
        for i in sample { appendRows(matches.a(i), matches.b(i), to: &rows) }
        guard let basis = SmallMatrix.nullSpace(&rows, rows: 8, columns: 9) else { return nil }
        return matrix(basis[0]).unit
    }

    private static func turn(_ a: Vector2d, _ b: Vector2d, _ c: Vector2d) -> Double {
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    }

    /// The least-squares homography (normalized direct linear transform).
    static func leastSquares(_ matches: PointMatches, _ indices: [Int]) -> Matrix3d? {
        guard indices.count >= 4 else { return nil }
        let (fromFirst, fromSecond) = (Normalization(indices.map(matches.a)), Normalization(indices.map(matches.b)))
        var sums = [Double](repeating: 0, count: 81)
        var rows: [Double] = []
        rows.reserveCapacity(18)
        for i in indices {
            rows.removeAll(keepingCapacity: true)
            appendRows(fromFirst.apply(matches.a(i)), fromSecond.apply(matches.b(i)), to: &rows)
            sums.withUnsafeMutableBufferPointer { sums in
                rows.withUnsafeBufferPointer { rows in
                    for r in 0..<9 { for c in r..<9 { sums[r * 9 + c] += rows[r] * rows[c] + rows[9 + r] * rows[9 + c] } }
                }
            }
        }
        for r in 0..<9 { for c in 0..<r { sums[r * 9 + c] = sums[c * 9 + r] } }
        let h = matrix(SmallMatrix.smallestEigenvector(sums, n: 9).vector)
        return (fromSecond.matrix.inverse * h * fromFirst.matrix).unit
    }

    private static func matrix(_ v: [Double]) -> Matrix3d {
        Matrix3d(rows: Vector3d(v[0], v[1], v[2]), Vector3d(v[3], v[4], v[5]), Vector3d(v[6], v[7], v[8]))
    }

    private static func appendRows(_ a: Vector2d, _ b: Vector2d, to rows: inout [Double]) {
        rows += [a.x, a.y, 1, 0, 0, 0, -b.x * a.x, -b.x * a.y, -b.x]
        rows += [0, 0, 0, a.x, a.y, 1, -b.y * a.x, -b.y * a.y, -b.y]
    }
}
