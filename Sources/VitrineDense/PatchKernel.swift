/// The patch around a reference pixel: 32 samples of an 11 × 11 grid with a step of 2, without its corners, with bilateral weights: samples of
/// another brightness than the centre count less (Schönberger et al. 2016).
///
/// Stored in 24 vectors in memory: the compiler splits vectors of 8 lanes when a structure of them is
/// copied, or their lanes are summed in the same function, which is three times as slow.
package struct ReferencePatch {
    /// 0…3: the weights, which sum to 1; 4…7: the weighted differences from the mean; 8…11 and 12…15: the samples' positions; 16: the mean, the
    /// variance and the largest bend; 17…19: partial sums; 20…23: the samples' bends: differences of their inverse depths from the plane.
    let vectors: UnsafeMutablePointer<SIMD8<Float>>

    static let vectorCount = 24
    /// Half the patch's side in pixels.
    @inline(__always) package static var radius: Float { 5 }
    /// The mean square distance of the samples from the centre along an axis, weighted by distance, in pixels squared.
    @inline(__always) static var secondMoment: Float { 8.75 }
    /// The variance of a photo's noise and rounding, in grey levels squared. Patches with less contrast match by chance; adding the variance makes their
    /// correlation approach 0.
    @inline(__always) package static var noiseVariance: Float { 1.5 }

    /// Creates an empty patch in given memory.
    ///
    /// - Parameter vectors: Memory for `vectorCount` vectors, owned by the caller.
    init(_ vectors: UnsafeMutablePointer<SIMD8<Float>>) {
        self.vectors = vectors
        vectors.initialize(repeating: .zero, count: ReferencePatch.vectorCount)
        for (index, position) in ReferencePatch.positions.enumerated() {
            vectors[8 + index / 8][index % 8] = position.x
            vectors[12 + index / 8][index % 8] = position.y
        }
    }

    /// The samples' positions relative to the centre, pixels: rows of 4, 6, 6, 6, 6, 4 samples at odd distances.
    package static let positions: [SIMD2<Float>] = {
        var positions: [SIMD2<Float>] = []
        for y in stride(from: -5, through: 5, by: 2) {
            for x in stride(from: -5, through: 5, by: 2) where !(abs(x) == 5 && abs(y) == 5) {
                positions.append(SIMD2(Float(x), Float(y)))
            }
        }
        return positions
    }()

    /// The largest size of a bend.
    @inline(__always) var largestBend: Float { vectors[16][2] }

    /// A bound of the bends of the samples: the difference of inverse depths from the plane at the patch's corner.
    ///
    /// - Parameter curvature: As for `load`.
    @inline(__always) static func largestBend(_ curvature: SIMD4<Float>) -> Float {
        0.5 * radius * radius * (abs(curvature.x) + 2 * abs(curvature.y) + abs(curvature.z))
    }

    /// Loads the patch around a pixel.
    ///
    /// - Parameters:
    ///   - center: The word of the patch's centre.
    ///   - curvature: The second derivatives (xx, xy, yy, 0) of the inverse depth.
    @inline(never) func load(_ center: UnsafePointer<UInt32>, stride: Int, curvature: SIMD4<Float> = .zero) {
        @inline(__always) func at(_ x: Int, _ y: Int) -> UInt32 { center[y &* stride &+ x] & 255 }
        let middle = Float(center[0] & 255)
        let v0 = SIMD8<UInt32>(at(-3, -5), at(-1, -5), at(1, -5), at(3, -5), at(-5, -3), at(-3, -3), at(-1, -3), at(1, -3)).asFloat
        let v1 = SIMD8<UInt32>(at(3, -3), at(5, -3), at(-5, -1), at(-3, -1), at(-1, -1), at(1, -1), at(3, -1), at(5, -1)).asFloat
        let v2 = SIMD8<UInt32>(at(-5, 1), at(-3, 1), at(-1, 1), at(1, 1), at(3, 1), at(5, 1), at(-5, 3), at(-3, 3)).asFloat
        let v3 = SIMD8<UInt32>(at(-1, 3), at(1, 3), at(3, 3), at(5, 3), at(-3, 5), at(-1, 5), at(1, 5), at(3, 5)).asFloat
        let p = vectors
        let g0 = ReferencePatch.weight(v0 - middle, p[8], p[12])
        let g1 = ReferencePatch.weight(v1 - middle, p[9], p[13])
        let g2 = ReferencePatch.weight(v2 - middle, p[10], p[14])
        let g3 = ReferencePatch.weight(v3 - middle, p[11], p[15])
        p[17] = (g0 + g1) + (g2 + g3)
        p[18] = (g0 * v0 + g1 * v1) + (g2 * v2 + g3 * v3)
        let sums = ReferencePatch.totals(p + 17)
        let scale = 1 / sums.x
        let mean = sums.y * scale
        let (d0, d1, d2, d3) = (v0 - mean, v1 - mean, v2 - mean, v3 - mean)
        (p[0], p[1], p[2], p[3]) = (g0 * scale, g1 * scale, g2 * scale, g3 * scale)
        // Centred, so that the sums of products do not cancel.
        (p[4], p[5], p[6], p[7]) = (p[0] * d0, p[1] * d1, p[2] * d2, p[3] * d3)
        p[17] = (p[4] * d0 + p[5] * d1) + (p[6] * d2 + p[7] * d3)
        let variance = ReferencePatch.totals(p + 17).x + ReferencePatch.noiseVariance
        p[16] = SIMD8(mean, variance, ReferencePatch.largestBend(curvature), 0, 0, 0, 0, 0)
        let (xx, xy, yy) = (0.5 * curvature.x, curvature.y, 0.5 * curvature.z)
        for part in 0..<4 {
            let (x, y) = (p[8 + part], p[12 + part])
            let across: SIMD8<Float> = x * xx + y * xy
            let down: SIMD8<Float> = y * y * yy
            p[20 + part] = x * across + down
        }
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

    /// 1 − the normalized cross-correlation with a source's pixels, 0…2, if the patch's centre maps to (x, y) of the source and a step
    /// along the reference's axes to (jxx, jyx) and (jxy, jyy), and a bend of 1 moves a sample by (bx, by).
    ///
    /// - Precondition: The warped patch is inside the source.
    @inline(__always) func cost(
        _ pixels: UnsafePointer<UInt32>, stride: Float, x: Float, y: Float, jxx: Float, jxy: Float, jyx: Float, jyy: Float,
        bx: Float = 0, by: Float = 0
    ) -> Float {
        let p = vectors
        let (mean, variance) = (p[16][0], p[16][1])
        let s0 = sample(pixels, stride, along(0, x, jxx, jxy, bx), along(0, y, jyx, jyy, by)) - mean
        let s1 = sample(pixels, stride, along(1, x, jxx, jxy, bx), along(1, y, jyx, jyy, by)) - mean
        let s2 = sample(pixels, stride, along(2, x, jxx, jxy, bx), along(2, y, jyx, jyy, by)) - mean
        let s3 = sample(pixels, stride, along(3, x, jxx, jxy, bx), along(3, y, jyx, jyy, by)) - mean
        let (t0, t1, t2, t3) = (p[0] * s0, p[1] * s1, p[2] * s2, p[3] * s3)
        p[17] = (t0 + t1) + (t2 + t3)
        p[18] = (t0 * s0 + t1 * s1) + (t2 * s2 + t3 * s3)
        p[19] = (p[4] * s0 + p[5] * s1) + (p[6] * s2 + p[7] * s3)
        let sums = ReferencePatch.totals(p + 17)
        let sourceVariance = max(sums.y - sums.x * sums.x, 0) + ReferencePatch.noiseVariance
        return 1 - sums.z / (variance * sourceVariance).squareRoot()
    }

    /// A coordinate of eight samples in the source.
    @inline(__always) private func along(_ part: Int, _ start: Float, _ jx: Float, _ jy: Float, _ b: Float) -> SIMD8<Float> {
        let p = vectors
        let flat: SIMD8<Float> = start + p[8 &+ part] * jx + p[12 &+ part] * jy
        return flat + p[20 &+ part] * b
    }

    /// The sums of the lanes of three vectors in a row.
    @inline(never) private static func totals(_ vectors: UnsafeMutablePointer<SIMD8<Float>>) -> SIMD4<Float> {
        let p = UnsafeRawPointer(vectors).assumingMemoryBound(to: SIMD4<Float>.self)
        let (x, y, z) = (p[0] + p[1], p[2] + p[3], p[4] + p[5])
        let xy = SIMD4(x[0] + x[2], x[1] + x[3], y[0] + y[2], y[1] + y[3])
        return SIMD4(xy.x + xy.y, xy.z + xy.w, (z.x + z.y) + (z.z + z.w), 0)
    }

    /// Eight bilinear samples at coordinates of 1 or more.
    @inline(__always) private func sample(
        _ pixels: UnsafePointer<UInt32>, _ stride: Float, _ x: SIMD8<Float>, _ y: SIMD8<Float>
    ) -> SIMD8<Float> {
        // Adding 2²³ rounds to an integer in the low bits: floor and conversion in one step.
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
