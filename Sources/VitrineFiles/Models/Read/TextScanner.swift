import VitrineGLTF

/// Parses words and numbers of a text file from its bytes: strings would take many times as long.
struct TextScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var offset = 0
    /// The current line, from 1.
    private(set) var line = 1

    /// - Parameter bytes: The bytes of the file, which must outlive the scanner.
    init(_ bytes: UnsafeBufferPointer<UInt8>, offset: Int = 0) { (self.bytes, self.offset) = (bytes, offset) }

    var isAtEnd: Bool { offset >= bytes.count }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    /// Returns the next word of this line, without blanks; nil at its end. A backslash at the end joins the line with the next one.
    mutating func word() -> Range<Int>? {
        while offset < bytes.count {
            if Self.isBlank(bytes[offset]) {
                offset += 1
            } else if bytes[offset] == UInt8(ascii: "\\"), let next = endOfJoin() {
                offset = next
                line += 1
            } else {
                break
            }
        }
        let start = offset
        while offset < bytes.count, bytes[offset] != 0x0A, !Self.isBlank(bytes[offset]) {
            if bytes[offset] == UInt8(ascii: "\\"), endOfJoin() != nil { break }
            offset += 1
        }
        return offset > start ? start..<offset : nil
    }

    private func endOfJoin() -> Int? {
        var next = offset + 1
        if next < bytes.count, bytes[next] == 0x0D { next += 1 }
        return next < bytes.count && bytes[next] == 0x0A ? next + 1 : nil
    }

    /// Returns the rest of this line, without white space at its ends.
    mutating func rest() -> Range<Int> {
        while offset < bytes.count, Self.isBlank(bytes[offset]) { offset += 1 }
        let start = offset
        while offset < bytes.count, bytes[offset] != 0x0A { offset += 1 }
        var end = offset
        while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
        return start..<end
    }

    /// Moves to the next line that is not blank, unless the current one has further words.
    ///
    /// - Returns: false at the end of the text.
    mutating func findWords() -> Bool {
        while offset < bytes.count {
            if Self.isBlank(bytes[offset]) {
                offset += 1
            } else if bytes[offset] == 0x0A {
                (offset, line) = (offset + 1, line + 1)
            } else {
                return true
            }
        }
        return false
    }

    /// Moves to the next line.
    mutating func nextLine() {
        while offset < bytes.count, bytes[offset] != 0x0A { offset += 1 }
        if offset < bytes.count { (offset, line) = (offset + 1, line + 1) }
    }

    /// Returns the next word of this line or of a later one.
    mutating func wordOfAnyLine() -> Range<Int>? {
        while true {
            if let word = word() { return word }
            if isAtEnd { return nil }
            nextLine()
        }
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Returns the name of a file, which need not be UTF-8.
    func fileName(_ range: Range<Int>) -> String { FileNameText.text(bytes[range]) }

    func equals(_ range: Range<Int>, _ word: StaticString) -> Bool {
        range.count == word.utf8CodeUnitCount && range.allSatisfy { bytes[$0] == word.utf8Start[$0 - range.lowerBound] }
    }

    /// Returns the next word of this line as a finite number; nil if there is none or it is not a finite number.
    mutating func float() -> Float? { word().flatMap { float($0) } }

    /// Parses a finite decimal number; returns nil for other texts.
    func float(_ range: Range<Int>) -> Float? { value(range).flatMap { $0.isFinite ? $0 : nil } }

    /// Parses a decimal number, exactly for texts of up to 15 digits and exponents up to 22, as the shortest texts of floats have. Returns infinity or
    /// NaN for the words of C libraries (`nan`, `-inf`, `1.#QNAN`), and infinity for numbers that are too large; nil for other texts.
    func value(_ range: Range<Int>) -> Float? {
        var index = range.lowerBound
        var isNegative = false
        if index < range.upperBound, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
            isNegative = bytes[index] == UInt8(ascii: "-")
            index += 1
        }
        var (mantissa, exponent, digits, isFraction) = (0.0, 0, 0, false)
        while index < range.upperBound {
            let byte = bytes[index]
            if byte >= 0x30, byte <= 0x39 {
                digits += 1
                // Further digits do not affect the value of a Float.
                if mantissa < 1e15 {
                    mantissa = mantissa * 10 + Double(byte - 0x30)
                    if isFraction { exponent -= 1 }
                } else if !isFraction {
                    exponent += 1
                }
            } else if byte == UInt8(ascii: "."), !isFraction {
                isFraction = true
            } else {
                break
            }
            index += 1
        }
        if digits == 0 || index < range.upperBound && bytes[index] == UInt8(ascii: "#") { return specialValue(range) }
        if index < range.upperBound {
            guard bytes[index] | 0x20 == UInt8(ascii: "e"), let power = integer(index + 1..<range.upperBound) else { return nil }
            exponent += max(-1000, min(1000, power))
        }
        let value = Float(Self.scaled(mantissa, by: exponent))
        return isNegative ? -value : value
    }

    /// Parses infinity or NaN as C libraries write them; returns nil for other words.
    private func specialValue(_ range: Range<Int>) -> Float? {
        guard range.count <= 16 else { return nil }
        var word = text(range).lowercased()[...]
        if word.hasPrefix("-") || word.hasPrefix("+") { word = word.dropFirst() }
        if word == "inf" || word == "infinity" || word.hasPrefix("1.#inf") { return .infinity }
        return word == "nan" || word.hasPrefix("nan(") || word.hasPrefix("1.#") ? .nan : nil
    }

    private static func scaled(_ mantissa: Double, by exponent: Int) -> Double {
        var (value, rest) = (mantissa, abs(exponent))
        while rest > 0, value != 0, value.isFinite {
            let step = min(rest, 22)
            var power = 1.0
            for _ in 0..<step { power *= 10 }
            value = exponent < 0 ? value / power : value * power
            rest -= step
        }
        return value
    }

    /// Parses a whole number; returns nil for other words.
    func integer(_ range: Range<Int>) -> Int? {
        var index = range.lowerBound
        var isNegative = false
        if index < range.upperBound, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
            isNegative = bytes[index] == UInt8(ascii: "-")
            index += 1
        }
        guard index < range.upperBound, range.upperBound - index <= 18 else { return nil }
        var value = 0
        while index < range.upperBound {
            guard bytes[index] >= 0x30, bytes[index] <= 0x39 else { return nil }
            value = value * 10 + Int(bytes[index] - 0x30)
            index += 1
        }
        return isNegative ? -value : value
    }

    func starts(_ range: Range<Int>, with character: Character) -> Bool {
        range.first.map { bytes[$0] == character.asciiValue } ?? false
    }

    /// Returns the position of a byte in a word.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? { range.first { bytes[$0] == byte } }
}
