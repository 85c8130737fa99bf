import VitrineMath
import VitrineVision

extension PatchMatch {
    private static let rowsPerTask = 4

    /// Fills in what the planes cost.
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

    /// Lets each pixel try its neighbours' planes and small changes of its own.
    ///
    /// - Parameter isLast: no other sweep of the level follows.
    func run(_ sweep: Sweep, number: Int, isLast: Bool, in context: StageContext) throws {
        for color in 0..<2 {
            // The last pixels that a level visits are asked by no others.
            let needsViewCosts = color == 0 || !isLast
            try rows(context) { y, visit in
                var x = (y &+ color) & 1
                PatchMatch.goodness.withUnsafeBufferPointer { goodness in
                    sweep.steps.withUnsafeBufferPointer { steps in
                        while x < width {
                            if active[y &* width &+ x] != 0 {
                                self.visit(x, y, visit, sweep, steps, goodness, number, needsViewCosts: needsViewCosts)
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
        // `body` only reads what it captures; each row writes its own pixels.
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
        visit.patch.load(reference + (y &* referenceStride &+ x), stride: referenceStride)
        for view in 0..<sourceCount { visit.infinity[view] = sources[view].fromReference.atInfinity(Float(x), Float(y)) }
    }

    private func visit(
        _ x: Int, _ y: Int, _ visit: PatchVisit, _ sweep: Sweep, _ steps: UnsafeBufferPointer<SIMD2<Float>>,
        _ goodness: UnsafeBufferPointer<Float>, _ number: Int, needsViewCosts: Bool
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

        @inline(__always) func attempt(_ plane: SIMD4<Float>) {
            guard isPlausible(plane, ray: ray) else { return }
            let limit = bestCost - 1e-4
            var sum = PatchMatch.priorCost(prior, plane.x, step)
            // What the maps say is cheap, and often enough.
            for place in 0..<count {
                let view = visit.order[place]
                let cost = PatchMatch.consistencyCost(sources + view, infinity: visit.infinity[view], pixel: pixel, w: plane.x)
                visit.trial[place] = cost
                sum += visit.weights[place] * cost
            }
            if sum >= limit { return }
            var place = 0
            while place < count {
                let view = visit.order[place]
                let cost = PatchMatch.patchCost(visit.patch, sources + view, infinity: visit.infinity[view], plane: plane)
                visit.trial[place] += cost
                sum += visit.weights[place] * cost
                // The rest can't make it better than the best.
                if sum >= limit { return }
                place &+= 1
            }
            (best, bestCost) = (plane, sum)
            for place in 0..<count { visit.won[place] = visit.trial[place] }
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
            // `body` may be called from several threads at once: its author ensures that each piece writes its own part only.
            nonisolated(unsafe) let work = body
            parallel.forEachChunk(of: count, size: size) { if !isCancelled { work($0) } }
        }
        try checkCancellation()
    }
}
