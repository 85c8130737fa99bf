import VitrineMath

// Parsers of option values. Each error states the expected form.

func parseNumber(_ text: String) throws(UsageError) -> Float {
    guard let value = Float(text), value.isFinite else { throw UsageError("'\(text)' is not a number") }
    return value
}

func parseNumber(_ text: String, in range: ClosedRange<Float>) throws(UsageError) -> Float {
    let value = try parseNumber(text)
    guard range.contains(value) else { throw UsageError("\(text) is out of range: use \(range.lowerBound) to \(range.upperBound)") }
    return value
}

func parseCount(_ text: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
    guard let value = Int(text) else { throw UsageError("'\(text)' is not a whole number") }
    guard range.contains(value) else { throw UsageError("\(text) is out of range: use \(range.lowerBound) to \(range.upperBound)") }
    return value
}

/// Three numbers separated by commas.
func parseVector(_ text: String, as form: String) throws(UsageError) -> Vector3 {
    let pieces = text.split(separator: ",", omittingEmptySubsequences: false)
    guard pieces.count == 3 else { throw UsageError("'\(text)' is not \(form)") }
    return Vector3(try parseNumber(String(pieces[0])), try parseNumber(String(pieces[1])), try parseNumber(String(pieces[2])))
}

/// `1280x720`; sides 1 to 16,384 pixels.
func parseSize(_ text: String) throws(UsageError) -> (width: Int, height: Int) {
    let pieces = text.split(separator: "x", omittingEmptySubsequences: false)
    guard pieces.count == 2, let width = Int(pieces[0]), let height = Int(pieces[1]) else {
        throw UsageError("'\(text)' is not WIDTHxHEIGHT, such as 1280x720")
    }
    guard (1...16_384).contains(width), (1...16_384).contains(height) else {
        throw UsageError("'\(text)' is out of range: each side must be 1 to 16384 pixels")
    }
    return (width, height)
}

/// Parses a colour in the form `#RRGGBB`, sRGB-encoded.
func parseHexColor(_ text: String) throws(UsageError) -> Color {
    let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
    guard digits.count == 6, let value = UInt32(digits, radix: 16) else { throw UsageError("'\(text)' is not a color, such as #1E90FF") }
    return Color(sRGB: value)
}

/// Parses one of a list of words.
func parseWord<Value>(_ text: String, _ words: [(String, Value)]) throws(UsageError) -> Value {
    if let match = words.first(where: { $0.0 == text }) { return match.1 }
    throw UsageError("'\(text)' is not one of " + words.map(\.0).joined(separator: ", "))
}
