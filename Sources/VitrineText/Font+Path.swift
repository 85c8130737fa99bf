import CHarfBuzz
import VitrineMath
import VitrineScene

extension Font {
    /// Returns the outlines of a text, with kerning, ligatures, and scripts of both directions.
    ///
    /// Lines break at line feeds and, with `TextStyle.maximumWidth`, at spaces. Text runs of opposite directions in one line are ordered for
    /// reading; bidirectional control characters are ignored.
    ///
    /// - Throws: `.missingGlyphs`, `.feature`, `.tooLong`.
    public func path(for text: String, style: TextStyle = TextStyle()) throws(TextError) -> Path {
        try layout(text, style: style).path
    }

    /// Returns the outlines of a text and the size of its lines.
    ///
    /// - Throws: `.missingGlyphs`, `.feature`, `.tooLong`.
    public func layout(_ text: String, style: TextStyle = TextStyle()) throws(TextError) -> TextLayout {
        guard text.count <= TextStyle.maximumLength, text.unicodeScalars.count <= TextStyle.maximumLength * 4 else {
            throw .tooLong(text.count)
        }
        let setter = TypeSetter(font: self, style: style, features: try Font.features(style.features))
        let lines = setter.lines(of: text)
        let missing = lines.flatMap(\.missing)
        guard missing.isEmpty || style.drawsMissingGlyphs else { throw .missingGlyphs(Font.characters(missing), font: name) }
        let scale = style.size / unitsPerEm
        return TextLayout(
            path: setter.path(of: lines), width: lines.reduce(0) { max($0, $1.width * scale) }, lineCount: lines.count,
            ascender: ascender * scale, descender: -descender * scale,
            lineHeight: (ascender - descender + lineGap) * scale * style.lineSpacing)
    }

    /// The distinct characters, in the order of the text.
    private static func characters(_ scalars: [Unicode.Scalar]) -> [Character] {
        var found: [Character] = []
        for scalar in scalars where !found.contains(Character(scalar)) { found.append(Character(scalar)) }
        return found
    }

    private static func features(_ texts: [String]) throws(TextError) -> [hb_feature_t] {
        var features: [hb_feature_t] = []
        for text in texts {
            var feature = hb_feature_t()
            guard hb_feature_from_string(text, -1, &feature) != 0 else { throw .feature(text) }
            features.append(feature)
        }
        return features
    }
}

/// Shapes, breaks and places the lines of a text.
private struct TypeSetter {
    let font: Font
    let style: TextStyle
    let features: [hb_feature_t]

    /// Metres per font unit.
    private var scale: Float { style.size / font.unitsPerEm }

    func lines(of text: String) -> [ShapedLine] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { broken(Array($0.unicodeScalars)) }
    }

    private func shaped(_ line: [Unicode.Scalar]) -> ShapedLine {
        ShapedLine(line, font: font, features: features, letterSpacing: style.letterSpacing * font.unitsPerEm)
    }

    /// A line, broken at spaces if it is wider than the style allows.
    private func broken(_ line: [Unicode.Scalar]) -> [ShapedLine] {
        let whole = shaped(line)
        guard let width = style.maximumWidth, whole.width * scale > width else { return [whole] }
        var lines: [ShapedLine] = []
        var current: [Unicode.Scalar] = []
        var currentShape: ShapedLine?
        for word in line.split(separator: " ", omittingEmptySubsequences: true) {
            let longer = current.isEmpty ? Array(word) : current + [" "] + word
            let shape = shaped(longer)
            if let done = currentShape, shape.width * scale > width {
                lines.append(done)
                (current, currentShape) = (Array(word), shaped(Array(word)))
            } else {
                (current, currentShape) = (longer, shape)
            }
        }
        if let currentShape { lines.append(currentShape) }
        return lines
    }

    func path(of lines: [ShapedLine]) -> Path {
        let outlines = GlyphOutlines()
        let lineHeight = (font.ascender - font.descender + font.lineGap) * scale * style.lineSpacing
        for (number, line) in lines.enumerated() {
            let share: Float = style.alignment == .left ? 0 : style.alignment == .center ? 0.5 : 1
            let start = Vector2(-line.width * scale * share, -lineHeight * Float(number))
            for glyph in line.glyphs { outlines.add(glyph.number, of: font, at: start + glyph.origin * scale, scale: scale) }
        }
        guard style.anchor == .center, let box = outlines.path.controlBounds else { return outlines.path }
        return outlines.path.translated(by: -(box.minimum + box.maximum) / 2)
    }
}
