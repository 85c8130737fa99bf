/// Two-dimensional value noise: random values on the integer lattice, interpolated smoothly. A seed gives the same values on every machine.
package struct ValueNoise: Sendable {
    package let seed: UInt32
    /// The period along x in cells; nil if x does not repeat.
    package let period: Int?

    package init(seed: UInt32, period: Int? = nil) { (self.seed, self.period) = (seed, period) }

    /// Returns the random value of a lattice point, 0…1.
    package func cell(_ x: Int, _ y: Int, _ channel: UInt32 = 0) -> Float {
        var column = x
        if let period { column = (x % period + period) % period }
        var h = UInt32(truncatingIfNeeded: column) &* 0x8DA6_B343 ^ UInt32(truncatingIfNeeded: y) &* 0xD816_3841
        h ^= seed &* 0xCB1A_B31F ^ channel &* 0x1656_67B1
        h = (h ^ h >> 15) &* 0x2C1B_3C6D
        h = (h ^ h >> 12) &* 0x297A_2D39
        return Float((h ^ h >> 15) >> 8) / 16_777_216
    }

    /// Returns the noise at a point, 0…1, with features about one cell wide.
    package func value(_ x: Float, _ y: Float, _ channel: UInt32 = 0) -> Float {
        let (left, top) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
        let (s, t) = (smoothstep(0, 1, x - Float(left)), smoothstep(0, 1, y - Float(top)))
        let upper = mix(cell(left, top, channel), cell(left + 1, top, channel), s)
        let lower = mix(cell(left, top + 1, channel), cell(left + 1, top + 1, channel), s)
        return mix(upper, lower, t)
    }

    /// Returns a sum of octaves of `value`, 0…1; each octave has twice the frequency and half the amplitude of the previous one.
    package func octaves(_ x: Float, _ y: Float, _ count: Int = 4) -> Float {
        var (sum, weight, scale): (Float, Float, Float) = (0, 0, 1)
        for octave in 0..<count {
            sum += value(x * scale, y * scale, UInt32(octave) + 17) / scale
            weight += 1 / scale
            scale *= 2
        }
        return sum / weight
    }
}
