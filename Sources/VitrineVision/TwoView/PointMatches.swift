import VitrineMath

/// Matched positions in two photos, relative to the centre in units of half the longer side, in SIMD layout.
struct PointMatches {
    let count: Int
    /// Padded to whole vectors of 8 with NaN, which no model explains.
    private(set) var x1, y1, x2, y2: [Float]
    /// normalized = (pixel − center) * scale.
    let first, second: Frame

    struct Frame {
        let center: Vector2d
        let scale: Double

        init(width: Int, height: Int) {
            center = Vector2d(Double(width), Double(height)) / 2
            scale = 2 / Double(max(1, width, height))
        }

        /// The homogeneous matrix normalizedFromPixel.
        var matrix: Matrix3d {
            Matrix3d(rows: Vector3d(scale, 0, -scale * center.x), Vector3d(0, scale, -scale * center.y), Vector3d(0, 0, 1))
        }
    }

    init(first: Frame, second: Frame, pixelPairs: [(SIMD2<Float>, SIMD2<Float>)]) {
        (self.first, self.second, count) = (first, second, pixelPairs.count)
        let padded = (pixelPairs.count + 7) / 8 * 8
        x1 = Array(repeating: .nan, count: padded)
        (y1, x2, y2) = (x1, x1, x1)
        for (i, pair) in pixelPairs.enumerated() {
            let a = (Vector2d(pair.0) - first.center) * first.scale
            let b = (Vector2d(pair.1) - second.center) * second.scale
            (x1[i], y1[i], x2[i], y2[i]) = (Float(a.x), Float(a.y), Float(b.x), Float(b.y))
        }
    }

    /// A subset of the matches, in the order of `kept`.
    init(first: Frame, second: Frame, kept: [Int], of all: PointMatches) {
        (self.first, self.second, count) = (first, second, kept.count)
        let padding = [Float](repeating: .nan, count: (kept.count + 7) / 8 * 8 - kept.count)
        x1 = kept.map { all.x1[$0] } + padding
        y1 = kept.map { all.y1[$0] } + padding
        x2 = kept.map { all.x2[$0] } + padding
        y2 = kept.map { all.y2[$0] } + padding
    }

    @inline(__always) func a(_ i: Int) -> Vector2d { Vector2d(Double(x1[i]), Double(y1[i])) }
    @inline(__always) func b(_ i: Int) -> Vector2d { Vector2d(Double(x2[i]), Double(y2[i])) }

    /// Squared distances in the unit of the positions; NaN counts as an outlier.
    typealias Residuals = (SIMD8<Float>, SIMD8<Float>, SIMD8<Float>, SIMD8<Float>) -> SIMD8<Float>

    /// Sum of max(0, 1 − residual / limit) (MSAC's gain, Torr & Zisserman 2000).
    @inline(__always) private func gain(limit: Float, _ residuals: Residuals) -> Float {
        var sum = SIMD8<Float>.zero
        let inverse = 1 / limit
        x1.withUnsafeBufferPointer { x1 in
            y1.withUnsafeBufferPointer { y1 in
                x2.withUnsafeBufferPointer { x2 in
                    y2.withUnsafeBufferPointer { y2 in
                        var i = 0
                        while i < x1.count {
                            let squared = residuals(
                                load8(x1.baseAddress! + i), load8(y1.baseAddress! + i), load8(x2.baseAddress! + i),
                                load8(y2.baseAddress! + i))
                            let part = 1 - squared * inverse
                            sum += SIMD8<Float>.zero.replacing(with: part, where: part .> 0)
                            i += 8
                        }
                    }
                }
            }
        }
        return sum.sum()
    }

    func gain(fundamental: Matrix3d, limit: Float) -> Float { gain(limit: limit, Self.sampson(fundamental)) }
    func gain(homography: Matrix3d, limit: Float) -> Float { gain(limit: limit, Self.transfer(homography)) }

    func residuals(fundamental: Matrix3d) -> [Float] { all(Self.sampson(fundamental)) }
    func residuals(homography: Matrix3d) -> [Float] { all(Self.transfer(homography)) }

    private func all(_ residuals: Residuals) -> [Float] {
        var result = [Float](repeating: 0, count: x1.count)
        for i in stride(from: 0, to: x1.count, by: 8) {
            @inline(__always) func lanes(_ values: [Float]) -> SIMD8<Float> {
                values.withUnsafeBufferPointer { load8($0.baseAddress! + i) }
            }
            let squared = residuals(lanes(x1), lanes(y1), lanes(x2), lanes(y2))
            for lane in 0..<8 { result[i + lane] = squared[lane].isNaN ? .infinity : squared[lane] }
        }
        result.removeLast(result.count - count)
        return result
    }

    /// The squared Sampson distance.
    @inline(__always) private static func sampson(_ f: Matrix3d) -> Residuals {
        let (x, y, z) = (SIMD3<Float>(f.x), SIMD3<Float>(f.y), SIMD3<Float>(f.z))
        return { x1, y1, x2, y2 in
            let a = x1 * x.x + y1 * y.x + z.x
            let b = x1 * x.y + y1 * y.y + z.y
            let c = x1 * x.z + y1 * y.z + z.z
            let d = x2 * x.x + y2 * x.y + x.z
            let e = x2 * y.x + y2 * y.y + y.z
            let error = a * x2 + b * y2 + c
            return error * error / (a * a + b * b + d * d + e * e)
        }
    }

    /// The squared transfer error in the second photo.
    @inline(__always) private static func transfer(_ h: Matrix3d) -> Residuals {
        let (x, y, z) = (SIMD3<Float>(h.x), SIMD3<Float>(h.y), SIMD3<Float>(h.z))
        return { x1, y1, x2, y2 in
            let a = x1 * x.x + y1 * y.x + z.x
            let b = x1 * x.y + y1 * y.y + z.y
            let c = x1 * x.z + y1 * y.z + z.z
            let dx = a / c - x2
            let dy = b / c - y2
            return dx * dx + dy * dy
        }
    }
}
