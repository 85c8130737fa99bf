/// Text to draw over a frame, and where.
///
/// The font has the printable ASCII characters and °; any other character is drawn as a box. Capitals are 9 points high.
package struct OverlayText: Equatable, Sendable {
    /// Position in the frame, 10 points from the edges.
    package enum Placement: Equatable, Hashable, Sendable { case topLeft, center, bottomLeft }

    package var lines: [String]
    package var placement: Placement
    /// Whether lines that are wider than the frame are wrapped. false: the text is scaled down to fit. Default false.
    package var wrapsLines: Bool

    package init(_ lines: [String], at placement: Placement = .topLeft, wrapsLines: Bool = false) {
        (self.lines, self.placement, self.wrapsLines) = (lines, placement, wrapsLines)
    }

    /// Pixels per unit of the font's grid at one pixel per point.
    static let unit: Float = 1.5
    /// Smaller text, in pixels per unit, is not legible and is omitted.
    static let smallestUnit: Float = 0.75
    /// Points between the text and the frame's edge.
    static let inset: Float = 10

    /// The factor by which the text must be scaled down to fit a frame, at most 1.
    ///
    /// - Parameters: width, height: Points.
    package func fittingScale(width: Float, height: Float) -> Float {
        let size = TextRaster.size(lines, unit: Self.unit)
        return min(1, (width - 2 * Self.inset) / Float(size.width), (height - 2 * Self.inset) / Float(size.height))
    }

    /// The lines as they are drawn into a frame of `width` × `height` pixels, and the size of their grid's unit in pixels; nil if they do not fit.
    func layout(width: Int, height: Int, scale: Float) -> (lines: [String], unit: Float)? {
        let (room, inset) = (Self.unit * scale, 2 * Int((Self.inset * scale).rounded()))
        let columns = Int((Float(width - inset) / room - 8) / StrokeFont.advance)
        let lines = wrapsLines && columns >= 8 ? self.lines.flatMap { Self.wrap($0, columns: columns) } : self.lines
        let size = TextRaster.size(lines, unit: room)
        let share = min(1, Float(width - inset) / Float(size.width), Float(height - inset) / Float(size.height))
        // Rounding to pixels may take one more.
        let unit = share < 1 ? room * share * 0.98 : room
        return unit >= Self.smallestUnit ? (lines, unit) : nil
    }

    /// Breaks a line at spaces, and inside of words that are longer than a line.
    static func wrap(_ line: String, columns: Int) -> [String] {
        var (wrapped, current): ([String], [Unicode.Scalar]) = ([], [])
        var rest = Array(line.unicodeScalars)[...]
        func text(_ scalars: [Unicode.Scalar]) -> String {
            var text = ""
            for scalar in scalars { text.unicodeScalars.append(scalar) }
            return text
        }
        while !rest.isEmpty {
            current = Array(rest.prefix(columns))
            if rest.count > columns, rest[rest.startIndex + columns] != " ", let space = current.lastIndex(of: " "), space > 0 {
                current = Array(current[..<space])
            }
            rest = rest.dropFirst(current.count)
            if rest.first == " " { rest = rest.dropFirst() }
            wrapped.append(text(current))
        }
        return wrapped.isEmpty ? [""] : wrapped
    }
}
