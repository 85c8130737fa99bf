import VitrineMath
import VitrineVision

/// What one visit of a pixel tries.
struct Sweep {
    /// How many pixels on each arm are looked at for the best neighbour, 0…11; 0 leaves the arms out.
    var armReach: Int
    /// Steps of the depth (as pixels in the sources) and of the slope (tangent) that are tried at random, at most these.
    var steps: [SIMD2<Float>]
    /// Whether a plane anywhere in the range is tried too.
    var triesAnywhere: Bool
    /// Whether the mean of the planes around is tried too, and taken where it fits nearly as well.
    var smooths = false
}

/// A thread's working memory for visits.
private struct Visit {
    var infinity: UnsafeMutablePointer<SIMD4<Float>>
    var scores: UnsafeMutablePointer<Float>
    var order: UnsafeMutablePointer<Int>
    var weights: UnsafeMutablePointer<Float>
    var costs: UnsafeMutablePointer<Float>
    var patch: ReferencePatch
    /// The planes around a pixel.
    var around: UnsafeMutablePointer<SIMD4<Float>>

    init(views: Int) {
        infinity = .allocate(capacity: views)
        scores = .allocate(capacity: views)
        order = .allocate(capacity: views)
        weights = .allocate(capacity: views)
        costs = .allocate(capacity: views)
        patch = ReferencePatch(.allocate(capacity: ReferencePatch.vectorCount))
        around = .allocate(capacity: PatchMatch.aroundCount)
    }

    func deallocate() {
        infinity.deallocate()
        scores.deallocate()
        order.deallocate()
        weights.deallocate()
        costs.deallocate()
        patch.vectors.deallocate()
        around.deallocate()
    }
}

extension PatchMatch {
    /// How good a cost in one source is, 1…0: exp(−c²/(2·0.3²)) by `viewCosts`' codes (Xu & Tao 2019, eq. 5).
    private static let goodness: [Float] = (0..<256).map { code in
        let cost = Float(code) / 127
        return code == 255 ? 0 : exp(-cost * cost / (2 * 0.3 * 0.3))
    }

    private static let rowsPerTask = 4

    /// Fills in what the planes cost.
    func evaluate(parallel: Parallel, isCancelled: @Sendable () -> Bool) throws {
        try rows(parallel, isCancelled) { y, visit in
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

    /// Lets each pixel try its neighbours' planes and small changes of its own.
    func run(_ sweep: Sweep, number: Int, parallel: Parallel, isCancelled: @Sendable () -> Bool) throws {
        for color in 0..<2 {
            try rows(parallel, isCancelled) { y, visit in
                var x = (y &+ color) & 1
                PatchMatch.goodness.withUnsafeBufferPointer { goodness in
                    sweep.steps.withUnsafeBufferPointer { steps in
                        while x < width {
                            if active[y &* width &+ x] != 0 {
                                self.visit(x, y, visit, sweep, steps, goodness, number)
                            }
                            x &+= 2
                        }
                    }
                }
            }
        }
    }

    /// Calls `body` for each row, on all threads.
    private func rows(_ parallel: Parallel, _ isCancelled: @Sendable () -> Bool, _ body: (Int, Visit) -> Void) throws {
        // `body` only reads what it captures; each row writes its own pixels.
        try withoutActuallyEscaping(body) { body in
            nonisolated(unsafe) let work = body
            try parallel.throwingForEachChunk(of: height, size: PatchMatch.rowsPerTask, isCancelled) { rows in
                let visit = Visit(views: sourceCount)
                for y in rows { work(y, visit) }
                visit.deallocate()
            }
        }
    }

    @inline(__always) private func prepare(_ visit: Visit, _ x: Int, _ y: Int) {
        visit.patch.load(reference + (y &* referenceStride &+ x), stride: referenceStride)
        for view in 0..<sourceCount { visit.infinity[view] = sources[view].fromReference.atInfinity(Float(x), Float(y)) }
    }

    @inline(__always) private static func code(_ cost: Float) -> UInt8 {
        cost >= unseen ? 255 : UInt8(max(cost, 0) * 127)
    }

    /// The mean of the `viewsPerPixel` lowest of `visit.costs`.
    @inline(__always) private func meanOfBest(_ visit: Visit) -> Float {
        for view in 0..<sourceCount { visit.scores[view] = -visit.costs[view] }
        let count = order(visit)
        var sum: Float = 0
        for place in 0..<count { sum += visit.costs[visit.order[place]] }
        return sum / Float(count)
    }

    /// Puts the highest of `visit.scores` into `visit.order`, the highest first; how many there are.
    @inline(__always) private func order(_ visit: Visit) -> Int {
        let count = min(viewsPerPixel, sourceCount)
        var filled = 0
        for view in 0..<sourceCount {
            let score = visit.scores[view]
            var place = filled
            while place > 0, visit.scores[visit.order[place &- 1]] < score { place &-= 1 }
            guard place < count else { continue }
            var last = min(filled, count &- 1)
            while last > place {
                visit.order[last] = visit.order[last &- 1]
                last &-= 1
            }
            visit.order[place] = view
            filled = min(filled &+ 1, count)
        }
        return filled
    }

    /// Chooses the sources that see the pixel: those in which its plane and its neighbours' fit. How many there are; `visit.weights` sum to 1.
    @inline(__always) private func chooseViews(_ x: Int, _ y: Int, _ visit: Visit, _ goodness: UnsafeBufferPointer<Float>) -> Int {
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
        for place in 0..<count { sum += visit.scores[visit.order[place]] }
        for place in 0..<count { visit.weights[place] = visit.scores[visit.order[place]] / sum }
        return count
    }

    private func visit(
        _ x: Int, _ y: Int, _ visit: Visit, _ sweep: Sweep, _ steps: UnsafeBufferPointer<SIMD2<Float>>,
        _ goodness: UnsafeBufferPointer<Float>, _ number: Int
    ) {
        let index = y &* width &+ x
        prepare(visit, x, y)
        let count = chooseViews(x, y, visit, goodness)
        let (fx, fy) = (Float(x), Float(y))
        let pixel = SIMD2(fx, fy)
        let start = planes[index]
        var best = start
        var bestCost: Float = 0
        for place in 0..<count {
            let code = viewCosts[index &* sourceCount &+ visit.order[place]]
            bestCost += visit.weights[place] * (code == 255 ? PatchMatch.unseen : Float(code) * (1 / 127))
        }
        // What one pixel in the best source is in inverse depth.
        let main = visit.order[0]
        let b = sources[main].fromReference.b
        let q = visit.infinity[main] + b * start.x
        let shift = SIMD2(b.x * q.z - b.z * q.x, b.y * q.z - b.z * q.y)
        let pixelsPerInverse = max((shift * shift).sum().squareRoot() / (q.z * q.z), 1e-12)
        let step = min(1 / pixelsPerInverse, inverseDepths.upperBound)

        let prior = priors?[index] ?? .zero
        bestCost += PatchMatch.priorCost(prior, start.x, step)

        @inline(__always) func attempt(_ plane: SIMD4<Float>, tolerance: Float = -1e-4) {
            guard isPlausible(plane, x: fx, y: fy) else { return }
            let limit = bestCost + tolerance
            var sum = PatchMatch.priorCost(prior, plane.x, step)
            var place = 0
            while place < count {
                let view = visit.order[place]
                sum +=
                    visit.weights[place]
                    * PatchMatch.viewCost(visit.patch, sources + view, infinity: visit.infinity[view], pixel: pixel, plane: plane)
                // The rest can't make it better than the best.
                if sum >= limit { return }
                place &+= 1
            }
            (best, bestCost) = (plane, sum)
        }
        @inline(__always) func attemptNeighbor(_ neighbor: Int, _ dx: Int, _ dy: Int) {
            var plane = planes[neighbor]
            plane.x -= plane.y * Float(dx) + plane.z * Float(dy)
            plane.w = 0
            let change = plane - best
            // Nearly the same plane: small steps find it.
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

        var random = PixelRandom(seed &+ UInt32(truncatingIfNeeded: number) &* 7919, index)
        if sweep.triesAnywhere { attempt(anyPlane(&random, x: fx, y: fy)) }
        for size in steps {
            var plane = best
            plane.x += size.x * step * random.signed()
            if size.y > 0 {
                let across = direction(best, x: fx, y: fy)
                let length = (across * across).sum().squareRoot()
                let turn = SIMD4<Float>(random.signed(), random.signed(), random.signed(), 0) * (size.y * length)
                plane = self.plane(w: plane.x, direction: across + turn, x: fx, y: fy)
            }
            attempt(plane)
        }

        if sweep.smooths, let plane = meanAround(x, y, visit, best, step) {
            attempt(plane, tolerance: PatchMatch.smoothTolerance * bestCost)
        }

        if best.x != start.x || best.y != start.y || best.z != start.z {
            best.w = bestCost
            planes[index] = best
            for view in 0..<sourceCount {
                let cost = PatchMatch.viewCost(visit.patch, sources + view, infinity: visit.infinity[view], pixel: pixel, plane: best)
                viewCosts[index &* sourceCount &+ view] = PatchMatch.code(cost)
            }
        } else {
            planes[index].w = bestCost
        }
    }

    /// The mean of the planes around that agree with their median; nil where there are few.
    @inline(__always) private func meanAround(
        _ x: Int, _ y: Int, _ visit: Visit, _ own: SIMD4<Float>, _ step: Float
    ) -> SIMD4<Float>? {
        let middle = Int32(reference[y &* referenceStride &+ x] & 255)
        var count = 0
        for place in 0..<PatchMatch.aroundCount {
            let (dx, dy) = (Int(around[place].x), Int(around[place].y))
            let (nx, ny) = (x &+ dx, y &+ dy)
            guard nx >= 0, ny >= 0, nx < width, ny < height, active[ny &* width &+ nx] != 0 else { continue }
            // Another brightness is likely another surface.
            let value = Int32(reference[ny &* referenceStride &+ nx] & 255)
            guard abs(value &- middle) < PatchMatch.sameBrightness else { continue }
            var plane = planes[ny &* width &+ nx]
            plane.x -= plane.y * Float(dx) + plane.z * Float(dy)
            // Sorted as they come.
            var position = count
            while position > 0, visit.around[position &- 1].x > plane.x {
                visit.around[position] = visit.around[position &- 1]
                position &-= 1
            }
            visit.around[position] = plane
            count &+= 1
        }
        guard count >= 6 else { return nil }
        let median = visit.around[count / 2].x
        var (sum, agreeing) = (own, Float(1))
        if abs(own.x - median) > 2 * step { (sum, agreeing) = (.zero, 0) }
        for place in 0..<count where abs(visit.around[place].x - median) <= step {
            sum += visit.around[place]
            agreeing += 1
        }
        guard agreeing >= 5 else { return nil }
        sum *= 1 / agreeing
        sum.w = 0
        return sum
    }

    /// Any plane within the depths that faces the camera.
    @inline(__always) private func anyPlane(_ random: inout PixelRandom, x: Float, y: Float) -> SIMD4<Float> {
        let share = 0.5 * (random.signed() + 1)
        let w = inverseDepths.lowerBound + share * (inverseDepths.upperBound - inverseDepths.lowerBound)
        // Within 60° or so of the ray.
        let ray = self.ray(x, y)
        let length = (ray * ray).sum().squareRoot()
        let turn = SIMD4<Float>(random.signed(), random.signed(), random.signed(), 0)
        return plane(w: w, direction: ray + turn * length, x: x, y: y)
    }

    /// Gives every active pixel without a plane any one.
    func fillAtRandom() {
        for y in 0..<height {
            for x in 0..<width where active[y * width + x] != 0 && planes[y * width + x].x <= 0 {
                var random = PixelRandom(seed, y * width + x)
                var plane = SIMD4<Float>.zero
                for _ in 0..<8 {
                    plane = anyPlane(&random, x: Float(x), y: Float(y))
                    if isPlausible(plane, x: Float(x), y: Float(y)) { break }
                    plane = self.plane(w: plane.x, direction: ray(Float(x), Float(y)), x: Float(x), y: Float(y))
                }
                planes[y * width + x] = plane
            }
        }
    }
}

extension Parallel {
    /// `forEachChunk` that stops early, and throws, when `isCancelled` says so.
    func throwingForEachChunk(of count: Int, size: Int, _ isCancelled: @Sendable () -> Bool, _ body: (Range<Int>) -> Void) throws {
        withoutActuallyEscaping(body) { body in
            // `body` may be called from several threads at once: who passes it sees to that.
            nonisolated(unsafe) let work = body
            forEachChunk(of: count, size: size) { if !isCancelled() { work($0) } }
        }
        if isCancelled() { throw CancellationError() }
    }
}
