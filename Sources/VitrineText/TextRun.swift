import CHarfBuzz

/// A run of text with one reading direction.
struct TextRun {
    var scalars: [Unicode.Scalar]
    var isRightToLeft: Bool

    /// Returns the runs of a line in visual order, from left to right.
    ///
    /// The script of a letter determines its direction. Neutral characters (spaces, punctuation) between two letters of one direction get that
    /// direction; others get the direction of the line, which is that of its first letter. Numbers are read from left to right. This is the common
    /// subset of the Unicode bidirectional algorithm, without control characters and nesting.
    static func runs(of line: [Unicode.Scalar]) -> [TextRun] {
        let own = line.map(direction)
        let lineIsRightToLeft = own.lazy.compactMap { $0 }.first ?? false
        var runs: [TextRun] = []
        for (index, scalar) in line.enumerated() {
            let isRightToLeft = own[index] ?? neutral(at: index, own, lineIsRightToLeft)
            if runs.last?.isRightToLeft == isRightToLeft {
                runs[runs.count - 1].scalars.append(scalar)
            } else {
                runs.append(TextRun(scalars: [scalar], isRightToLeft: isRightToLeft))
            }
        }
        return lineIsRightToLeft ? runs.reversed() : runs
    }

    /// Returns whether a scalar is read from right to left; nil if it is neutral.
    private static func direction(_ scalar: Unicode.Scalar) -> Bool? {
        if scalar.properties.numericType == .decimal { return false }
        guard scalar.properties.isAlphabetic || scalar.properties.generalCategory == .otherLetter else { return nil }
        let script = hb_unicode_script(hb_unicode_funcs_get_default(), scalar.value)
        return hb_script_get_horizontal_direction(script) == HB_DIRECTION_RTL
    }

    private static func neutral(at index: Int, _ own: [Bool?], _ line: Bool) -> Bool {
        let before = own[..<index].last { $0 != nil }.flatMap { $0 }
        let after = own[index...].first { $0 != nil }.flatMap { $0 }
        return before != nil && before == after ? before! : line
    }
}
