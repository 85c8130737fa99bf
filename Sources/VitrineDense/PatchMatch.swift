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
///
/// Sendable, unchecked: what the pointers point to is owned by `StereoLevel`, which outlives every use. Each visit writes its own pixel's
/// elements only, and reads those of the other colour, which nobody writes meanwhile; sweeps follow each other.
struct PatchMatch: @unchecked Sendable {
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

    /// A plane that no source sees.
    @inline(__always) static var unseen: Float { 2 }
    /// What a step of one pixel between where the reference and the source's map see a point costs, and at how many pixels that ends.
    @inline(__always) static var consistencyWeight: Float { 0.15 }
    @inline(__always) static var consistencyLimit: Float { 2 }

    /// What a step away from what is expected costs.
    @inline(__always) static func priorCost(_ prior: SIMD2<Float>, _ w: Float, _ step: Float) -> Float {
        prior.y > 0 ? prior.y * min(abs(w - prior.x) / step, 3) : 0
    }

    /// What a source says of a plane at a pixel, 0…2: how badly it fits the photo, and how far it is from the source's own map.
    ///
    /// - Parameter infinity: `fromReference.atInfinity` of the pixel.
    static func viewCost(
        _ patch: ReferencePatch, _ source: UnsafePointer<StereoSource>, infinity: SIMD4<Float>, pixel: SIMD2<Float>,
        plane: SIMD4<Float>
    ) -> Float {
        let cost = patchCost(patch, source, infinity: infinity, plane: plane)
        return min(cost + consistencyCost(source, infinity: infinity, pixel: pixel, w: plane.x), unseen)
    }

    /// 1 − the correlation of the patch with what the source shows of it, 0…2; `unseen` where it doesn't.
    @inline(never)
    static func patchCost(
        _ patch: ReferencePatch, _ source: UnsafePointer<StereoSource>, infinity: SIMD4<Float>, plane: SIMD4<Float>
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
        return patch.cost(
            source.pointee.pixels, stride: source.pointee.stride, x: px, y: py, jxx: jxx, jxy: jxy, jyx: jyx, jyy: jyy)
    }

    /// What it costs how far from `pixel` the point falls that the source's map shows where a point of inverse depth `w` does; 0 in the first
    /// pass, which has no maps.
    @inline(__always)
    static func consistencyCost(
        _ source: UnsafePointer<StereoSource>, infinity: SIMD4<Float>, pixel: SIMD2<Float>, w: Float
    ) -> Float {
        guard let map = source.pointee.inverseDepths else { return 0 }
        let most = consistencyWeight * consistencyLimit
        let there = infinity + source.pointee.fromReference.b * w
        guard there.z > 0.05 else { return most }
        let scale = source.pointee.mapScale
        let (x, y) = ((there.x / there.z + 0.5) * scale, (there.y / there.z + 0.5) * scale)
        let column = Int32(min(max(x, 0), Float(source.pointee.mapWidth &- 1)))
        let row = Int32(min(max(y, 0), Float(source.pointee.mapHeight &- 1)))
        let known = map[Int(row &* source.pointee.mapWidth &+ column)]
        guard known > 0 else { return most }
        // The map's depth at its pixel's centre stands for the point's: the place itself isn't rounded.
        let back = source.pointee.fromSource.atInfinity(x - 0.5, y - 0.5) + source.pointee.fromSource.b * known
        guard back.z > 0 else { return most }
        let (ex, ey) = (back.x / back.z - pixel.x, back.y / back.z - pixel.y)
        return consistencyWeight * min((ex * ex + ey * ey).squareRoot(), consistencyLimit)
    }

    /// Whether a plane is within the depths and not seen too much from the side.
    @inline(__always) func isPlausible(_ plane: SIMD4<Float>, ray: SIMD4<Float>) -> Bool {
        guard plane.x >= inverseDepths.lowerBound, plane.x <= inverseDepths.upperBound else { return false }
        let across = direction(plane, ray: ray)
        // The cosine to the ray, squared, against that of 80°.
        return plane.x * plane.x > 0.03 * (across * across).sum() * (ray * ray).sum()
    }

    /// (x/z, y/z, 1) at a pixel.
    @inline(__always) func ray(_ x: Float, _ y: Float) -> SIMD4<Float> {
        let ray = (SIMD2(x, y) - center) / focal
        return SIMD4(ray.x, ray.y, 1, 0)
    }

    /// The plane's (a, b, c) with a X + b Y + c Z = 1 in the camera's frame: away from the camera.
    @inline(__always) func direction(_ plane: SIMD4<Float>, ray: SIMD4<Float>) -> SIMD4<Float> {
        let (a, b) = (plane.y * focal.x, plane.z * focal.y)
        return SIMD4(a, b, plane.x - a * ray.x - b * ray.y, 0)
    }

    /// The plane through a pixel at inverse depth `w` with a direction (either sign, any length).
    @inline(__always) func plane(w: Float, direction: SIMD4<Float>, ray: SIMD4<Float>) -> SIMD4<Float> {
        let scale = w / (direction * ray).sum()
        return SIMD4(w, direction.x * scale / focal.x, direction.y * scale / focal.y, 0)
    }
}
