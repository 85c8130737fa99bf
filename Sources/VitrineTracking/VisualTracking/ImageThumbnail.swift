import VitrineVision

/// A thumbnail of about 40 × 30 pixels, for comparing views under small shifts (Klein & Murray 2008).
struct ImageThumbnail: Sendable {
    private let width, height: Int
    /// The values, with a mean of zero.
    private let values: [Float]
    /// Width of a thumbnail's pixel in working pixels.
    let scale: Int
    private static let maximumWidth = 48

    init(_ pyramid: ImagePyramid) {
        var index = pyramid.levels.count - 1
        while index > 0, pyramid.levels[index - 1].width <= Self.maximumWidth { index -= 1 }
        let level = pyramid.levels[index]
        var (step, size) = (1, level.width)
        while size > Self.maximumWidth { (step, size) = (step * 2, size / 2) }
        let (width, height) = (level.width / step, level.height / step)
        var values: [Float] = []
        for y in 0..<height {
            for x in 0..<width {
                var sum: Float = 0
                for v in 0..<step { for u in 0..<step { sum += level.values[level.origin + (y * step + v) * level.stride + x * step + u] } }
                values.append(sum / Float(step * step))
            }
        }
        let mean = values.reduce(0, +) / Float(max(1, values.count))
        (self.width, self.height, self.values) = (width, height, values.map { $0 - mean })
        scale = step << index
    }

    /// The normalized correlation at the best shift, −1…1, and the shift in working pixels: the position of this centre in the other image.
    func comparison(with other: ImageThumbnail) -> (similarity: Float, shift: SIMD2<Float>) {
        guard width == other.width, height == other.height, scale == other.scale else { return (-1, .zero) }
        var best = (similarity: Float(-1), shift: SIMD2<Float>.zero)
        for dy in -6...6 {
            for dx in -8...8 {
                let similarity = correlation(other, dx, dy)
                if similarity > best.similarity { best = (similarity, SIMD2(Float(dx * scale), Float(dy * scale))) }
            }
        }
        return best
    }

    private func correlation(_ other: ImageThumbnail, _ dx: Int, _ dy: Int) -> Float {
        let (columns, rows) = (max(0, -dx)..<min(width, width - dx), max(0, -dy)..<min(height, height - dy))
        guard columns.lowerBound < columns.upperBound, rows.lowerBound < rows.upperBound else { return -1 }
        var (a, b, product): (Float, Float, Float) = (0, 0, 0)
        for y in rows {
            for x in columns {
                let (p, q) = (values[y * width + x], other.values[(y + dy) * width + x + dx])
                a += p * p
                b += q * q
                product += p * q
            }
        }
        return a > 1 && b > 1 ? product / (a * b).squareRoot() : -1
    }
}
