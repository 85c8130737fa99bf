import VitrineMath
import VitrineVision

/// Seeded random numbers with mean 0 and variance 1, by Box and Muller's method.
public struct NormalNumbers: Sendable {
    private var numbers: SplitMix64
    private var spare: Double?

    public init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    public mutating func next() -> Double {
        if let spare {
            self.spare = nil
            return spare
        }
        // 1 - u is never 0.
        let radius = (-2 * log(1 - even())).squareRoot()
        let angle = 2 * Double.pi * even()
        spare = radius * sin(angle)
        return radius * cos(angle)
    }

    public mutating func vector() -> Vector3d {
        let x = next()
        let y = next()
        return Vector3d(x, y, next())
    }

    /// Evenly from 0 ..< 1.
    public mutating func even() -> Double { Double(numbers.next() >> 11) * 0x1p-53 }

    /// Evenly from 0 ..< `count`.
    public mutating func below(_ count: Int) -> Int { numbers.below(count) }
}
