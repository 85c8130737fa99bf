import VitrineMath
import VitrineVision

/// A source photo at one level of the pyramid. Does not own its memory: the level's images outlive it.
package struct StereoSource {
    package let fromReference: StereoGeometry
    /// The first word, including the border.
    let pixels: UnsafePointer<UInt32>
    let stride: Float
    /// The range of a patch's centre that keeps the patch inside the image; coordinates include the border.
    package let low: SIMD2<Float>
    package let high: SIMD2<Float>
    /// The source's depth map, for geometric consistency: 1/depth at its pixels, 0 where unknown; nil in the first pass.
    package var inverseDepths: UnsafePointer<Float>?
    package var mapWidth: Int32 = 0, mapHeight: Int32 = 0
    /// Map pixels per pixel of this level.
    package var mapScale: Float = 1
    /// The geometry from map pixels back to the reference.
    package var fromSource: StereoGeometry
}

/// PatchMatch stereo for one reference photo at one level (Bleyer et al. 2011; checkerboard propagation and view selection follow
/// Xu & Tao 2019, "Multi-Scale Geometric Consistency Guided Multi-View Stereo").
///
/// Each pixel has a plane (w, wx, wy): its inverse depth at the pixel's centre, and the increments per pixel to the right and down. The surface of its
/// patch is that plane, bent by `curvatures`. A sweep
/// visits the pixels of one colour of the checkerboard, which read only the other colour, so that their order does not matter.
///
/// Sendable, unchecked: `StereoLevel` owns the memory and outlives every use. Each visit writes its own pixel's
/// elements only, and reads those of the other colour, which no thread writes at that time; sweeps run one after another.
package struct PatchMatch: @unchecked Sendable {
    package let width, height: Int
    /// Pixels, and the principal point in coordinates that are 0 at the first pixel's centre.
    package let focal, center: SIMD2<Float>
    /// The reference's word at pixel (0, 0).
    let reference: UnsafePointer<UInt32>
    let referenceStride: Int
    package let sources: UnsafePointer<StereoSource>
    package let sourceCount: Int
    /// (w, wx, wy, cost).
    package let planes: UnsafeMutablePointer<SIMD4<Float>>
    /// The second derivatives (xx, xy, yy, 0) of the inverse depth at each pixel, per pixel squared: patches follow the surface's curvature.
    package let curvatures: UnsafeMutablePointer<SIMD4<Float>>
    /// The cost of each pixel's plane in each source, `sourceCount` values per pixel, 0…2 as 0…254; 255 if the source does not observe it.
    let viewCosts: UnsafeMutablePointer<UInt8>
    /// The pixels whose depth is estimated: not 0.
    package let active: UnsafePointer<UInt8>
    /// The range of inverse depths, from 1/far to 1/near.
    package let inverseDepths: ClosedRange<Float>
    /// The number of sources that the cost of a hypothesis averages.
    package let viewsPerPixel: Int
    package let seed: UInt32
    /// The expected inverse depth of each pixel and the cost per pixel of deviation from it; nil without a prior.
    package var priors: UnsafePointer<SIMD2<Float>>?

    /// The cost of a plane that no source observes.
    @inline(__always) package static var unseen: Float { 2 }
    /// The cost of one pixel of reprojection error between the reference's and the source's map, and the error at which it saturates.
    @inline(__always) package static var consistencyWeight: Float { 0.15 }
    @inline(__always) package static var consistencyLimit: Float { 2 }

    /// The cost of a step away from the expected value.
    @inline(__always) static func priorCost(_ prior: SIMD2<Float>, _ w: Float, _ step: Float) -> Float {
        prior.y > 0 ? prior.y * min(abs(w - prior.x) / step, 3) : 0
    }

    /// The cost of a plane at a pixel in one source, 0…2: the photometric cost, and the distance from the source's own map.
    ///
    /// - Parameter infinity: `fromReference.atInfinity` of the pixel.
    static func viewCost(
        _ patch: ReferencePatch, _ source: UnsafePointer<StereoSource>, infinity: SIMD4<Float>, pixel: SIMD2<Float>,
        plane: SIMD4<Float>
    ) -> Float {
        let cost = patchCost(patch, source, infinity: infinity, plane: plane)
        return min(cost + consistencyCost(source, infinity: infinity, pixel: pixel, w: plane.x), unseen)
    }

    /// 1 − the correlation of the patch with its projection in the source, 0…2; `unseen` outside of the source.
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
        // The movement of a sample whose inverse depth differs from the plane's.
        let (bx, by) = ((g.b.x - x * g.b.z) * inverse, (g.b.y - y * g.b.z) * inverse)
        // The derivative of the homography: accurate enough over a patch, without a division per sample.
        let (jxx, jxy) = ((dx.x - x * dx.z) * inverse, (dy.x - x * dy.z) * inverse)
        let (jyx, jyy) = ((dx.y - y * dx.z) * inverse, (dy.y - y * dy.z) * inverse)
        let bend = patch.largestBend
        let reachX = ReferencePatch.radius * (abs(jxx) + abs(jxy)) + bend * abs(bx)
        let reachY = ReferencePatch.radius * (abs(jyx) + abs(jyy)) + bend * abs(by)
        let border = Float(StereoImage.border)
        let (px, py) = (x + border, y + border)
        guard px - reachX >= source.pointee.low.x, py - reachY >= source.pointee.low.y, px + reachX <= source.pointee.high.x,
            py + reachY <= source.pointee.high.y
        else { return unseen }
        let area = jxx * jyy - jxy * jyx
        guard area > 0.1, reachX < 20, reachY < 20 else { return unseen }
        return patch.cost(
            source.pointee.pixels, stride: source.pointee.stride, x: px, y: py, jxx: jxx, jxy: jxy, jyx: jyx, jyy: jyy,
            bx: bx, by: by)
    }

    /// The cost of the reprojection distance: a point of inverse depth `w` at `pixel` is projected into the source, and the point of the
    /// source's map at that pixel is projected back. 0 in the first pass, which has no maps.
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
        // Takes the depth at the centre of the map's pixel; the position itself is not rounded.
        let back = source.pointee.fromSource.atInfinity(x - 0.5, y - 0.5) + source.pointee.fromSource.b * known
        guard back.z > 0 else { return most }
        let (ex, ey) = (back.x / back.z - pixel.x, back.y / back.z - pixel.y)
        return consistencyWeight * min((ex * ex + ey * ey).squareRoot(), consistencyLimit)
    }

    /// The difference of inverse depths that moves a point of inverse depth `w` by one pixel of a source.
    ///
    /// - Parameters:
    ///   - infinity, b: `atInfinity` of the pixel and `b` of the source's geometry.
    @inline(__always) func inverseDepthOfPixel(_ infinity: SIMD4<Float>, _ b: SIMD4<Float>, w: Float) -> Float {
        let q = infinity + b * w
        let shift = SIMD2(b.x * q.z - b.z * q.x, b.y * q.z - b.z * q.y)
        let pixelsPerInverse = max((shift * shift).sum().squareRoot() / (q.z * q.z), 1e-12)
        return min(1 / pixelsPerInverse, inverseDepths.upperBound)
    }

    /// Whether a plane is within the depth range and not at a grazing angle.
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

    /// The plane's (a, b, c) with a X + b Y + c Z = 1 in the camera's frame: points away from the camera.
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

extension PatchMatch {
    private static let rowsPerTask = 4

    /// Computes the costs of all planes.
    func evaluate(in context: StageContext) throws {
        try rows(context) { y, visit in
            for x in 0..<width where active[y &* width &+ x] != 0 {
                let index = y &* width &+ x
                prepare(visit, x, y)
                let pixel = SIMD2(Float(x), Float(y))
                for view in 0..<sourceCount {
                    visit.costs[view] = PatchMatch.viewCost(
                        visit.patch, sources + view, infinity: visit.infinity[view], pixel: pixel, plane: planes[index])
                    viewCosts[index &* sourceCount &+ view] = PatchMatch.code(visit.costs[view])
                }
                planes[index].w = meanOfBest(visit)
            }
        }
    }

    /// Tries for each pixel its neighbours' planes and small changes of its own.
    ///
    /// - Parameter isLast: Whether no other sweep of the level follows.
    func run(_ sweep: Sweep, isLast: Bool, in context: StageContext) throws {
        for color in 0..<2 {
            // No other pixel reads the views of the last pixels that a level visits.
            let needsViewCosts = color == 0 || !isLast
            try rows(context) { y, visit in
                var x = (y &+ color) & 1
                PatchMatch.goodness.withUnsafeBufferPointer { goodness in
                    sweep.steps.withUnsafeBufferPointer { steps in
                        while x < width {
                            if active[y &* width &+ x] != 0 {
                                self.visit(x, y, visit, sweep, steps, goodness, needsViewCosts: needsViewCosts)
                            }
                            x &+= 2
                        }
                    }
                }
            }
        }
    }

    /// Calls `body` for each row, on all threads.
    private func rows(_ context: StageContext, _ body: (Int, PatchVisit) -> Void) throws {
        // `body` only reads its captures; each row writes its own pixels.
        try withoutActuallyEscaping(body) { body in
            nonisolated(unsafe) let work = body
            try context.forEachChunk(of: height, size: PatchMatch.rowsPerTask) { rows in
                let visit = PatchVisit(views: sourceCount)
                for y in rows { work(y, visit) }
                visit.deallocate()
            }
        }
    }

    @inline(__always) private func prepare(_ visit: PatchVisit, _ x: Int, _ y: Int) {
        visit.patch.load(reference + (y &* referenceStride &+ x), stride: referenceStride, curvature: curvatures[y &* width &+ x])
        for view in 0..<sourceCount { visit.infinity[view] = sources[view].fromReference.atInfinity(Float(x), Float(y)) }
    }

    private func visit(
        _ x: Int, _ y: Int, _ visit: PatchVisit, _ sweep: Sweep, _ steps: UnsafeBufferPointer<SIMD2<Float>>,
        _ goodness: UnsafeBufferPointer<Float>, needsViewCosts: Bool
    ) {
        let index = y &* width &+ x
        prepare(visit, x, y)
        let count = chooseViews(x, y, visit, goodness)
        let (fx, fy) = (Float(x), Float(y))
        let pixel = SIMD2(fx, fy)
        let ray = self.ray(fx, fy)
        let start = planes[index]
        var best = start
        var bestCost: Float = 0
        for rank in 0..<count {
            let code = viewCosts[index &* sourceCount &+ visit.order[rank]]
            bestCost += visit.weights[rank] * (code == 255 ? PatchMatch.unseen : Float(code) * (1 / 127))
        }
        // The inverse depth of one pixel in the best source.
        let main = visit.order[0]
        let step = inverseDepthOfPixel(visit.infinity[main], sources[main].fromReference.b, w: start.x)

        let prior = priors?[index] ?? .zero
        bestCost += PatchMatch.priorCost(prior, start.x, step)

        @inline(__always) func attempt(_ plane: SIMD4<Float>) {
            guard isPlausible(plane, ray: ray) else { return }
            let limit = bestCost - 1e-4
            var sum = PatchMatch.priorCost(prior, plane.x, step)
            // The costs by the maps are cheap, and often sufficient.
            for rank in 0..<count {
                let view = visit.order[rank]
                let cost = PatchMatch.consistencyCost(sources + view, infinity: visit.infinity[view], pixel: pixel, w: plane.x)
                visit.trial[rank] = cost
                sum += visit.weights[rank] * cost
            }
            if sum >= limit { return }
            var rank = 0
            while rank < count {
                let view = visit.order[rank]
                let cost = PatchMatch.patchCost(visit.patch, sources + view, infinity: visit.infinity[view], plane: plane)
                visit.trial[rank] += cost
                sum += visit.weights[rank] * cost
                // The remaining costs cannot make it better than the best plane.
                if sum >= limit { return }
                rank &+= 1
            }
            (best, bestCost) = (plane, sum)
            for rank in 0..<count { visit.won[rank] = visit.trial[rank] }
        }
        let curvature = curvatures[index]
        @inline(__always) func attemptNeighbor(_ neighbor: Int, _ dx: Int, _ dy: Int) {
            var plane = planes[neighbor]
            let (fx, fy) = (Float(dx), Float(dy))
            plane.x -= plane.y * fx + plane.z * fy
            plane.w = 0
            // The estimate of the curvature reaches eight pixels.
            if dx &* dx &+ dy &* dy <= 64 {
                let turn = SIMD2(curvature.x * fx + curvature.y * fy, curvature.y * fx + curvature.z * fy)
                plane.x += 0.5 * (turn.x * fx + turn.y * fy)
                plane.y -= turn.x
                plane.z -= turn.y
            }
            let change = plane - best
            // Nearly the same plane: small changes reach it.
            if abs(change.x) < 0.02 * step, (abs(change.y) + abs(change.z)) * ReferencePatch.radius < 0.04 * step { return }
            attempt(plane)
        }

        for direction in 0..<4 {
            // Right, left, down, up.
            let (ux, uy) = (direction == 0 ? 1 : direction == 1 ? -1 : 0, direction == 2 ? 1 : direction == 3 ? -1 : 0)
            var lowest = Float.infinity
            var (bestX, bestY) = (0, 0)
            @inline(__always) func look(_ dx: Int, _ dy: Int) {
                let (nx, ny) = (x &+ dx, y &+ dy)
                guard nx >= 0, ny >= 0, nx < width, ny < height else { return }
                let neighbor = ny &* width &+ nx
                guard active[neighbor] != 0, planes[neighbor].w < lowest else { return }
                (lowest, bestX, bestY) = (planes[neighbor].w, dx, dy)
            }
            look(ux, uy)
            for along in 2..<5 {
                look(ux &* along &+ uy &* (along &- 1), uy &* along &+ ux &* (along &- 1))
                look(ux &* along &- uy &* (along &- 1), uy &* along &- ux &* (along &- 1))
            }
            if lowest < .infinity { attemptNeighbor((y &+ bestY) &* width &+ x &+ bestX, bestX, bestY) }
            guard sweep.armReach > 0 else { continue }
            lowest = .infinity
            for along in 1...sweep.armReach { look(ux &* (2 &* along &+ 1), uy &* (2 &* along &+ 1)) }
            if lowest < .infinity { attemptNeighbor((y &+ bestY) &* width &+ x &+ bestX, bestX, bestY) }
        }

        var random = PixelRandom(seed &+ UInt32(truncatingIfNeeded: sweep.number) &* 7919, index)
        if sweep.triesAnywhere { attempt(anyPlane(&random, ray: ray)) }
        for size in steps {
            var plane = best
            plane.x += size.x * step * random.signed()
            if size.y > 0 {
                let across = direction(best, ray: ray)
                let length = (across * across).sum().squareRoot()
                let turn = SIMD4<Float>(random.signed(), random.signed(), random.signed(), 0) * (size.y * length)
                plane = self.plane(w: plane.x, direction: across + turn, ray: ray)
            }
            attempt(plane)
        }

        if best.x != start.x || best.y != start.y || best.z != start.z {
            best.w = bestCost
            planes[index] = best
            if needsViewCosts { storeViewCosts(of: best, at: index, pixel, count, visit) }
        } else {
            planes[index].w = bestCost
        }
    }

}

extension StageContext {
    /// Calls `body` for pieces of 0..<count, from several threads; stops early, and throws, if the stage is cancelled.
    func forEachChunk(of count: Int, size: Int, _ body: (Range<Int>) -> Void) throws(CancellationError) {
        withoutActuallyEscaping(body) { body in
            // `body` is called from several threads at once: the caller ensures that each piece writes its own part only.
            nonisolated(unsafe) let work = body
            parallel.forEachChunk(of: count, size: size) { if !isCancelled { work($0) } }
        }
        try checkCancellation()
    }
}

extension PatchMatch {
    /// A random plane within the depth range that faces the camera.
    @inline(__always) func anyPlane(_ random: inout PixelRandom, ray: SIMD4<Float>) -> SIMD4<Float> {
        let share = 0.5 * (random.signed() + 1)
        let w = inverseDepths.lowerBound + share * (inverseDepths.upperBound - inverseDepths.lowerBound)
        // Within 60° or so of the ray.
        let length = (ray * ray).sum().squareRoot()
        let turn = SIMD4<Float>(random.signed(), random.signed(), random.signed(), 0)
        return plane(w: w, direction: ray + turn * length, ray: ray)
    }

    /// Gives every active pixel without a plane a random one.
    func fillAtRandom() {
        for y in 0..<height {
            for x in 0..<width where active[y * width + x] != 0 && planes[y * width + x].x <= 0 {
                var random = PixelRandom(seed, y * width + x)
                let ray = self.ray(Float(x), Float(y))
                var plane = SIMD4<Float>.zero
                for _ in 0..<8 {
                    plane = anyPlane(&random, ray: ray)
                    if isPlausible(plane, ray: ray) { break }
                    plane = self.plane(w: plane.x, direction: ray, ray: ray)
                }
                planes[y * width + x] = plane
            }
        }
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

/// A thread's working memory for visits.
struct PatchVisit {
    var infinity: UnsafeMutablePointer<SIMD4<Float>>
    var scores: UnsafeMutablePointer<Float>
    var order: UnsafeMutablePointer<Int>
    var weights: UnsafeMutablePointer<Float>
    var costs: UnsafeMutablePointer<Float>
    /// The costs of the tested plane and of the best plane in the selected views.
    var trial, won: UnsafeMutablePointer<Float>
    var patch: ReferencePatch

    init(views: Int) {
        infinity = .allocate(capacity: views)
        scores = .allocate(capacity: views)
        order = .allocate(capacity: views)
        weights = .allocate(capacity: views)
        costs = .allocate(capacity: views)
        trial = .allocate(capacity: views)
        won = .allocate(capacity: views)
        patch = ReferencePatch(.allocate(capacity: ReferencePatch.vectorCount))
    }

    func deallocate() {
        infinity.deallocate()
        scores.deallocate()
        order.deallocate()
        weights.deallocate()
        costs.deallocate()
        trial.deallocate()
        won.deallocate()
        patch.vectors.deallocate()
    }
}

extension PatchMatch {
    /// The score of a cost in one source, 1…0: exp(−c²/(2·0.3²)), by the codes of `viewCosts` (Xu & Tao 2019, eq. 5).
    package static let goodness: [Float] = (0..<256).map { code in
        let cost = Float(code) / 127
        return code == 255 ? 0 : exp(-cost * cost / (2 * 0.3 * 0.3))
    }

    @inline(__always) static func code(_ cost: Float) -> UInt8 {
        cost >= unseen ? 255 : UInt8(max(cost, 0) * 127)
    }

    /// The mean of the `viewsPerPixel` lowest of `visit.costs`.
    @inline(__always) func meanOfBest(_ visit: PatchVisit) -> Float {
        for view in 0..<sourceCount { visit.scores[view] = -visit.costs[view] }
        let count = order(visit)
        var sum: Float = 0
        for rank in 0..<count { sum += visit.costs[visit.order[rank]] }
        return sum / Float(count)
    }

    /// Writes the indices of the highest `visit.scores` to `visit.order`, the highest first; returns their number.
    @inline(__always) func order(_ visit: PatchVisit) -> Int {
        let count = min(viewsPerPixel, sourceCount)
        var filled = 0
        for view in 0..<sourceCount {
            let score = visit.scores[view]
            var rank = filled
            while rank > 0, visit.scores[visit.order[rank &- 1]] < score { rank &-= 1 }
            guard rank < count else { continue }
            var last = min(filled, count &- 1)
            while last > rank {
                visit.order[last] = visit.order[last &- 1]
                last &-= 1
            }
            visit.order[rank] = view
            filled = min(filled &+ 1, count)
        }
        return filled
    }

    /// Selects the sources that observe the pixel: those in which its plane and its neighbours' planes match. Returns their number; `visit.weights` sum to 1.
    @inline(__always) func chooseViews(_ x: Int, _ y: Int, _ visit: PatchVisit, _ goodness: UnsafeBufferPointer<Float>) -> Int {
        let index = y &* width &+ x
        let own = viewCosts + index &* sourceCount
        for view in 0..<sourceCount { visit.scores[view] = 2 * goodness[Int(own[view])] + 1e-4 * Float(255 &- Int(own[view])) / 255 }
        @inline(__always) func add(_ neighbor: Int) {
            guard active[neighbor] != 0 else { return }
            let costs = viewCosts + neighbor &* sourceCount
            for view in 0..<sourceCount { visit.scores[view] += goodness[Int(costs[view])] }
        }
        if x > 0 { add(index &- 1) }
        if x &+ 1 < width { add(index &+ 1) }
        if y > 0 { add(index &- width) }
        if y &+ 1 < height { add(index &+ width) }
        var count = order(visit)
        let enough = visit.scores[visit.order[0]] * 0.2
        while count > 2, visit.scores[visit.order[count &- 1]] < enough { count &-= 1 }
        var sum: Float = 0
        for rank in 0..<count { sum += visit.scores[visit.order[rank]] }
        for rank in 0..<count { visit.weights[rank] = visit.scores[visit.order[rank]] / sum }
        return count
    }

    /// The cost of the chosen plane in every source; for sources that evaluated it, the cost is already known.
    @inline(__always) func storeViewCosts(
        of plane: SIMD4<Float>, at index: Int, _ pixel: SIMD2<Float>, _ count: Int, _ visit: PatchVisit
    ) {
        for view in 0..<sourceCount { visit.costs[view] = -1 }
        for rank in 0..<count { visit.costs[visit.order[rank]] = visit.won[rank] }
        for view in 0..<sourceCount {
            var cost = visit.costs[view]
            // A cost is at least 0, except for rounding.
            if cost == -1 {
                cost = PatchMatch.viewCost(visit.patch, sources + view, infinity: visit.infinity[view], pixel: pixel, plane: plane)
            }
            viewCosts[index &* sourceCount &+ view] = PatchMatch.code(cost)
        }
    }
}
