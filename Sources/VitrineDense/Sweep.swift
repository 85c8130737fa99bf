import VitrineVision

/// The hypotheses that a visit of a pixel tries.
package struct Sweep: Sendable {
    /// The length of each arm in which the best neighbour is searched, pixels, 0…11; 0 uses no arms.
    package var armReach: Int
    /// The largest random steps of the depth (in pixels of the sources) and of the slope (tangent), at most three.
    package var steps: [SIMD2<Float>]
    /// Whether a random plane of the whole range is tried too.
    package var triesAnywhere: Bool
    /// Distinguishes the random numbers of the sweeps of a photo.
    package var number: Int
}

extension Sweep {
    /// Returns a sweep for a random initialization: distant neighbours, and large steps that decrease.
    ///
    /// - Parameters:
    ///   - number: The number of sweeps of the level before this one.
    ///   - firstNumber: The `number` of the level's first sweep.
    static func coarsest(_ number: Int, from firstNumber: Int) -> Sweep {
        let size = Float(1) / Float(1 + number)
        return Sweep(
            armReach: 11, steps: [SIMD2(4 * size, 0), SIMD2(0, 0.7 * size), SIMD2(1 * size, 0.3 * size)], triesAnywhere: number < 4,
            number: firstNumber + number)
    }

    /// Returns a sweep for an initialization from a coarser level; the parameters are those of `coarsest`.
    static func finer(_ number: Int, from firstNumber: Int) -> Sweep {
        let size = Float(1) / Float(1 + number)
        return Sweep(
            armReach: number == 0 ? 4 : 0, steps: [SIMD2(0.7 * size, 0), SIMD2(0.3 * size, 0.3 * size)],
            triesAnywhere: false, number: firstNumber + number)
    }
}

/// Runs sweeps of PatchMatch: on the processor, or on another device.
package protocol SweepRunner: Sendable {
    /// Computes the costs of a level's planes, then runs sweeps one after another. The level's planes are the result.
    ///
    /// - Throws: `CancellationError`, and the errors of the device.
    func run(_ sweeps: [Sweep], on level: StereoLevel, in context: StageContext) throws
}

/// Runs sweeps on the threads of the context.
struct ProcessorSweepRunner: SweepRunner {
    func run(_ sweeps: [Sweep], on level: StereoLevel, in context: StageContext) throws {
        try level.solver.evaluate(in: context)
        for (index, sweep) in sweeps.enumerated() { try level.solver.run(sweep, isLast: index == sweeps.count - 1, in: context) }
    }
}
