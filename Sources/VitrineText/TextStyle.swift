/// How letters are set.
public struct TextStyle: Equatable, Sendable {
    public enum Alignment: Equatable, Hashable, Sendable { case left, center, right }

    /// Where the origin lies.
    public enum Anchor: Equatable, Hashable, Sendable {
        /// In the middle of the box around all letters.
        case center
        /// On the first line's baseline; across, where `alignment` aligns.
        case baseline
    }

    /// The most characters that are set at once.
    public static let maximumLength = 10_000

    /// Metres of an em: about the distance from line to line.
    public var size: Float
    public var alignment: Alignment
    public var anchor: Anchor
    /// From baseline to baseline, times what the font says.
    public var lineSpacing: Float
    /// Added after each letter, in ems.
    public var letterSpacing: Float
    /// Metres; longer lines are broken at spaces. A word that is longer stays whole. nil: only at line feeds.
    public var maximumWidth: Float?
    /// OpenType features, as `"smcp"` or `"liga=0"`; kerning and ligatures are on by themselves.
    public var features: [String]
    /// Characters that the font doesn't have are drawn as its empty box, instead of an error.
    public var drawsMissingGlyphs: Bool

    public init(
        size: Float = 1, alignment: Alignment = .center, anchor: Anchor = .center, lineSpacing: Float = 1, letterSpacing: Float = 0,
        maximumWidth: Float? = nil, features: [String] = [], drawsMissingGlyphs: Bool = false
    ) {
        (self.size, self.alignment, self.anchor) = (size, alignment, anchor)
        (self.lineSpacing, self.letterSpacing, self.maximumWidth) = (lineSpacing, letterSpacing, maximumWidth)
        (self.features, self.drawsMissingGlyphs) = (features, drawsMissingGlyphs)
    }
}
