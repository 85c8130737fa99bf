import VitrineVision

/// Aligns a small patch of one image with another: inverse compositional Lucas–Kanade (Lucas & Kanade 1981; Baker & Matthews 2004).
///
/// The motion is a translation; brightness may change by a gain and an offset. The gradients are made orthogonal to the patch and to a constant,
/// so that the translation is that of the joint least-squares problem at no cost.
struct PatchMatcher: Sendable {
    /// Rows and columns of the patch.
    static let side = 16
    /// Largest distance of the patch's centre outside of the image: less than `ImagePyramid.border` allows.
    private static let slack: Float = 7
    private static let ringWidth = 24

    /// The patch with one more pixel on each side, 18 rows of 24.
    private var ring = [Float](repeating: 0, count: (side + 2) * ringWidth)
    /// The gradients of each row: two vectors of horizontal ones, two of vertical ones.
    private var gradients = [SIMD8<Float>](repeating: .zero, count: side * 4)
    /// The zero-mean values of each row, in two vectors.
    private var values = [SIMD8<Float>](repeating: .zero, count: side * 2)
    private var energy: Float = 0
    /// The inverse of the gradients' 2×2 matrix: xx, xy, yy.
    private var inverse = SIMD3<Float>.zero

    /// Whether a patch around a position can be read.
    @inline(__always) static func contains(_ level: ImagePyramid.Level, _ position: SIMD2<Float>) -> Bool {
        position.x > -slack && position.y > -slack && position.x < Float(level.width) + slack && position.y < Float(level.height) + slack
    }

    /// An affine warp of the patch: x and y are the images of one pixel to the right and one down.
    struct Warp: Sendable {
        var x, y: SIMD2<Float>

        /// Whether it moves the patch's edge by less than a sixth of a pixel.
        var isNegligible: Bool {
            let (a, b) = (x - SIMD2(1, 0), y - SIMD2(0, 1))
            return a.x * a.x + a.y * a.y + b.x * b.x + b.y * b.y < 0.02 * 0.02
        }
        /// Whether the warped patch has a usable size and shape.
        var isUsable: Bool {
            let (longest, area) = (max(x.x * x.x + x.y * x.y, y.x * y.x + y.y * y.y), x.x * y.y - x.y * y.x)
            return longest < 1.4 * 1.4 && area > 0.35
        }
        var inverse: Warp {
            let scale = 1 / (x.x * y.y - x.y * y.x)
            return Warp(x: SIMD2(y.y, -x.y) * scale, y: SIMD2(-y.x, x.x) * scale)
        }
    }

    /// Loads the patch around a position as the template.
    /// - Parameter warp: The template's warp against the image in which it is searched; nil for none.
    /// - Returns: The smaller eigenvalue of the gradients' mean outer product, in squared grey levels per pixel; nil outside of the image.
    mutating func loadTemplate(_ level: ImagePyramid.Level, _ position: SIMD2<Float>, warp: Warp? = nil) -> Float? {
        guard Self.contains(level, position) else { return nil }
        if let warp { readRing(level, position, warp) } else { readRing(level, position) }
        let sums = differentiate()
        return orthogonalize(sums)
    }

    /// Reads values around a position, bilinear.
    private mutating func readRing(_ level: ImagePyramid.Level, _ position: SIMD2<Float>) {
        // The index coordinate of the ring's first pixel.
        let corner = position - Float(Self.side) / 2 - 1
        let base = corner.rounded(.down)
        let fraction = corner - base
        let start = level.origin + Int(base.y) * level.stride + Int(base.x)
        level.values.withUnsafeBufferPointer { source in
            ring.withUnsafeMutableBufferPointer { ring in
                for column in stride(from: 0, to: Self.ringWidth, by: 8) {
                    var row = source.baseAddress! + start + column
                    var above = blended(row, fraction.x)
                    for y in 0..<Self.side + 2 {
                        row += level.stride
                        let below = blended(row, fraction.x)
                        store(above + (below - above) * fraction.y, ring.baseAddress! + y * Self.ringWidth + column)
                        above = below
                    }
                }
            }
        }
    }

    /// Reads warped values around a position, bilinear.
    private mutating func readRing(_ level: ImagePyramid.Level, _ position: SIMD2<Float>, _ warp: Warp) {
        let reach = Float(Self.side + 1) / 2
        let first = position - 0.5 - (warp.x + warp.y) * reach
        level.values.withUnsafeBufferPointer { source in
            ring.withUnsafeMutableBufferPointer { ring in
                for y in 0..<Self.side + 2 {
                    var at = first + warp.y * Float(y)
                    for x in 0..<Self.side + 2 {
                        let base = at.rounded(.down)
                        let fraction = at - base
                        let pixel = source.baseAddress! + level.origin + Int(base.y) * level.stride + Int(base.x)
                        let above = pixel[0] + (pixel[1] - pixel[0]) * fraction.x
                        let below = pixel[level.stride] + (pixel[level.stride + 1] - pixel[level.stride]) * fraction.x
                        ring[y * Self.ringWidth + x] = above + (below - above) * fraction.y
                        at += warp.x
                    }
                }
            }
        }
    }

    /// Sums over the patch for the projection.
    private struct Sums {
        var value = SIMD8<Float>.zero, square = SIMD8<Float>.zero
        var x = SIMD8<Float>.zero, y = SIMD8<Float>.zero
        var valueX = SIMD8<Float>.zero, valueY = SIMD8<Float>.zero
    }

    /// Computes central differences, and values relative to the centre pixel for accurate sums.
    private mutating func differentiate() -> Sums {
        var sums = Sums()
        let middle = ring[(Self.side / 2 + 1) * Self.ringWidth + Self.side / 2 + 1]
        ring.withUnsafeBufferPointer { ring in
            gradients.withUnsafeMutableBufferPointer { gradients in
                values.withUnsafeMutableBufferPointer { values in
                    for y in 0..<Self.side {
                        for half in 0..<2 {
                            let at = ring.baseAddress! + (y + 1) * Self.ringWidth + half * 8 + 1
                            let value = load8(at) - middle
                            let gradientX = (load8(at + 1) - load8(at - 1)) * 0.5
                            let gradientY = (load8(at + Self.ringWidth) - load8(at - Self.ringWidth)) * 0.5
                            values[y * 2 + half] = value
                            gradients[y * 4 + half] = gradientX
                            gradients[y * 4 + 2 + half] = gradientY
                            sums.value += value
                            sums.square += value * value
                            sums.x += gradientX
                            sums.y += gradientY
                            sums.valueX += value * gradientX
                            sums.valueY += value * gradientY
                        }
                    }
                }
            }
        }
        return sums
    }

    private mutating func orthogonalize(_ sums: Sums) -> Float {
        let count = Float(Self.side * Self.side)
        let mean = total(sums.value) / count
        energy = total(sums.square) - count * mean * mean
        let (meanX, meanY) = (total(sums.x) / count, total(sums.y) / count)
        let scale = energy > 1 ? 1 / energy : 0
        let alongX = (total(sums.valueX) - count * mean * meanX) * scale
        let alongY = (total(sums.valueY) - count * mean * meanY) * scale
        var (xx, xy, yy) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
        gradients.withUnsafeMutableBufferPointer { gradients in
            values.withUnsafeMutableBufferPointer { values in
                for y in 0..<Self.side {
                    for half in 0..<2 {
                        let value = values[y * 2 + half] - mean
                        let x = gradients[y * 4 + half] - meanX - value * alongX
                        let down = gradients[y * 4 + 2 + half] - meanY - value * alongY
                        values[y * 2 + half] = value
                        gradients[y * 4 + half] = x
                        gradients[y * 4 + 2 + half] = down
                        xx += x * x
                        xy += x * down
                        yy += down * down
                    }
                }
            }
        }
        let (a, b, c) = (total(xx), total(xy), total(yy))
        let determinant = a * c - b * b
        inverse = determinant > 0 ? SIMD3(c, -b, a) / determinant : .zero
        let spread = ((a - c) * (a - c) * 0.25 + b * b).squareRoot()
        return max(0, (a + c) * 0.5 - spread) / count
    }

    /// Finds the template in a level.
    /// - Parameters:
    ///   - guess: The start in the level's pixels.
    ///   - precision: Stops after a shorter step, in pixels.
    /// - Returns: nil if the search leaves the image.
    func find(_ level: ImagePyramid.Level, from guess: SIMD2<Float>, iterations: Int, precision: Float) -> SIMD2<Float>? {
        var position = guess
        for _ in 0..<iterations {
            guard Self.contains(level, position) else { return nil }
            let (x, y) = correlate(level, position)
            let step = SIMD2(inverse.x * x + inverse.y * y, inverse.y * x + inverse.z * y)
            position -= step
            if step.x * step.x + step.y * step.y < precision * precision { break }
        }
        return Self.contains(level, position) ? position : nil
    }

    /// The correlations of the gradients with the level's values around a position.
    private func correlate(_ level: ImagePyramid.Level, _ position: SIMD2<Float>) -> (Float, Float) {
        var (sumX, sumY) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
        level.values.withUnsafeBufferPointer { source in
            gradients.withUnsafeBufferPointer { gradients in
                Self.forEachRow(level, source, around: position) { half, y, value in
                    sumX += gradients[y * 4 + half] * value
                    sumY += gradients[y * 4 + 2 + half] * value
                }
            }
        }
        return (total(sumX), total(sumY))
    }

    /// Calls `body` with the values around a position, interpolated bilinearly: for each half of the patch, left and right, the eight values of each
    /// row.
    @inline(__always) private static func forEachRow(
        _ level: ImagePyramid.Level, _ source: UnsafeBufferPointer<Float>, around position: SIMD2<Float>,
        _ body: (_ half: Int, _ y: Int, _ value: SIMD8<Float>) -> Void
    ) {
        let corner = position - Float(side) / 2
        let base = corner.rounded(.down)
        let fraction = corner - base
        let start = firstIndex(level, position)
        for half in 0..<2 {
            var row = source.baseAddress! + start + half * 8
            var above = blended(row, fraction.x)
            for y in 0..<side {
                row += level.stride
                let below = blended(row, fraction.x)
                body(half, y, above + (below - above) * fraction.y)
                above = below
            }
        }
    }

    /// The index of the upper left value that a patch around a position reads.
    @inline(__always) private static func firstIndex(_ level: ImagePyramid.Level, _ position: SIMD2<Float>) -> Int {
        let base = (position - Float(side) / 2).rounded(.down)
        return level.origin + Int(base.y) * level.stride + Int(base.x)
    }

    /// The normalized correlation, −1…1, of the template with the level around a position (inside the image).
    func similarity(_ level: ImagePyramid.Level, _ position: SIMD2<Float>) -> Float {
        var (sum, square, product) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
        level.values.withUnsafeBufferPointer { source in
            let middle = source[Self.firstIndex(level, position) + Self.side / 2 * level.stride + Self.side / 2]
            values.withUnsafeBufferPointer { values in
                Self.forEachRow(level, source, around: position) { half, y, value in
                    let value = value - middle
                    sum += value
                    square += value * value
                    product += value * values[y * 2 + half]
                }
            }
        }
        let count = Float(Self.side * Self.side)
        let mean = total(sum) / count
        let other = total(square) - count * mean * mean
        guard other > 1, energy > 1 else { return 0 }
        return total(product) / (other * energy).squareRoot()
    }
}

/// Interpolates eight values of a row horizontally.
@inline(__always) private func blended(_ row: UnsafePointer<Float>, _ fraction: Float) -> SIMD8<Float> {
    let left = load8(row)
    return left + (load8(row + 1) - left) * fraction
}

/// The sum of the lanes in a fixed order.
@inline(__always) func total(_ v: SIMD8<Float>) -> Float {
    let four = v.lowHalf + v.highHalf
    let two = four.lowHalf + four.highHalf
    return two.x + two.y
}
