import VitrineMath

/// The random numbers of one sample of a pixel: Owen-scrambled points of the first two dimensions of Sobol's sequence, a pair at a time, each pair with an order
/// and a scrambling of its own (Burley 2020, "Practical Hash-based Owen Scrambling").
///
/// A function of pixel, sample and the number of the pair alone: the same on any thread.
struct SampleSequence {
    private let seed: UInt32
    private let index: UInt32
    private var dimension: UInt32 = 0

    @inline(__always) init(x: Int, y: Int, sample: Int, seed: UInt32 = 0) {
        self.seed = Self.hash(Self.hash(Self.hash(seed &+ 0x9E37_79B9) ^ UInt32(truncatingIfNeeded: x)) ^ UInt32(truncatingIfNeeded: y))
        index = UInt32(truncatingIfNeeded: sample)
    }

    /// The next two numbers, 0 ..< 1.
    @inline(__always) mutating func next2() -> Vector2 {
        let pair = Self.hash(seed ^ (dimension &* 0x9E37_79B9))
        dimension &+= 1
        let shuffled = Self.scramble(index, pair)
        let x = Self.scramble(Self.reversed(shuffled), Self.hash(pair ^ 0x68BC_21EB))
        let y = Self.scramble(Self.secondDimension(shuffled), Self.hash(pair ^ 0x02E5_BE93))
        return Vector2(Self.unitFloat(x), Self.unitFloat(y))
    }

    /// The next number, 0 ..< 1.
    @inline(__always) mutating func next1() -> Float {
        let pair = Self.hash(seed ^ (dimension &* 0x9E37_79B9))
        dimension &+= 1
        return Self.unitFloat(Self.scramble(Self.reversed(Self.scramble(index, pair)), Self.hash(pair ^ 0x68BC_21EB)))
    }

    /// Returns Sobol's second dimension: Pascal's triangle modulo 2, by Lucas's theorem a product of five steps.
    @inline(__always) static func secondDimension(_ index: UInt32) -> UInt32 {
        var x = index
        x ^= (x & 0xAAAA_AAAA) >> 1
        x ^= (x & 0xCCCC_CCCC) >> 2
        x ^= (x & 0xF0F0_F0F0) >> 4
        x ^= (x & 0xFF00_FF00) >> 8
        x ^= (x & 0xFFFF_0000) >> 16
        return reversed(x)
    }

    /// Owen's nested uniform scrambling by a hash of Laine and Karras in Vegdahl's form.
    @inline(__always) static func scramble(_ value: UInt32, _ seed: UInt32) -> UInt32 {
        var x = reversed(value)
        x ^= x &* 0x3D20_ADEA
        x = x &+ seed
        x = x &* ((seed >> 16) | 1)
        x ^= x &* 0x0552_6C56
        x ^= x &* 0x53A2_2864
        return reversed(x)
    }

    @inline(__always) static func reversed(_ value: UInt32) -> UInt32 {
        var x = value.byteSwapped
        x = (x & 0x0F0F_0F0F) << 4 | (x & 0xF0F0_F0F0) >> 4
        x = (x & 0x3333_3333) << 2 | (x & 0xCCCC_CCCC) >> 2
        return (x & 0x5555_5555) << 1 | (x & 0xAAAA_AAAA) >> 1
    }

    /// A 32-bit finalizer (Wellons 2018, "lowbias32").
    @inline(__always) static func hash(_ value: UInt32) -> UInt32 {
        var x = value
        x ^= x >> 16
        x = x &* 0x7FEB_352D
        x ^= x >> 15
        x = x &* 0x846C_A68B
        return x ^ x >> 16
    }

    @inline(__always) static func unitFloat(_ bits: UInt32) -> Float { Float(bits >> 8) * (1 / 16_777_216) }
}

/// Positions in a pixel and directions, by pairs of random numbers.
enum Warp {
    /// Evenly in the unit disc (Shirley and Chiu 1997).
    @inline(__always) static func disc(_ u: Vector2) -> Vector2 {
        let (x, y) = (2 * u.x - 1, 2 * u.y - 1)
        if x == 0, y == 0 { return Vector2(0, 0) }
        let (radius, angle): (Float, Float) = abs(x) > abs(y) ? (x, .pi / 4 * (y / x)) : (y, .pi / 2 - .pi / 4 * (x / y))
        return Vector2(radius * cos(angle), radius * sin(angle))
    }

    /// Returns a direction around z, distributed by the cosine over π.
    @inline(__always) static func cosine(_ u: Vector2) -> Vector3 {
        let d = disc(u)
        return Vector3(d.x, d.y, max(1 - d.x * d.x - d.y * d.y, 0).squareRoot())
    }
}

/// The reconstruction filter of pixels: a Blackman–Harris window 3 pixels wide, as of the real-time renderer's stills. Samples are distributed by it
/// (Ernst, Stamminger and Greiner 2006), so that a pixel is the plain mean of its samples.
enum PixelWindow {
    static let width: Float = 3
    private static let steps = 1024
    /// Offsets in pixels by their quantile.
    static let quantiles: Storage<Float> = {
        func area(_ x: Float) -> Float {
            let turn = 2 * Float.pi
            return
                (0.358_75 * x - 0.488_29 * sin(turn * x) / turn + 0.141_28 * sin(2 * turn * x) / (2 * turn)
                - 0.011_68 * sin(3 * turn * x) / (3 * turn)) / 0.358_75
        }
        return Storage(
            (0...steps).map { step in
                var (low, high): (Float, Float) = (0, 1)
                for _ in 0..<24 {
                    let middle = (low + high) / 2
                    if area(middle) < Float(step) / Float(steps) { low = middle } else { high = middle }
                }
                return ((low + high) / 2 - 0.5) * width
            })
    }()

    /// The offset from the pixel's centre, in pixels.
    @inline(__always) static func offset(_ u: Vector2, _ table: UnsafePointer<Float>) -> Vector2 {
        func one(_ x: Float) -> Float {
            let position = x * Float(steps)
            let index = min(Int(position), steps - 1)
            return table[index] + (table[index + 1] - table[index]) * (position - Float(index))
        }
        return Vector2(one(u.x), one(u.y))
    }
}
