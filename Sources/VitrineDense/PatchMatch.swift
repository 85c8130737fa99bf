import VitrineMath
import VitrineVision

/// A photo that the reference is compared with, at one level of the pyramid. Owns nothing: the level's images stay alive while it is used.
struct StereoSource {
    let fromReference: StereoGeometry
    /// The first word, border included.
    let pixels: UnsafePointer<UInt32>
    let stride: Float
    /// Where a patch's middle, moved by its reach, has to stay: coordinates with the border counted in.
    let low: SIMD2<Float>
    let high: SIMD2<Float>
    /// What the source's own map says, for geometric consistency: 1/depth at the map's pixels, 0 where nothing is known; nil in the first pass.
    var inverseDepths: UnsafePointer<Float>?
    var mapWidth: Int32 = 0, mapHeight: Int32 = 0
    /// Map pixels per pixel of this level.
    var mapScale: Float = 1
    /// From map pixels back to the reference.
    var fromSource: StereoGeometry
}

/// Depth by PatchMatch for one reference photo at one level (Bleyer et al. 2011; checkerboard propagation and the choice of views follow
/// Xu & Tao 2019, "Multi-Scale Geometric Consistency Guided Multi-View Stereo").
///
/// Each pixel holds a plane (w, wx, wy): its inverse depth at the pixel's centre and what that gains per pixel to the right and down. A sweep
/// visits the pixels of one colour of the checkerboard, which read only the other colour and so may run in any order.
struct PatchMatch: @unchecked Sendable {
    // Sendable: each visit writes its own pixel's elements only, and reads those of the other colour, which nobody writes meanwhile.

    let width, height: Int
    /// Pixels, and the centre for coordinates that are 0 at the first pixel's middle.
    let focal, center: SIMD2<Float>
    /// The reference's word at pixel (0, 0).
    let reference: UnsafePointer<UInt32>
    let referenceStride: Int
    let sources: UnsafePointer<StereoSource>
    let sourceCount: Int
    /// (w, wx, wy, cost).
    let planes: UnsafeMutablePointer<SIMD4<Float>>
    /// `sourceCount` a pixel: what the pixel's plane costs in each source, 0…2 as 0…254; 255 where the source doesn't see it.
    let viewCosts: UnsafeMutablePointer<UInt8>
    /// Not 0 where a depth is wanted.
    let active: UnsafePointer<UInt8>
    /// 1/far…1/near.
    let inverseDepths: ClosedRange<Float>
    /// How many sources a hypothesis is judged by.
    let viewsPerPixel: Int
    let seed: UInt32
    /// For each pixel the inverse depth that is expected and what a pixel's step from it costs; nil where nothing is.
    var priors: UnsafePointer<SIMD2<Float>>?
    /// Offsets to pixels of the other colour within four pixels, `aroundCount` of them.
    let around: UnsafePointer<SIMD2<Int32>>

    /// A plane that no source sees.
    @inline(__always) static var unseen: Float { 2 }
    /// What a step of one pixel between where the reference and the source's map see a point costs, and at how many pixels that ends.
    @inline(__always) static var consistencyWeight: Float { 0.15 }
    @inline(__always) static var consistencyLimit: Float { 2 }

    /// How much worse the mean of the planes around may fit than a pixel's own plane and still take its place, as a share of the plane's own
    /// cost: the worse a plane fits, the more of that is noise.
    @inline(__always) static var smoothTolerance: Float { 0.02 }
    /// Pixels whose grey levels differ by less are taken to be of one surface.
    @inline(__always) static var sameBrightness: Int32 { 24 }

    static let aroundCount = 24
    /// (±1, 0), (±3, 0), (±1, ±2), (±3, ±2) and the same with the axes swapped.
    static let aroundOffsets: [SIMD2<Int32>] = {
        var result: [SIMD2<Int32>] = []
        for y in Int32(-3)...3 { for x in Int32(-3)...3 where (x + y) & 1 != 0 { result.append(SIMD2(x, y)) } }
        return result
    }()

    /// What a step away from what is expected costs.
    @inline(__always) static func priorCost(_ prior: SIMD2<Float>, _ w: Float, _ step: Float) -> Float {
        prior.y > 0 ? prior.y * min(abs(w - prior.x) / step, 3) : 0
    }

    /// What a source says of a plane at a pixel, 0…2.
    ///
    /// - Parameter infinity: `fromReference.atInfinity` of the pixel.
    @inline(never)
    static func viewCost(
        _ patch: ReferencePatch, _ source: UnsafePointer<StereoSource>, infinity: SIMD4<Float>, pixel: SIMD2<Float>,
        plane: SIMD4<Float>
    ) -> Float {
        let g = source.pointee.fromReference
        let q = infinity + g.b * plane.x
        guard q.z > 0.05, q.z < 20 else { return unseen }
        let inverse = 1 / q.z
        let (x, y) = (q.x * inverse, q.y * inverse)
        let dx = g.mx + g.b * plane.y
        let dy = g.my + g.b * plane.z
        // The homography's derivative: over a patch it is as good as the homography, without a division a sample.
        let (jxx, jxy) = ((dx.x - x * dx.z) * inverse, (dy.x - x * dy.z) * inverse)
        let (jyx, jyy) = ((dx.y - y * dx.z) * inverse, (dy.y - y * dy.z) * inverse)
        let (reachX, reachY) = (ReferencePatch.radius * (abs(jxx) + abs(jxy)), ReferencePatch.radius * (abs(jyx) + abs(jyy)))
        let border = Float(StereoImage.border)
        let (px, py) = (x + border, y + border)
        guard px - reachX >= source.pointee.low.x, py - reachY >= source.pointee.low.y, px + reachX <= source.pointee.high.x,
            py + reachY <= source.pointee.high.y
        else { return unseen }
        let area = jxx * jyy - jxy * jyx
        guard area > 0.1, reachX < 20, reachY < 20 else { return unseen }
        var cost = patch.cost(
            source.pointee.pixels, stride: source.pointee.stride, x: px, y: py, jxx: jxx, jxy: jxy, jyx: jyx, jyy: jyy)
        if let map = source.pointee.inverseDepths {
            cost += consistencyWeight * inconsistency(source, map, x, y, pixel)
            cost = min(cost, unseen)
        }
        return cost
    }

    /// How far from `pixel` the point falls that the source's map shows at (x, y), in pixels, at most the limit.
    @inline(__always)
    private static func inconsistency(
        _ source: UnsafePointer<StereoSource>, _ map: UnsafePointer<Float>, _ x: Float, _ y: Float, _ pixel: SIMD2<Float>
    ) -> Float {
        let scale = source.pointee.mapScale
        let column = min(max(Int32((x + 0.5) * scale), 0), source.pointee.mapWidth &- 1)
        let row = min(max(Int32((y + 0.5) * scale), 0), source.pointee.mapHeight &- 1)
        let w = map[Int(row &* source.pointee.mapWidth &+ column)]
        guard w > 0 else { return consistencyLimit }
        // The map's depth at its pixel's centre stands for the point's: the place itself isn't rounded.
        let q = source.pointee.fromSource.atInfinity((x + 0.5) * scale - 0.5, (y + 0.5) * scale - 0.5) + source.pointee.fromSource.b * w
        guard q.z > 0 else { return consistencyLimit }
        let (ex, ey) = (q.x / q.z - pixel.x, q.y / q.z - pixel.y)
        return min((ex * ex + ey * ey).squareRoot(), consistencyLimit)
    }

    /// Whether a plane is within the depths and not seen too much from the side.
    @inline(__always) func isPlausible(_ plane: SIMD4<Float>, x: Float, y: Float) -> Bool {
        guard plane.x >= inverseDepths.lowerBound, plane.x <= inverseDepths.upperBound else { return false }
        let across = direction(plane, x: x, y: y)
        let ray = self.ray(x, y)
        // The cosine to the ray, squared, against that of 80°.
        return plane.x * plane.x > 0.03 * (across * across).sum() * (ray * ray).sum()
    }

    /// (x/z, y/z, 1) at a pixel.
    @inline(__always) func ray(_ x: Float, _ y: Float) -> SIMD4<Float> {
        let ray = (SIMD2(x, y) - center) / focal
        return SIMD4(ray.x, ray.y, 1, 0)
    }

    /// The plane's (a, b, c) with a X + b Y + c Z = 1 in the camera's frame: away from the camera.
    @inline(__always) func direction(_ plane: SIMD4<Float>, x: Float, y: Float) -> SIMD4<Float> {
        let ray = self.ray(x, y)
        let (a, b) = (plane.y * focal.x, plane.z * focal.y)
        return SIMD4(a, b, plane.x - a * ray.x - b * ray.y, 0)
    }

    /// The plane through a pixel at inverse depth `w` with a direction (either sign, any length).
    @inline(__always) func plane(w: Float, direction: SIMD4<Float>, x: Float, y: Float) -> SIMD4<Float> {
        let ray = self.ray(x, y)
        let scale = w / (direction * ray).sum()
        return SIMD4(w, direction.x * scale / focal.x, direction.y * scale / focal.y, 0)
    }
}

/// A small generator of random numbers that depends only on its seed.
struct PixelRandom {
    var state: UInt32

    @inline(__always) init(_ seed: UInt32, _ index: Int) {
        state = seed &* 0x9E37_79B9 ^ UInt32(truncatingIfNeeded: index) &* 0x85EB_CA6B
        state = (state ^ state >> 16) &* 0x7FEB_352D
        state = (state ^ state >> 15) &* 0x846C_A68B
        state ^= state >> 16
        if state == 0 { state = 1 }
    }

    /// −1…1 (xorshift, Marsaglia 2003).
    @inline(__always) mutating func signed() -> Float {
        state ^= state << 13
        state ^= state >> 17
        state ^= state << 5
        return Float(Int32(bitPattern: state) >> 8) * (1 / 8_388_608)
    }
}
