import VitrineMath

/// The dominant gradient orientations around a keypoint.
struct OrientationHistogram {
    private static let bins = 36
    private static let maximumAngles = 2
    /// Gradients of one row of the window, and their directions in bins.
    private var magnitudes = [Float](repeating: 0, count: 64)
    private var directions = [Float](repeating: 0, count: 64)

    /// Radians from +x towards +y, in −π…π, strongest first.
    mutating func dominantAngles(of keypoint: Keypoint, in image: FloatImage) -> [Float] {
        var histogram = [Float](repeating: 0, count: Self.bins + 1)
        fill(&histogram, keypoint, image)
        histogram[0] += histogram[Self.bins]
        histogram.removeLast()
        for _ in 0..<3 { histogram = Self.smoothed(histogram) }
        return Self.peaks(of: histogram)
    }

    private mutating func fill(_ histogram: inout [Float], _ keypoint: Keypoint, _ image: FloatImage) {
        let sigma = 1.5 * keypoint.levelScale
        let radius = min(24, max(1, Int((3 * sigma).rounded())))
        let (centerX, centerY) = (Int(keypoint.x.rounded()), Int(keypoint.y.rounded()))
        let (firstX, lastX) = (max(1, centerX - radius), min(image.width - 2, centerX + radius))
        let (firstY, lastY) = (max(1, centerY - radius), min(image.height - 2, centerY + radius))
        guard firstX <= lastX, firstY <= lastY else { return }
        let falloff = -0.5 / (sigma * sigma)
        let count = lastX - firstX + 1
        // A separable weight, once for the columns.
        var columnWeights = [Float](repeating: 0, count: 64)
        for i in 0..<count {
            let offset = Float(firstX + i) - keypoint.x
            columnWeights[i] = VitrineMath.exp(falloff * offset * offset)
        }
        columnWeights.withUnsafeBufferPointer { columnWeights in
            magnitudes.withUnsafeMutableBufferPointer { magnitudes in
                directions.withUnsafeMutableBufferPointer { directions in
                    histogram.withUnsafeMutableBufferPointer { histogram in
                        for y in firstY...lastY {
                            let (above, here, below) = (image.row(y - 1), image.row(y), image.row(y + 1))
                            let offset = Float(y) - keypoint.y
                            let rowWeight = VitrineMath.exp(falloff * offset * offset)
                            var i = 0
                            while i < count {
                                let x = firstX + i
                                let gx = load8(here + x + 1) - load8(here + x - 1)
                                let gy = load8(below + x) - load8(above + x)
                                let weight = load8(columnWeights.baseAddress! + i) * rowWeight
                                store((gx * gx + gy * gy).squareRoot() * weight, magnitudes.baseAddress! + i)
                                store(turns(gy, gx) * Float(Self.bins), directions.baseAddress! + i)
                                i += 8
                            }
                            for i in 0..<count {
                                let direction = directions[i]
                                let bin = min(Self.bins - 1, Int(direction))
                                let part = (direction - Float(bin)) * magnitudes[i]
                                histogram[bin] += magnitudes[i] - part
                                histogram[bin + 1] += part
                            }
                        }
                    }
                }
            }
        }
    }

    private static func smoothed(_ histogram: [Float]) -> [Float] {
        histogram.indices.map { i in
            (histogram[(i + bins - 1) % bins] + histogram[i] + histogram[(i + 1) % bins]) * (1 / 3)
        }
    }

    private static func peaks(of histogram: [Float]) -> [Float] {
        let least = 0.8 * (histogram.max() ?? 0)
        guard least > 0 else { return [0] }
        var found: [(height: Float, angle: Float)] = []
        for i in histogram.indices {
            let (before, value, after) = (histogram[(i + bins - 1) % bins], histogram[i], histogram[(i + 1) % bins])
            guard value >= least, value > before, value >= after else { continue }
            let shift = 0.5 * (before - after) / (before - 2 * value + after)
            var angle = (Float(i) + shift) * (2 * .pi / Float(bins))
            if angle > .pi { angle -= 2 * .pi }
            found.append((value, angle))
        }
        found.sort { ($0.height, $1.angle) > ($1.height, $0.angle) }
        return found.isEmpty ? [0] : found.prefix(maximumAngles).map(\.angle)
    }
}

/// The angle of (x, y) in turns, 0…1 from +x towards +y, to 1e-5 (a polynomial for the arc tangent on 0…1).
@inline(__always) func turns(_ y: SIMD8<Float>, _ x: SIMD8<Float>) -> SIMD8<Float> {
    let ax = x.replacing(with: -x, where: x .< 0)
    let ay = y.replacing(with: -y, where: y .< 0)
    let large = greater(ax, ay)
    let small = lesser(ax, ay)
    let ratio = small / (large + 1e-30)
    let squared = ratio * ratio
    // Abramowitz & Stegun 4.4.49, divided by 2π.
    var series = SIMD8<Float>(repeating: 0.0208351)
    series = series * squared - 0.0851330
    series = series * squared + 0.1801410
    series = series * squared - 0.3302995
    series = series * squared + 0.9998660
    var angle = series * ratio * 0.15915494
    angle.replace(with: 0.25 - angle, where: ay .> ax)
    angle.replace(with: 0.5 - angle, where: x .< 0)
    angle.replace(with: 1 - angle, where: y .< 0)
    return angle
}
