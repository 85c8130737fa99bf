import VitrineVision

/// A picture so small that it only tells where one was: some 40 by 30 values, compared at any small shift.
struct PictureThumbnail: Sendable {
    private let width, height: Int
    /// Without their mean.
    private let values: [Float]
    /// How many working pixels one of its own is wide.
    let scale: Int
    private static let mostWidth = 48

    init(_ pyramid: ImagePyramid) {
        var index = pyramid.levels.count - 1
        while index > 0, pyramid.levels[index - 1].width <= Self.mostWidth { index -= 1 }
        let level = pyramid.levels[index]
        var (step, size) = (1, level.width)
        while size > Self.mostWidth { (step, size) = (step * 2, size / 2) }
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

    /// How alike two pictures are, −1…1, at the best shift; and that shift, in working pixels: where this one's middle lies in the other.
    func comparison(with other: PictureThumbnail) -> (likeness: Float, shift: SIMD2<Float>) {
        guard width == other.width, height == other.height, scale == other.scale else { return (-1, .zero) }
        var best = (likeness: Float(-1), shift: SIMD2<Float>.zero)
        for dy in -6...6 {
            for dx in -8...8 {
                let likeness = correlation(other, dx, dy)
                if likeness > best.likeness { best = (likeness, SIMD2(Float(dx * scale), Float(dy * scale))) }
            }
        }
        return best
    }

    private func correlation(_ other: PictureThumbnail, _ dx: Int, _ dy: Int) -> Float {
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
