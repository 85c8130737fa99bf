/// The patch round one reference pixel: 32 samples on an 11 × 11 grid of step 2 without its corners, with the weights that make samples of
/// another brightness than the middle count less (bilateral weights, Schönberger et al. 2016).
struct ReferencePatch {
    /// The weights, summing to 1, and the weighted values; eight samples a vector.
    var w0, w1, w2, w3: SIMD8<Float>
    var r0, r1, r2, r3: SIMD8<Float>
    var mean: Float
    /// With the noise's variance.
    var variance: Float

    /// Half the patch's side in pixels.
    static let radius: Float = 5
    /// The variance of a photo's noise and rounding, in grey levels squared: patches with less contrast match by chance, and by adding it their
    /// correlation falls towards 0.
    static let noiseVariance: Float = 1.5
    /// The samples' places: rows of 4, 6, 6, 6, 6, 4 at odd distances from the middle.
    static let x0 = SIMD8<Float>(-3, -1, 1, 3, -5, -3, -1, 1), y0 = SIMD8<Float>(-5, -5, -5, -5, -3, -3, -3, -3)
    static let x1 = SIMD8<Float>(3, 5, -5, -3, -1, 1, 3, 5), y1 = SIMD8<Float>(-3, -3, -1, -1, -1, -1, -1, -1)
    static let x2 = SIMD8<Float>(-5, -3, -1, 1, 3, 5, -5, -3), y2 = SIMD8<Float>(1, 1, 1, 1, 1, 1, 3, 3)
    static let x3 = SIMD8<Float>(-1, 1, 3, 5, -3, -1, 1, 3), y3 = SIMD8<Float>(3, 3, 3, 3, 5, 5, 5, 5)

    /// - Parameter center: the word of the patch's middle.
    @inline(__always) init(_ center: UnsafePointer<UInt32>, stride: Int) {
        @inline(__always) func at(_ x: Int, _ y: Int) -> UInt32 { center[y &* stride &+ x] & 255 }
        let middle = Float(center[0] & 255)
        let v0 = SIMD8<UInt32>(at(-3, -5), at(-1, -5), at(1, -5), at(3, -5), at(-5, -3), at(-3, -3), at(-1, -3), at(1, -3)).asFloat
        let v1 = SIMD8<UInt32>(at(3, -3), at(5, -3), at(-5, -1), at(-3, -1), at(-1, -1), at(1, -1), at(3, -1), at(5, -1)).asFloat
        let v2 = SIMD8<UInt32>(at(-5, 1), at(-3, 1), at(-1, 1), at(1, 1), at(3, 1), at(5, 1), at(-5, 3), at(-3, 3)).asFloat
        let v3 = SIMD8<UInt32>(at(-1, 3), at(1, 3), at(3, 3), at(5, 3), at(-3, 5), at(-1, 5), at(1, 5), at(3, 5)).asFloat
        let g0 = ReferencePatch.weight(v0 - middle, ReferencePatch.x0, ReferencePatch.y0)
        let g1 = ReferencePatch.weight(v1 - middle, ReferencePatch.x1, ReferencePatch.y1)
        let g2 = ReferencePatch.weight(v2 - middle, ReferencePatch.x2, ReferencePatch.y2)
        let g3 = ReferencePatch.weight(v3 - middle, ReferencePatch.x3, ReferencePatch.y3)
        let scale = 1 / (g0 + g1 + g2 + g3).sum()
        (w0, w1, w2, w3) = (g0 * scale, g1 * scale, g2 * scale, g3 * scale)
        (r0, r1, r2, r3) = (w0 * v0, w1 * v1, w2 * v2, w3 * v3)
        mean = (r0 + r1 + r2 + r3).sum()
        let (d0, d1, d2, d3) = (v0 - mean, v1 - mean, v2 - mean, v3 - mean)
        variance = (w0 * d0 * d0 + w1 * d1 * d1 + w2 * d2 * d2 + w3 * d3 * d3).sum() + ReferencePatch.noiseVariance
        // Centred, so that the sums of products below don't cancel.
        (r0, r1, r2, r3) = (w0 * d0, w1 * d1, w2 * d2, w3 * d3)
    }

    /// exp(−|difference| / 18 − distance² / 50), the exponential as (1 − t/16)¹⁶.
    @inline(__always) private static func weight(_ difference: SIMD8<Float>, _ x: SIMD8<Float>, _ y: SIMD8<Float>) -> SIMD8<Float> {
        let size = difference.replacing(with: -difference, where: difference .< 0)
        let color: SIMD8<Float> = size * (1.0 / (18 * 16))
        let squares: SIMD8<Float> = x * x + y * y
        let near: SIMD8<Float> = squares * (1.0 / (50 * 16))
        var t: SIMD8<Float> = SIMD8(repeating: 1) - color - near
        t = t.replacing(with: 0, where: t .< 0)
        t *= t
        t *= t
        t *= t
        t *= t
        return t + 1e-6
    }

    /// 1 − the normalized cross-correlation with a source's pixels, 0…2, where the patch's middle falls on (x, y) of the source and a step
    /// along the reference's axes moves it by (jxx, jyx) and (jxy, jyy).
    ///
    /// - Precondition: the warped patch lies inside of the source.
    @inline(__always) func cost(
        _ pixels: UnsafePointer<UInt32>, stride: Float, x: Float, y: Float, jxx: Float, jxy: Float, jyx: Float, jyy: Float
    ) -> Float {
        let s0 =
            ReferencePatch.sample(
                pixels, stride, x + ReferencePatch.x0 * jxx + ReferencePatch.y0 * jxy, y + ReferencePatch.x0 * jyx + ReferencePatch.y0 * jyy
            ) - mean
        let s1 =
            ReferencePatch.sample(
                pixels, stride, x + ReferencePatch.x1 * jxx + ReferencePatch.y1 * jxy, y + ReferencePatch.x1 * jyx + ReferencePatch.y1 * jyy
            ) - mean
        let s2 =
            ReferencePatch.sample(
                pixels, stride, x + ReferencePatch.x2 * jxx + ReferencePatch.y2 * jxy, y + ReferencePatch.x2 * jyx + ReferencePatch.y2 * jyy
            ) - mean
        let s3 =
            ReferencePatch.sample(
                pixels, stride, x + ReferencePatch.x3 * jxx + ReferencePatch.y3 * jxy, y + ReferencePatch.x3 * jyx + ReferencePatch.y3 * jyy
            ) - mean
        let (t0, t1, t2, t3) = (w0 * s0, w1 * s1, w2 * s2, w3 * s3)
        let sum = ((t0 + t1) + (t2 + t3)).sum()
        let squares = ((t0 * s0 + t1 * s1) + (t2 * s2 + t3 * s3)).sum()
        let products = ((r0 * s0 + r1 * s1) + (r2 * s2 + r3 * s3)).sum()
        let sourceVariance = max(squares - sum * sum, 0) + ReferencePatch.noiseVariance
        return 1 - products / (variance * sourceVariance).squareRoot()
    }

    /// Eight bilinear samples at non-negative coordinates.
    @inline(__always) private static func sample(
        _ pixels: UnsafePointer<UInt32>, _ stride: Float, _ x: SIMD8<Float>, _ y: SIMD8<Float>
    ) -> SIMD8<Float> {
        // Adding 2²³ rounds to an integer, which then stands in the low bits: the floor and the conversion in one.
        let magic: Float = 8_388_608
        let left = (x - 0.5 + magic) - magic
        let top = (y - 0.5 + magic) - magic
        let index = unsafeBitCast(top * stride + left + magic, to: SIMD8<UInt32>.self) & 0x7FFFFF
        let words = SIMD8<UInt32>(
            pixels[Int(index[0])], pixels[Int(index[1])], pixels[Int(index[2])], pixels[Int(index[3])],
            pixels[Int(index[4])], pixels[Int(index[5])], pixels[Int(index[6])], pixels[Int(index[7])])
        let (fx, fy) = (x - left, y - top)
        let bits: UInt32 = 0x4B00_0000
        let a = unsafeBitCast(words & 255 | bits, to: SIMD8<Float>.self)
        let b = unsafeBitCast(words &>> 8 & 255 | bits, to: SIMD8<Float>.self)
        let c = unsafeBitCast(words &>> 16 & 255 | bits, to: SIMD8<Float>.self)
        let d = unsafeBitCast(words &>> 24 | bits, to: SIMD8<Float>.self)
        let above = (a - magic) + fx * (b - a)
        let below = (c - magic) + fx * (d - c)
        return above + fy * (below - above)
    }
}

extension SIMD8<UInt32> {
    /// The values, each under 2²³, as floats.
    @inline(__always) var asFloat: SIMD8<Float> { unsafeBitCast(self | 0x4B00_0000, to: SIMD8<Float>.self) - 8_388_608 }
}
