import VitrineVision

/// Finds a small patch of one picture in another: Lucas & Kanade 1981, inverse compositional (Baker & Matthews 2004).
///
/// The patch may only shift, but its brightness may be scaled and offset: the slopes are taken orthogonal to the patch itself and to a
/// constant, so that the shift of least squares is the one of the joint problem, at no cost.
struct PatchMatcher: Sendable {
    /// The patch's rows and columns.
    static let side = 16
    /// How far from a level's edge the patch's centre may be, outside as well: less than what `ImagePyramid.border` allows.
    private static let slack: Float = 7
    private static let ringWidth = 24

    /// The patch with one more pixel on each side, 18 rows of 24.
    private var ring = [Float](repeating: 0, count: (side + 2) * ringWidth)
    /// For each row: horizontal slopes (two vectors), vertical slopes (two).
    private var slopes = [SIMD8<Float>](repeating: .zero, count: side * 4)
    /// For each row: the values less their mean (two vectors).
    private var values = [SIMD8<Float>](repeating: .zero, count: side * 2)
    private var energy: Float = 0
    /// The inverse of the slopes' 2×2 matrix: xx, xy, yy.
    private var inverse = SIMD3<Float>.zero

    /// Whether a patch can be read about the place (a level's coordinates).
    @inline(__always) static func reads(_ level: ImagePyramid.Level, _ place: SIMD2<Float>) -> Bool {
        place.x > -slack && place.y > -slack && place.x < Float(level.width) + slack && place.y < Float(level.height) + slack
    }

    /// How the patch's offsets lie in the picture that it is taken from: x and y are the images of one pixel right and one down.
    struct Warp: Sendable {
        var x, y: SIMD2<Float>

        /// Whether it does less than a sixth of a pixel at the patch's edge.
        var isIdle: Bool {
            let (a, b) = (x - SIMD2(1, 0), y - SIMD2(0, 1))
            return a.x * a.x + a.y * a.y + b.x * b.x + b.y * b.y < 0.02 * 0.02
        }
        /// Whether the patch keeps a size that can be read: neither torn nor shrunk to a third of its area.
        var isUsable: Bool {
            let (longest, area) = (max(x.x * x.x + x.y * x.y, y.x * y.x + y.y * y.y), x.x * y.y - x.y * y.x)
            return longest < 1.4 * 1.4 && area > 0.35
        }
        var inverse: Warp {
            let scale = 1 / (x.x * y.y - x.y * y.x)
            return Warp(x: SIMD2(y.y, -x.y) * scale, y: SIMD2(-y.x, x.x) * scale)
        }
    }

    /// Takes the patch about a place as what is looked for.
    /// - Parameter warp: how the patch is turned and stretched in this picture against the one that it is looked for in; nil for not at all.
    /// - Returns: the lesser eigenvalue of the slopes' mean square, in squared grey levels a pixel: how well a shift can be told; nil where
    ///   nothing can be read.
    mutating func take(_ level: ImagePyramid.Level, _ place: SIMD2<Float>, warp: Warp? = nil) -> Float? {
        guard Self.reads(level, place) else { return nil }
        if let warp { readRing(level, place, warp) } else { readRing(level, place) }
        let sums = differentiate()
        return orthogonalize(sums)
    }

    /// Bilinear values about the place.
    private mutating func readRing(_ level: ImagePyramid.Level, _ place: SIMD2<Float>) {
        // The index coordinate of the ring's first pixel.
        let corner = place - Float(Self.side) / 2 - 1
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

    /// Bilinear values about the place, one by one.
    private mutating func readRing(_ level: ImagePyramid.Level, _ place: SIMD2<Float>, _ warp: Warp) {
        let reach = Float(Self.side + 1) / 2
        let first = place - 0.5 - (warp.x + warp.y) * reach
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

    /// What the projection needs: sums over the patch.
    private struct Sums {
        var value = SIMD8<Float>.zero, square = SIMD8<Float>.zero
        var x = SIMD8<Float>.zero, y = SIMD8<Float>.zero
        var valueX = SIMD8<Float>.zero, valueY = SIMD8<Float>.zero
    }

    /// Central differences; the values less about their middle, so that sums stay exact enough.
    private mutating func differentiate() -> Sums {
        var sums = Sums()
        let middle = ring[(Self.side / 2 + 1) * Self.ringWidth + Self.side / 2 + 1]
        ring.withUnsafeBufferPointer { ring in
            slopes.withUnsafeMutableBufferPointer { slopes in
                values.withUnsafeMutableBufferPointer { values in
                    for y in 0..<Self.side {
                        for half in 0..<2 {
                            let at = ring.baseAddress! + (y + 1) * Self.ringWidth + half * 8 + 1
                            let value = load(at) - middle
                            let slopeX = (load(at + 1) - load(at - 1)) * 0.5
                            let slopeY = (load(at + Self.ringWidth) - load(at - Self.ringWidth)) * 0.5
                            values[y * 2 + half] = value
                            slopes[y * 4 + half] = slopeX
                            slopes[y * 4 + 2 + half] = slopeY
                            sums.value += value
                            sums.square += value * value
                            sums.x += slopeX
                            sums.y += slopeY
                            sums.valueX += value * slopeX
                            sums.valueY += value * slopeY
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
        slopes.withUnsafeMutableBufferPointer { slopes in
            values.withUnsafeMutableBufferPointer { values in
                for y in 0..<Self.side {
                    for half in 0..<2 {
                        let value = values[y * 2 + half] - mean
                        let x = slopes[y * 4 + half] - meanX - value * alongX
                        let down = slopes[y * 4 + 2 + half] - meanY - value * alongY
                        values[y * 2 + half] = value
                        slopes[y * 4 + half] = x
                        slopes[y * 4 + 2 + half] = down
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

    /// Where the patch taken last is found.
    /// - Parameters:
    ///   - guess: where to begin, in the level's coordinates.
    ///   - precision: ends when a step is shorter, in pixels.
    /// - Returns: nil where the way leads out of the picture.
    func find(_ level: ImagePyramid.Level, from guess: SIMD2<Float>, iterations: Int, precision: Float) -> SIMD2<Float>? {
        var place = guess
        for _ in 0..<iterations {
            guard Self.reads(level, place) else { return nil }
            let (x, y) = correlate(level, place)
            let step = SIMD2(inverse.x * x + inverse.y * y, inverse.y * x + inverse.z * y)
            place -= step
            if step.x * step.x + step.y * step.y < precision * precision { break }
        }
        return Self.reads(level, place) ? place : nil
    }

    /// The sums of slope times what the level shows about the place.
    private func correlate(_ level: ImagePyramid.Level, _ place: SIMD2<Float>) -> (Float, Float) {
        let corner = place - Float(Self.side) / 2
        let base = corner.rounded(.down)
        let fraction = corner - base
        let start = level.origin + Int(base.y) * level.stride + Int(base.x)
        var (sumX, sumY) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
        level.values.withUnsafeBufferPointer { source in
            slopes.withUnsafeBufferPointer { slopes in
                for half in 0..<2 {
                    var row = source.baseAddress! + start + half * 8
                    var above = blended(row, fraction.x)
                    for y in 0..<Self.side {
                        row += level.stride
                        let below = blended(row, fraction.x)
                        let value = above + (below - above) * fraction.y
                        sumX += slopes[y * 4 + half] * value
                        sumY += slopes[y * 4 + 2 + half] * value
                        above = below
                    }
                }
            }
        }
        return (total(sumX), total(sumY))
    }

    /// The correlation −1…1 of the patch taken last with what the level shows about a place (where `reads` is true).
    func similarity(_ level: ImagePyramid.Level, _ place: SIMD2<Float>) -> Float {
        let corner = place - Float(Self.side) / 2
        let base = corner.rounded(.down)
        let fraction = corner - base
        let start = level.origin + Int(base.y) * level.stride + Int(base.x)
        var (sum, square, product) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
        level.values.withUnsafeBufferPointer { source in
            let middle = source[start + Self.side / 2 * level.stride + Self.side / 2]
            values.withUnsafeBufferPointer { values in
                for half in 0..<2 {
                    var row = source.baseAddress! + start + half * 8
                    var above = blended(row, fraction.x)
                    for y in 0..<Self.side {
                        row += level.stride
                        let below = blended(row, fraction.x)
                        let value = above + (below - above) * fraction.y - middle
                        sum += value
                        square += value * value
                        product += value * values[y * 2 + half]
                        above = below
                    }
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

@inline(__always) func load(_ pointer: UnsafePointer<Float>) -> SIMD8<Float> {
    UnsafeRawPointer(pointer).loadUnaligned(as: SIMD8<Float>.self)
}

@inline(__always) func store(_ value: SIMD8<Float>, _ pointer: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(pointer).storeBytes(of: value, as: SIMD8<Float>.self)
}

/// Eight values between each two neighbours of a row.
@inline(__always) private func blended(_ row: UnsafePointer<Float>, _ fraction: Float) -> SIMD8<Float> {
    let left = load(row)
    return left + (load(row + 1) - left) * fraction
}

/// The lanes' sum, in a fixed order.
@inline(__always) func total(_ v: SIMD8<Float>) -> Float {
    let four = v.lowHalf + v.highHalf
    let two = four.lowHalf + four.highHalf
    return two.x + two.y
}
