/// One UASTC block of 16 bytes: 4 × 4 pixels.
///
/// Based on the "UASTC LDR 4x4 Texture Specification" (Binomial LLC, public domain) and, for the meaning of the numbers, the ASTC chapter of the
/// "Khronos Data Format Specification".
struct UASTCBlock {
    /// Rows of four pixels with red, green, blue and alpha.
    private(set) var pixels = [UInt8](repeating: 255, count: 64)
    private var bits: (low: UInt64, high: UInt64)
    private var offset = 0

    /// Returns nil for an invalid block.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        var (low, high): (UInt64, UInt64) = (0, 0)
        for index in 0..<8 {
            low |= UInt64(bytes[index]) << UInt64(8 * index)
            high |= UInt64(bytes[index + 8]) << UInt64(8 * index)
        }
        bits = (low, high)
        let mode = Int(Self.modes[Int(low & 127)])
        guard mode < 19 else { return nil }
        offset = Self.starts[mode]
        if mode == 8 {
            let colour = (0..<4).map { _ in UInt8(take(8)) }
            for index in pixels.indices { pixels[index] = colour[index & 3] }
            return
        }
        guard read(UASTCMode.all[mode], mode: mode) else { return nil }
    }

    private mutating func take(_ count: Int) -> Int {
        guard count > 0 else { return 0 }
        let shift = UInt64(offset & 63)
        var value = (offset < 64 ? bits.low : bits.high) >> shift
        if offset < 64, offset + count > 64 { value |= bits.high << (64 - shift) }
        offset += count
        return Int(value & (1 << UInt64(count) - 1))
    }

    private mutating func read(_ mode: UASTCMode, mode number: Int) -> Bool {
        var pattern: UInt32 = 0
        if mode.subsets > 1 {
            let index = take(mode.subsets == 3 ? 4 : 5)
            let patterns = mode.subsets == 3 ? Self.patterns3 : number == 7 ? Self.patterns7 : Self.patterns2
            guard index < patterns.count else { return false }
            pattern = patterns[index]
        }
        // The channel to which the second set of weights applies; with grey and alpha it is always alpha.
        let second = mode.planes == 2 ? (mode.components == 2 ? 3 : take(2)) : 4
        let endpoints = endpoints(mode)
        paint(mode, pattern: pattern, second: second, endpoints: endpoints, weights: weights(mode, pattern: pattern))
        return true
    }

    /// Reads the endpoints: first the base-3 and base-5 digits, several in one number, then the lower bits of each value.
    private mutating func endpoints(_ mode: UASTCMode) -> [Int] {
        let count = mode.components * 2 * mode.subsets
        var digits = [Int](repeating: 0, count: count)
        if mode.base > 1 {
            let (group, widths) = mode.base == 3 ? (5, [0, 2, 4, 5, 7, 8]) : (3, [0, 3, 5, 7])
            for start in stride(from: 0, to: count, by: group) {
                let length = min(group, count - start)
                var packed = take(widths[length])
                for index in start..<start + length {
                    digits[index] = packed % mode.base
                    packed /= mode.base
                }
            }
        }
        return (0..<count).map { index in mode.endpoint(digit: digits[index], low: take(mode.endpointBits)) }
    }

    /// Reads the weights, 0…64. The highest bit of the first pixel of each subset is 0 and is not stored.
    private mutating func weights(_ mode: UASTCMode, pattern: UInt32) -> [Int] {
        var seen = 0
        var result: [Int] = []
        result.reserveCapacity(16 * mode.planes)
        for pixel in 0..<16 {
            let subset = Int(pattern >> UInt32(2 * pixel) & 3)
            let isFirst = seen & (1 << subset) == 0
            seen |= 1 << subset
            for _ in 0..<mode.planes { result.append(mode.weight(take(isFirst ? mode.weightBits - 1 : mode.weightBits))) }
        }
        return result
    }

    private mutating func paint(_ mode: UASTCMode, pattern: UInt32, second: Int, endpoints: [Int], weights: [Int]) {
        for pixel in 0..<16 {
            let first = Int(pattern >> UInt32(2 * pixel) & 3) * mode.components * 2
            for channel in 0..<(mode.components == 3 ? 3 : 4) {
                // Grey represents the three colours.
                let component = mode.components == 2 ? (channel == 3 ? 1 : 0) : channel
                let weight = weights[pixel * mode.planes + (channel == second ? mode.planes - 1 : 0)]
                let (low, high) = (endpoints[first + component * 2] * 257, endpoints[first + component * 2 + 1] * 257)
                pixels[pixel * 4 + channel] = UInt8((low * (64 - weight) + high * weight + 32) >> 14)
            }
        }
    }

    // MARK: Tables

    /// The mode by the lowest seven bits.
    private static let modes: [UInt8] = {
        // The code of each mode and the number of its bits.
        let codes = [
            (0x1, 4), (0x35, 6), (0x1D, 5), (0x3, 5), (0x13, 5), (0xB, 5), (0x1B, 5), (0x7, 5), (0x17, 5), (0xF, 5), (0x2, 3), (0x0, 2),
            (0x6, 3), (0x1F, 5), (0xD, 5), (0x5, 7), (0x15, 6), (0x25, 6), (0x9, 4),
        ]
        var table = [UInt8](repeating: 19, count: 128)
        for (mode, (code, length)) in codes.enumerated() {
            for index in stride(from: code, to: 128, by: 1 << length) { table[index] = UInt8(mode) }
        }
        return table
    }()

    /// The first bit of each mode's data, after its code and the hints for other formats.
    private static let starts = [19, 21, 20, 20, 20, 20, 20, 20, 5, 28, 20, 19, 20, 28, 28, 30, 29, 29, 19]

    // The subset of each pixel, two bits per pixel, the first in the lowest bits.
    private static let patterns2: [UInt32] = [
        0x5050_5050, 0x4040_4040, 0x0101_0101, 0x5450_5040, 0x0515_1555, 0x5554_5450, 0x0001_0515, 0x0105_1555,
        0x5040_0000, 0x0000_0105, 0x5554_4000, 0x0115_5555, 0x0000_0115, 0x0000_5555, 0x5555_5500, 0x0055_5555,
        0x5555_1501, 0x4054_5555, 0x0040_5054, 0x0000_4050, 0x1505_0100, 0x5054_5555, 0x1505_0501, 0x0040_4050,
        0x5054_5455, 0x1414_1414, 0x5500_0055, 0x1111_1111, 0x0055_0055, 0x0514_5041,
    ]
    private static let patterns3: [UInt32] = [
        0xA5A5_0000, 0xAA00_5555, 0xAA00_0055, 0x0000_AA55, 0x2525_2525, 0x9494_9494, 0x5858_5858, 0x5656_0202,
        0x9292_9292, 0x55AA_0055, 0xA050_50A0,
    ]
    private static let patterns7: [UInt32] = [
        0x0000_5500, 0x1010_1010, 0x0001_0505, 0x5050_4000, 0x5500_5555, 0x0404_0404, 0x5555_5040, 0x5050_5054,
        0x0550_0005, 0x0000_5454, 0x1515_0000, 0x0500_0005, 0x0000_5054, 0x5555_4000, 0x1455_5555, 0x0105_0505,
        0x0101_5555, 0x0105_1450, 0x0000_5455,
    ]
}

/// The layout of the numbers of a mode in its block.
struct UASTCMode {
    let components, subsets, planes, weightBits: Int
    /// An endpoint consists of a digit in this base and lower bits.
    let base, endpointBits: Int

    static let all: [UASTCMode] = [
        UASTCMode(components: 3, subsets: 1, planes: 1, weightBits: 4, base: 3, endpointBits: 6),
        UASTCMode(components: 3, subsets: 1, planes: 1, weightBits: 2, base: 1, endpointBits: 8),
        UASTCMode(components: 3, subsets: 2, planes: 1, weightBits: 3, base: 1, endpointBits: 4),
        UASTCMode(components: 3, subsets: 3, planes: 1, weightBits: 2, base: 3, endpointBits: 2),
        UASTCMode(components: 3, subsets: 2, planes: 1, weightBits: 2, base: 5, endpointBits: 3),
        UASTCMode(components: 3, subsets: 1, planes: 1, weightBits: 3, base: 1, endpointBits: 8),
        UASTCMode(components: 3, subsets: 1, planes: 2, weightBits: 2, base: 5, endpointBits: 5),
        UASTCMode(components: 3, subsets: 2, planes: 1, weightBits: 2, base: 5, endpointBits: 3),
        // One colour without endpoints.
        UASTCMode(components: 4, subsets: 1, planes: 1, weightBits: 1, base: 1, endpointBits: 8),
        UASTCMode(components: 4, subsets: 2, planes: 1, weightBits: 2, base: 1, endpointBits: 4),
        UASTCMode(components: 4, subsets: 1, planes: 1, weightBits: 4, base: 3, endpointBits: 4),
        UASTCMode(components: 4, subsets: 1, planes: 2, weightBits: 2, base: 3, endpointBits: 4),
        UASTCMode(components: 4, subsets: 1, planes: 1, weightBits: 3, base: 3, endpointBits: 6),
        UASTCMode(components: 4, subsets: 1, planes: 2, weightBits: 1, base: 1, endpointBits: 8),
        UASTCMode(components: 4, subsets: 1, planes: 1, weightBits: 2, base: 1, endpointBits: 8),
        UASTCMode(components: 2, subsets: 1, planes: 1, weightBits: 4, base: 1, endpointBits: 8),
        UASTCMode(components: 2, subsets: 2, planes: 1, weightBits: 2, base: 1, endpointBits: 8),
        UASTCMode(components: 2, subsets: 1, planes: 2, weightBits: 2, base: 1, endpointBits: 8),
        UASTCMode(components: 3, subsets: 1, planes: 1, weightBits: 5, base: 1, endpointBits: 5),
    ]

    /// Returns a weight of 0…64: the bits are repeated to six, and values in the upper half are increased by one.
    func weight(_ value: Int) -> Int {
        var six = 0
        var filled = 0
        while filled < 6 {
            let shift = 6 - filled - weightBits
            six |= shift >= 0 ? value << shift : value >> -shift
            filled += weightBits
        }
        return six > 32 ? six + 1 : six
    }

    /// Returns an endpoint of 0…255, by the "Endpoint unquantization" of ASTC.
    func endpoint(digit: Int, low: Int) -> Int {
        guard base > 1 else {
            var (value, filled) = (0, 0)
            while filled < 8 {
                let shift = 8 - filled - endpointBits
                value |= shift >= 0 ? low << shift : low >> -shift
                filled += endpointBits
            }
            return value & 255
        }
        func bit(_ index: Int) -> Int { low >> index & 1 }
        let a = bit(0) * 0x1FF
        let (b, c): (Int, Int)
        switch (base, endpointBits) {
        case (3, 2): (b, c) = (bit(1) * 0b100010110, 93)
        case (5, 3): (b, c) = (bit(2) * 0b100000101 + bit(1) * 0b010000010, 26)
        case (3, 4): (b, c) = (bit(3) * 0b100000100 + bit(2) * 0b010000010 + bit(1) * 0b001000001, 22)
        case (5, 5): (b, c) = (bit(4) * 0b100000001 + bit(3) * 0b010000000 + bit(2) * 0b001000000 + bit(1) * 0b000100000, 6)
        default:
            (b, c) = (
                bit(5) * 0b100000001 + bit(4) * 0b010000000 + bit(3) * 0b001000000 + bit(2) * 0b000100000 + bit(1) * 0b000010000, 5
            )
        }
        let t = (digit * c + b) ^ a
        return a & 0x80 | t >> 2
    }
}
