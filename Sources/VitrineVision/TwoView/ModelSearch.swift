import VitrineMath

/// A seeded random number generator (PCG-XSH-RR 32, O'Neill 2014). Kept beside `SplitMix64`, as its numbers determine the models of earlier versions.
struct SeededNumbers {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        _ = next()
    }

    mutating func next() -> UInt32 {
        let old = state
        state = old &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let mixed = UInt32(truncatingIfNeeded: ((old >> 18) ^ old) >> 27)
        let turn = UInt32(truncatingIfNeeded: old >> 59)
        return (mixed >> turn) | (mixed << ((0 &- turn) & 31))
    }

    /// 0..<bound, for bound ≥ 1.
    mutating func next(below bound: Int) -> Int { Int((UInt64(next()) * UInt64(bound)) >> 32) }

    /// `count` different indices below `bound`.
    mutating func sample(_ count: Int, below bound: Int, into sample: inout [Int]) {
        sample.removeAll(keepingCapacity: true)
        while sample.count < count {
            let index = next(below: bound)
            if !sample.contains(index) { sample.append(index) }
        }
    }
}

/// RANSAC with MSAC scores, local optimization (Chum, Matas & Kittler 2003), sampling of the best matches first (PROSAC, Chum & Matas 2005) and
/// adaptive termination.
enum ModelSearch {
    struct Settings {
        var sampleSize: Int
        var maximumTrials: Int
        /// The probability of missing the best model at which the search ends.
        var missChance = 0.005
        var seed: UInt64
    }

    /// Searches for the best model by random samples.
    ///
    /// - Parameters:
    ///   - count: The number of matches, the most reliable first.
    ///   - solve: Returns the models of a minimal sample.
    ///   - gain: Returns the score of a model, in matches.
    ///   - refine: Local optimization of a model.
    static func best(
        count: Int, _ settings: Settings, solve: ([Int]) -> [Matrix3d], gain: (Matrix3d) -> Float, refine: (Matrix3d) -> Matrix3d?
    ) -> (model: Matrix3d, gain: Float)? {
        guard count >= settings.sampleSize else { return nil }
        var numbers = SeededNumbers(seed: settings.seed)
        var best: (model: Matrix3d, gain: Float)?
        var sample: [Int] = []
        var (trial, needed) = (0, settings.maximumTrials)
        // The number of trials over which the sampling pool grows to all matches.
        let growth = 150
        while trial < needed {
            let pool =
                trial < growth
                ? min(count, settings.sampleSize + 3 + (count - settings.sampleSize) * trial / growth) : count
            numbers.sample(settings.sampleSize, below: pool, into: &sample)
            trial += 1
            for model in solve(sample) {
                let value = gain(model)
                guard value > best?.gain ?? 0 else { continue }
                best = (model, value)
                for _ in 0..<4 {
                    guard let refined = refine(best!.model) else { break }
                    let refinedGain = gain(refined)
                    guard refinedGain > best!.gain * 1.001 else { break }
                    best = (refined, refinedGain)
                }
                needed = min(needed, trialsNeeded(share: Double(best!.gain) / Double(count), settings))
            }
        }
        return best
    }

    private static func trialsNeeded(share: Double, _ settings: Settings) -> Int {
        let good = VitrineMath.pow(min(share, 0.9999), Double(settings.sampleSize))
        guard good > 1e-9 else { return settings.maximumTrials }
        let trials = VitrineMath.log(settings.missChance) / VitrineMath.log(1 - good)
        return max(20, Int(min(trials, Double(settings.maximumTrials)).rounded(.up)))
    }
}
