/// Parses lists of numbers of XML Schema from bytes: a file has millions of them, and a `String` each would take a hundred times as long.
enum NumberList {
    /// The powers of ten that a `Double` represents exactly.
    private static let powers: [Double] = {
        var powers = [1.0]
        for _ in 0..<22 { powers.append(powers[powers.count - 1] * 10) }
        return powers
    }()

    /// Parses a list of numbers.
    ///
    /// - Returns: The numbers, and the position of the first word that is not a number or exceeds the count.
    static func floats(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, limit: Int = .max) -> (values: [Float], bad: Int?) {
        var values: [Float] = []
        // A number and a blank take at least two bytes; most take more.
        values.reserveCapacity(min(range.count / 6, limit))
        var index = range.lowerBound
        let end = range.upperBound
        return powers.withUnsafeBufferPointer { powers in
            while true {
                while index < end, bytes[index] <= 0x20 { index += 1 }
                guard index < end else { return (values, nil) }
                let start = index
                guard values.count < limit, let value = float(bytes, &index, end, powers) else { return (values, start) }
                values.append(value)
            }
        }
    }

    static func integers(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> (values: [Int32], bad: Int?) {
        var values: [Int32] = []
        values.reserveCapacity(range.count / 4)
        var index = range.lowerBound
        let end = range.upperBound
        while true {
            while index < end, bytes[index] <= 0x20 { index += 1 }
            guard index < end else { return (values, nil) }
            let start = index
            let isNegative = bytes[index] == UInt8(ascii: "-")
            if isNegative || bytes[index] == UInt8(ascii: "+") { index += 1 }
            var value: Int64 = 0
            let first = index
            while index < end, bytes[index] > 0x20 {
                let digit = bytes[index] &- 0x30
                guard digit <= 9, value <= Int64(Int32.max) else { return (values, start) }
                value = value &* 10 &+ Int64(digit)
                index += 1
            }
            guard index > first, value <= Int64(Int32.max) else { return (values, start) }
            values.append(Int32(isNegative ? -value : value))
        }
    }

    /// Parses one word, including `NaN`, `INF` and `-INF`. A comma before digits is a decimal point, which some programs write by the user's locale.
    private static func float(
        _ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ end: Int, _ powers: UnsafeBufferPointer<Double>
    ) -> Float? {
        var isNegative = false
        if bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
            isNegative = bytes[index] == UInt8(ascii: "-")
            index += 1
        }
        var (mantissa, exponent, digits): (UInt64, Int, Int) = (0, 0, 0)
        var isFraction = false
        while index < end {
            let byte = bytes[index]
            let digit = byte &- 0x30
            if digit <= 9 {
                digits += 1
                // 18 digits exceed the precision of a Double.
                if mantissa < 100_000_000_000_000_000 {
                    mantissa = mantissa &* 10 &+ UInt64(digit)
                    if isFraction { exponent -= 1 }
                } else if !isFraction {
                    exponent += 1
                }
            } else if byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",") && digits > 0, !isFraction {
                isFraction = true
            } else {
                break
            }
            index += 1
        }
        guard digits > 0 else { return special(bytes, &index, end, isNegative) }
        if index < end, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            guard let power = exponentPart(bytes, &index, end) else { return nil }
            exponent += power
        }
        guard index == end || bytes[index] <= 0x20 else { return nil }
        var value = Double(mantissa)
        if exponent < 0 {
            value = exponent >= -22 ? value / powers[-exponent] : scaled(value, exponent, powers)
        } else if exponent > 0 {
            value = exponent <= 22 ? value * powers[exponent] : scaled(value, exponent, powers)
        }
        return Float(isNegative ? -value : value)
    }

    private static func exponentPart(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ end: Int) -> Int? {
        var isNegative = false
        if index < end, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
            isNegative = bytes[index] == UInt8(ascii: "-")
            index += 1
        }
        var (power, digits) = (0, 0)
        while index < end, bytes[index] &- 0x30 <= 9 {
            power = min(power * 10 + Int(bytes[index] - 0x30), 100_000)
            digits += 1
            index += 1
        }
        return digits == 0 ? nil : isNegative ? -power : power
    }

    private static func scaled(_ value: Double, _ exponent: Int, _ powers: UnsafeBufferPointer<Double>) -> Double {
        var (value, rest) = (value, abs(exponent))
        while rest > 0, value != 0, value.isFinite {
            let step = min(rest, 22)
            value = exponent < 0 ? value / powers[step] : value * powers[step]
            rest -= step
        }
        return value
    }

    private static func special(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ end: Int, _ isNegative: Bool) -> Float? {
        let start = index
        while index < end, bytes[index] > 0x20 { index += 1 }
        guard index - start <= 8 else { return nil }
        switch String(decoding: bytes[start..<index], as: UTF8.self).lowercased() {
        case "nan": return .nan
        case "inf", "infinity": return isNegative ? -.infinity : .infinity
        default: return nil
        }
    }
}
