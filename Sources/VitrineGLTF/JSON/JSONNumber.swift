/// Converts the text of a JSON number to the nearest `Double`, ties to even.
///
/// Short numbers use the exact fast path of Clinger (1990): an integer below 2⁵³ times or divided by a power of ten that is itself exact.
/// Other numbers are divided as big integers, so that every result is rounded once.
struct JSONNumber {
    private let text: ArraySlice<UInt8>
    private let isNegative: Bool
    /// The first 19 significant digits as an integer.
    private var mantissa: UInt64 = 0
    /// The number of stored significant digits, at most `digitLimit`.
    private var digitCount = 0
    /// Whether a digit after the stored ones is not 0.
    private var hasRest = false
    /// The exponent of the last stored digit.
    private var exponent = 0

    /// The number of digits after which only the presence of a digit other than 0 affects rounding (the longest halfway case of a `Double` has 767).
    private static let digitLimit = 800

    /// Returns the value of a number.
    ///
    /// - Parameter text: A number by the grammar of RFC 8259.
    static func value(of text: ArraySlice<UInt8>) -> Double {
        let number = JSONNumber(text)
        let magnitude = number.fastMagnitude ?? number.exactMagnitude
        return number.isNegative ? -magnitude : magnitude
    }

    private init(_ text: ArraySlice<UInt8>) {
        self.text = text
        isNegative = text.first == UInt8(ascii: "-")
        var isFraction = false
        var position = isNegative ? text.startIndex + 1 : text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") { break }
            if byte == UInt8(ascii: ".") { isFraction = true } else { add(digit: byte - UInt8(ascii: "0"), isFraction: isFraction) }
        }
        exponent += JSONNumber.exponent(text[position...])
    }

    private mutating func add(digit: UInt8, isFraction: Bool) {
        if digitCount == 0 && digit == 0 {
            if isFraction { exponent -= 1 }
        } else if digitCount < JSONNumber.digitLimit {
            digitCount += 1
            if digitCount <= 19 { mantissa = mantissa * 10 + UInt64(digit) }
            if isFraction { exponent -= 1 }
        } else {
            if digit != 0 { hasRest = true }
            if !isFraction { exponent += 1 }
        }
    }

    /// The stored digits as an integer, followed by a 1 if there are further digits.
    private var digits: BigInteger {
        var value = BigInteger(0)
        var count = 0
        for byte in text where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") {
            if count == digitCount { break }
            if count == 0 && byte == UInt8(ascii: "0") { continue }
            value.multiplyAdd(10, UInt32(byte - UInt8(ascii: "0")))
            count += 1
        }
        if hasRest { value.multiplyAdd(10, 1) }
        return value
    }

    /// Parses an exponent, clamped to ±10⁸: beyond it every number is 0 or infinite, unless the text has as many digits.
    private static func exponent(_ text: ArraySlice<UInt8>) -> Int {
        var value = 0
        for byte in text where byte != UInt8(ascii: "+") && byte != UInt8(ascii: "-") {
            value = min(value * 10 + Int(byte - UInt8(ascii: "0")), 100_000_000)
        }
        return text.first == UInt8(ascii: "-") ? -value : value
    }

    private var fastMagnitude: Double? {
        if digitCount == 0 { return 0 }
        guard digitCount <= 19, mantissa <= 1 << 53, exponent >= -22, exponent <= 22 else { return nil }
        let power = JSONNumber.exactPowersOfTen[abs(exponent)]
        return exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
    }

    private static let exactPowersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// Computes digits · 10^exponent as numerator / denominator, shifted so that the quotient has 64 or 65 bits.
    private var exactMagnitude: Double {
        let magnitude = digitCount + exponent
        if magnitude > 310 { return .infinity }
        if magnitude < -326 { return 0 }
        var (numerator, denominator) = (digits, BigInteger(1))
        let exponent = hasRest ? exponent - 1 : exponent
        if exponent > 0 { numerator.multiplyByPowerOfTen(exponent) } else { denominator.multiplyByPowerOfTen(-exponent) }
        let shift = 64 - (numerator.bitWidth - denominator.bitWidth)
        if shift > 0 { numerator.shiftLeft(shift) } else { denominator.shiftLeft(-shift) }
        let (quotient, isExact) = numerator.quotient66(by: denominator)
        return JSONNumber.rounded(quotient, isExact: isExact, exponent: -shift)
    }

    /// Rounds quotient · 2^exponent; a remainder (not exact) represents a fraction of one unit.
    private static func rounded(_ quotient: (high: UInt64, low: UInt64), isExact: Bool, exponent: Int) -> Double {
        let width = quotient.high == 0 ? 64 - quotient.low.leadingZeroBitCount : 128 - quotient.high.leadingZeroBitCount
        let top = exponent + width - 1
        if top > 1023 { return .infinity }
        // The number of bits of a Double here: 53, fewer below the smallest normal number.
        let kept = top >= -1022 ? 53 : 53 - (-1022 - top)
        guard kept >= 0 else { return 0 }
        let dropped = width - kept
        let wide = (UInt128(quotient.high) << 64) | UInt128(quotient.low)
        let half = UInt128(1) << UInt128(dropped - 1)
        let rest = wide & ((half << 1) - 1)
        var result = UInt64(truncatingIfNeeded: wide >> UInt128(dropped))
        if rest > half || (rest == half && (!isExact || result & 1 == 1)) { result += 1 }
        // Exact: at most 2⁵³ times a power of two that a Double can represent (or infinity).
        return Double(sign: .plus, exponent: exponent + dropped, significand: Double(result))
    }
}
