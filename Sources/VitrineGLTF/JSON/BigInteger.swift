/// An unsigned integer of any size, with the operations of exact decimal conversion.
struct BigInteger {
    /// The words, the least significant first, without zeros at the end.
    private var words: [UInt32]

    init(_ value: UInt32) { words = value == 0 ? [] : [value] }

    var bitWidth: Int { words.isEmpty ? 0 : words.count * 32 - words[words.count - 1].leadingZeroBitCount }

    mutating func multiplyAdd(_ factor: UInt32, _ summand: UInt32) {
        var carry = UInt64(summand)
        for index in words.indices {
            let product = UInt64(words[index]) * UInt64(factor) + carry
            words[index] = UInt32(truncatingIfNeeded: product)
            carry = product >> 32
        }
        if carry != 0 { words.append(UInt32(carry)) }
    }

    mutating func multiplyByPowerOfTen(_ power: Int) {
        for _ in 0..<power / 9 { multiplyAdd(1_000_000_000, 0) }
        for _ in 0..<power % 9 { multiplyAdd(10, 0) }
    }

    mutating func shiftLeft(_ bits: Int) {
        guard bits > 0, !words.isEmpty else { return }
        let (whole, part) = (bits / 32, UInt32(bits % 32))
        if part > 0 {
            var carry: UInt32 = 0
            for index in words.indices {
                let word = words[index]
                words[index] = word << part | carry
                carry = word >> (32 - part)
            }
            if carry != 0 { words.append(carry) }
        }
        if whole > 0 { words.insert(contentsOf: repeatElement(0, count: whole), at: 0) }
    }

    private static func isLess(_ a: BigInteger, _ b: BigInteger) -> Bool {
        if a.words.count != b.words.count { return a.words.count < b.words.count }
        for index in a.words.indices.reversed() where a.words[index] != b.words[index] { return a.words[index] < b.words[index] }
        return false
    }

    /// Subtracts `other`, which must not be greater.
    private mutating func subtract(_ other: BigInteger) {
        var borrow: Int64 = 0
        for index in words.indices {
            var difference = Int64(words[index]) - (index < other.words.count ? Int64(other.words[index]) : 0) + borrow
            borrow = difference < 0 ? -1 : 0
            if difference < 0 { difference += 1 << 32 }
            words[index] = UInt32(difference)
        }
        while words.last == 0 { words.removeLast() }
    }

    /// Computes self / divisor by long division, bit by bit; the quotient must be below 2⁶⁶.
    func quotient66(by divisor: BigInteger) -> (quotient: (high: UInt64, low: UInt64), isExact: Bool) {
        var (rest, scaled) = (self, divisor)
        scaled.shiftLeft(66)
        var (high, low): (UInt64, UInt64) = (0, 0)
        for _ in 0...66 {
            high = high << 1 | low >> 63
            low <<= 1
            if !BigInteger.isLess(rest, scaled) {
                rest.subtract(scaled)
                low |= 1
            }
            rest.shiftLeft(1)
        }
        return ((high, low), rest.words.isEmpty)
    }
}
