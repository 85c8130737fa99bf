import CHarfBuzz

/// A stretch of a line that is read in one direction.
struct TextRun {
    var scalars: [Unicode.Scalar]
    var isRightToLeft: Bool

    /// The runs of a line, from left to right as they are seen.
    ///
    /// Letters say in which direction they are read (by their script); what lies between two stretches of one direction (spaces, signs)
    /// goes along, the rest goes as the line does, which is as its first letter. Numbers are read from left to right. That is the common
    /// part of the Unicode bidirectional algorithm: marks that steer it, and quotes within quotes, are not followed.
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

    /// Whether a scalar is read from right to left; nil: as its neighbours.
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
