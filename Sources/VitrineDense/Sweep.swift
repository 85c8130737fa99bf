/// The hypotheses that a visit of a pixel tries.
struct Sweep {
    /// The length of each arm in which the best neighbour is searched, pixels, 0…11; 0 uses no arms.
    var armReach: Int
    /// The largest random steps of the depth (in pixels of the sources) and of the slope (tangent).
    var steps: [SIMD2<Float>]
    /// Whether a random plane of the whole range is tried too.
    var triesAnywhere: Bool
}

extension Sweep {
    /// Returns a sweep for a random initialization: distant neighbours, and large steps that decrease.
    static func coarsest(_ number: Int) -> Sweep {
        let size = Float(1) / Float(1 + number)
        return Sweep(
            armReach: 11, steps: [SIMD2(4 * size, 0), SIMD2(0, 0.7 * size), SIMD2(1 * size, 0.3 * size)], triesAnywhere: number < 4)
    }

    /// Returns a sweep for an initialization from a coarser level.
    static func finer(_ number: Int) -> Sweep {
        let size = Float(1) / Float(1 + number)
        return Sweep(
            armReach: number == 0 ? 4 : 0, steps: [SIMD2(0.7 * size, 0), SIMD2(0.3 * size, 0.3 * size)],
            triesAnywhere: false)
    }
}
