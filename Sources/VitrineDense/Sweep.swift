/// What one visit of a pixel tries.
struct Sweep {
    /// How many pixels on each arm are searched for the best neighbour, 0…11; 0 leaves the arms out.
    var armReach: Int
    /// Steps of the depth (as pixels in the sources) and of the slope (tangent) that are tried at random, at most these.
    var steps: [SIMD2<Float>]
    /// Whether a plane anywhere in the range is tried too.
    var triesAnywhere: Bool
}

extension Sweep {
    /// Where everything starts at random: far neighbours, large steps that shrink.
    static func coarsest(_ number: Int) -> Sweep {
        let size = Float(1) / Float(1 + number)
        return Sweep(
            armReach: 11, steps: [SIMD2(4 * size, 0), SIMD2(0, 0.7 * size), SIMD2(1 * size, 0.3 * size)], triesAnywhere: number < 4)
    }

    /// Where a coarser level has been before.
    static func finer(_ number: Int) -> Sweep {
        let size = Float(1) / Float(1 + number)
        return Sweep(
            armReach: number == 0 ? 4 : 0, steps: [SIMD2(0.7 * size, 0), SIMD2(0.3 * size, 0.3 * size)],
            triesAnywhere: false)
    }
}
