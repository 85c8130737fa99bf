import VitrineMath
import VitrineVision

/// A seeded generator of normally distributed numbers with mean 0 and variance 1 (Box & Muller 1958).
package struct GaussianGenerator: Sendable {
    private var generator: SplitMix64
    /// The second number of the last pair.
    private var spare: Double?

    package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    package mutating func next() -> Double {
        if let spare {
            self.spare = nil
            return spare
        }
        // 1 - u is never 0.
        let radius = (-2 * log(1 - uniform())).squareRoot()
        let angle = 2 * Double.pi * uniform()
        spare = radius * sin(angle)
        return radius * cos(angle)
    }

    /// Returns three independent numbers.
    package mutating func vector() -> Vector3d {
        let x = next()
        let y = next()
        return Vector3d(x, y, next())
    }

    /// Returns a number that is uniformly distributed in 0 ..< 1.
    package mutating func uniform() -> Double { Double(generator.next() >> 11) * 0x1p-53 }

    /// Uniformly distributed in 0 ..< `count`.
    package mutating func below(_ count: Int) -> Int { generator.below(count) }
}
