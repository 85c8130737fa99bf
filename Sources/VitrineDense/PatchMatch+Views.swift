import VitrineMath
import VitrineVision

/// A thread's working memory for visits.
struct PatchVisit {
    var infinity: UnsafeMutablePointer<SIMD4<Float>>
    var scores: UnsafeMutablePointer<Float>
    var order: UnsafeMutablePointer<Int>
    var weights: UnsafeMutablePointer<Float>
    var costs: UnsafeMutablePointer<Float>
    /// What the plane under trial costs in the chosen views, and what the best one does.
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
    /// How good a cost in one source is, 1…0: exp(−c²/(2·0.3²)) by `viewCosts`' codes (Xu & Tao 2019, eq. 5).
    static let goodness: [Float] = (0..<256).map { code in
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
        for place in 0..<count { sum += visit.costs[visit.order[place]] }
        return sum / Float(count)
    }

    /// Puts the highest of `visit.scores` into `visit.order`, the highest first; how many there are.
    @inline(__always) func order(_ visit: PatchVisit) -> Int {
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
        for place in 0..<count { sum += visit.scores[visit.order[place]] }
        for place in 0..<count { visit.weights[place] = visit.scores[visit.order[place]] / sum }
        return count
    }

    /// What the plane that won costs in every source; those that judged it have said so already.
    @inline(__always) func storeViewCosts(
        of plane: SIMD4<Float>, at index: Int, _ pixel: SIMD2<Float>, _ count: Int, _ visit: PatchVisit
    ) {
        for view in 0..<sourceCount { visit.costs[view] = -1 }
        for place in 0..<count { visit.costs[visit.order[place]] = visit.won[place] }
        for view in 0..<sourceCount {
            var cost = visit.costs[view]
            // A cost is at least 0, but for rounding.
            if cost == -1 {
                cost = PatchMatch.viewCost(visit.patch, sources + view, infinity: visit.infinity[view], pixel: pixel, plane: plane)
            }
            viewCosts[index &* sourceCount &+ view] = PatchMatch.code(cost)
        }
    }
}
