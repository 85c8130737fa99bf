/// Formatted numbers for reports, messages and file names. `String(format:)` belongs to the full Foundation, which adds 40 MB of locale data to a
/// statically linked program.
extension BinaryFloatingPoint {
    /// Returns the number with a fixed number of decimals, rounded exactly, halves to even, as C's `printf("%.2f")` does.
    ///
    /// - Parameters:
    ///   - decimals: The number of decimals, 0…9.
    ///   - showsPlus: Whether a positive number gets a plus sign.
    package func fixed(_ decimals: Int, showsPlus: Bool = false) -> String {
        precondition((0...9).contains(decimals), "0 to 9 decimals")
        let value = Double(self)
        let sign = value.sign == .minus ? "-" : showsPlus ? "+" : ""
        guard value.isFinite else { return value.isNaN ? "nan" : sign + "inf" }
        // |value| = significand · 2^exponent.
        let isNormal = value.exponentBitPattern != 0
        let significand = value.significandBitPattern | (isNormal ? 1 << 52 : 0)
        let exponent = (isNormal ? Int(value.exponentBitPattern) : 1) - 1075
        // 83 bits at most.
        let scaled = UInt128(significand) * UInt128((0..<decimals).reduce(1) { power, _ in power * 10 })
        guard exponent <= 44 else { return "\(value)" }
        let digits = String(exponent >= 0 ? scaled << exponent : Self.halved(scaled, times: -exponent))
        guard decimals > 0 else { return sign + digits }
        let padded = String(repeating: "0", count: max(decimals + 1 - digits.count, 0)) + digits
        return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }

    /// Returns the number with at most this number of significant digits, without trailing zeros and exponent.
    package func significant(_ digits: Int) -> String {
        let magnitude = abs(Double(self))
        guard magnitude.isFinite, magnitude > 0 else { return fixed(0) }
        var decimals = digits - 1
        var unit = 1.0
        while magnitude >= 10 * unit, decimals > 0 { (unit, decimals) = (unit * 10, decimals - 1) }
        while magnitude < unit, decimals < 9 { (unit, decimals) = (unit / 10, decimals + 1) }
        let text = fixed(decimals)
        guard decimals > 0 else { return text }
        var trimmed = text[...]
        while trimmed.last == "0" { trimmed.removeLast() }
        if trimmed.last == "." { trimmed.removeLast() }
        return String(trimmed)
    }

    /// Returns `number` / 2^`count`, rounded to the nearest, halves to even.
    private static func halved(_ number: UInt128, times count: Int) -> UInt128 {
        guard count < 128 else { return 0 }
        let half = UInt128(1) << (count - 1)
        let (quotient, remainder) = (number >> count, number & (half << 1 &- 1))
        return quotient + (remainder > half || remainder == half && quotient & 1 == 1 ? 1 : 0)
    }
}

extension BinaryInteger {
    /// Returns the number with leading zeros: `7.padded(3)` is "007".
    package func padded(_ width: Int) -> String {
        let digits = String(magnitude)
        return (self < 0 ? "-" : "") + String(repeating: "0", count: max(width - digits.count - (self < 0 ? 1 : 0), 0)) + digits
    }
}

extension String {
    /// Returns the text padded with spaces at its end to at least `width` characters.
    package func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
}

extension StringProtocol {
    /// The text without white space at both ends.
    package var trimmed: String {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
