import VitrineMath

/// A stroke font, sharp at every size: the printable ASCII characters and the degree sign.
///
/// Glyphs lie on a grid 4 units wide: baseline at 2, lower-case height 6, capitals 8, descenders to 0. Each is written as its strokes,
/// divided by `|`; a stroke as its points, two digits x y.
enum StrokeFont {
    static let advance: Float = 6
    static let lineHeight: Float = 12
    /// The distance from the line's lower edge to the grid's zero.
    static let descent: Float = 1

    struct Segment {
        let from, to: Vector2
    }

    /// The strokes of a character; a box for a character that the font lacks.
    static func segments(_ character: Unicode.Scalar) -> [Segment] {
        let code = glyphs.first { $0.0 == character }?.1 ?? (character == " " ? "" : "02 08 48 42 02")
        var segments: [Segment] = []
        var last: Vector2?
        var digits: [Float] = []
        for byte in code.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(Float(byte - UInt8(ascii: "0")))
            case UInt8(ascii: "|"): last = nil
            default: break
            }
            guard digits.count == 2 else { continue }
            let point = Vector2(digits[0], digits[1])
            if let last { segments.append(Segment(from: last, to: point)) }
            last = point
            digits = []
        }
        return segments
    }

    private static let glyphs: [(Unicode.Scalar, String)] = digitGlyphs + lowerCaseGlyphs + upperCaseGlyphs + marks

    private static func glyph(_ character: Unicode.Scalar, _ code: String) -> (Unicode.Scalar, String) { (character, code) }

    private static let digitGlyphs = [
        glyph("0", "07 18 38 47 43 32 12 03 07|25 25"), glyph("1", "16 28 22|12 32"), glyph("2", "07 18 38 47 46 02 42"),
        glyph("3", "07 18 38 47 46 35 15|35 44 43 32 12 03"), glyph("4", "32 38 04 44"), glyph("5", "48 08 05 35 44 43 32 12 03"),
        glyph("6", "47 38 18 07 03 12 32 43 44 35 15 04"), glyph("7", "08 48 12"),
        glyph("8", "15 06 07 18 38 47 46 35 15 04 03 12 32 43 44 35"), glyph("9", "03 12 32 43 47 38 18 07 06 15 35 46"),
    ]

    private static let lowerCaseGlyphs = [
        glyph("a", "46 42|45 36 16 05 03 12 32 43"), glyph("b", "08 02|05 16 36 45 43 32 12 03"), glyph("c", "45 36 16 05 03 12 32 43"),
        glyph("d", "48 42|45 36 16 05 03 12 32 43"), glyph("e", "04 44 45 36 16 05 03 12 32 43"), glyph("f", "38 28 17 12|06 36"),
        glyph("g", "46 41 30 10 01|45 36 16 05 03 12 32 43"), glyph("h", "08 02|05 16 36 45 42"), glyph("i", "16 26 22|12 32|28 28"),
        glyph("j", "16 26 21 10 00|28 28"), glyph("k", "08 02|46 04 42"), glyph("l", "18 28 23 32"),
        glyph("m", "06 02|05 16 25 22|25 36 45 42"),
        glyph("n", "06 02|05 16 36 45 42"), glyph("o", "05 16 36 45 43 32 12 03 05"), glyph("p", "06 00|05 16 36 45 43 32 12 03"),
        glyph("q", "46 40|45 36 16 05 03 12 32 43"), glyph("r", "06 02|05 16 36 45"), glyph("s", "45 36 16 05 14 34 43 32 12 03"),
        glyph("t", "18 13 22 32|06 36"), glyph("u", "06 03 12 32 43|46 42"), glyph("v", "06 22 46"), glyph("w", "06 12 25 32 46"),
        glyph("x", "06 42|46 02"), glyph("y", "06 22|46 10 00"), glyph("z", "06 46 02 42"),
    ]

    private static let upperCaseGlyphs = [
        glyph("A", "02 28 42|14 34"), glyph("B", "02 08 38 47 46 35 05|35 44 43 32 02"), glyph("C", "47 38 18 07 03 12 32 43"),
        glyph("D", "02 08 28 47 43 22 02"), glyph("E", "48 08 02 42|05 35"), glyph("F", "48 08 02|05 35"),
        glyph("G", "47 38 18 07 03 12 32 43 45 25"), glyph("H", "08 02|48 42|05 45"), glyph("I", "28 22|18 38|12 32"),
        glyph("J", "48 43 32 12 03"), glyph("K", "08 02|48 05 42"), glyph("L", "08 02 42"), glyph("M", "02 08 25 48 42"),
        glyph("N", "02 08 42 48"), glyph("O", "07 18 38 47 43 32 12 03 07"), glyph("P", "02 08 38 47 46 35 05"),
        glyph("Q", "07 18 38 47 43 32 12 03 07|24 42"), glyph("R", "02 08 38 47 46 35 05|25 42"),
        glyph("S", "47 38 18 07 06 15 35 44 43 32 12 03"), glyph("T", "08 48|28 22"), glyph("U", "08 03 12 32 43 48"),
        glyph("V", "08 22 48"), glyph("W", "08 12 25 32 48"), glyph("X", "08 42|48 02"), glyph("Y", "08 25 48|25 22"),
        glyph("Z", "08 48 02 42"),
    ]

    private static let marks = [
        glyph(".", "22 22"), glyph(",", "22 11"), glyph(":", "22 22|25 25"), glyph("-", "15 35"), glyph("+", "04 44|26 22"),
        glyph("/", "02 48"), glyph("%", "02 48|07 08|42 43"), glyph("(", "38 27 23 32"), glyph(")", "18 27 23 12"),
        glyph("=", "06 46|03 43"),
        glyph("_", "02 42"), glyph("'", "28 27"), glyph("°", "18 28 27 17 18"), glyph(";", "22 11|25 25"), glyph("!", "28 24|22 22"),
        glyph("?", "07 18 38 47 46 25 24|22 22"), glyph("\"", "18 17|38 37"), glyph("#", "12 18|32 38|04 44|06 46"),
        glyph("$", "47 38 18 07 06 15 35 44 43 32 12 03|29 21"), glyph("&", "42 07 18 28 37 04 03 12 22 44"),
        glyph("*", "23 27|06 44|04 46"), glyph("<", "46 04 42"), glyph(">", "06 44 02"),
        glyph("@", "34 35 25 14 23 33 44 46 38 18 07 03 12 32"),
        glyph("[", "38 28 22 32"), glyph("]", "18 28 22 12"), glyph("\\", "08 42"), glyph("^", "16 28 36"), glyph("`", "18 27"),
        glyph("{", "38 28 26 15 24 22 32"), glyph("|", "28 21"), glyph("}", "18 28 26 35 24 22 12"), glyph("~", "05 16 34 45"),
    ]
}
