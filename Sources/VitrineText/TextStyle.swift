/// The style of a text: size, alignment, spacing and OpenType features.
public struct TextStyle: Equatable, Sendable {
    /// The horizontal alignment of lines.
    public enum Alignment: Equatable, Hashable, Sendable {
        /// Lines start at the left.
        case left
        /// Lines are centred.
        case center
        /// Lines end at the right.
        case right
    }

    /// The position of the origin.
    public enum Anchor: Equatable, Hashable, Sendable {
        /// The centre of the bounding box of all letters.
        case center
        /// The first line's baseline, at the position that `alignment` gives.
        case baseline
    }

    /// The largest number of characters of a text.
    public static let maximumLength = 10_000

    /// The size of an em in metres, or in points for layers. Default 1.
    public var size: Float
    /// The horizontal alignment. Default centre.
    public var alignment: Alignment
    /// The position of the origin. Default centre.
    public var anchor: Anchor
    /// The factor on the font's distance between baselines. Default 1.
    public var lineSpacing: Float
    /// The space added after each letter, in ems. Default 0.
    public var letterSpacing: Float
    /// The width in the unit of `size` at which lines are broken at spaces; longer words are not broken. Default nil: lines break only at line feeds.
    public var maximumWidth: Float?
    /// OpenType features, such as `"smcp"` or `"liga=0"`. Kerning and ligatures are on by default.
    public var features: [String]
    /// Whether characters that the font does not have are drawn as an empty box. Default false: they are an error.
    public var drawsMissingGlyphs: Bool

    /// Creates a style.
    public init(
        size: Float = 1, alignment: Alignment = .center, anchor: Anchor = .center, lineSpacing: Float = 1, letterSpacing: Float = 0,
        maximumWidth: Float? = nil, features: [String] = [], drawsMissingGlyphs: Bool = false
    ) {
        (self.size, self.alignment, self.anchor) = (size, alignment, anchor)
        (self.lineSpacing, self.letterSpacing, self.maximumWidth) = (lineSpacing, letterSpacing, maximumWidth)
        (self.features, self.drawsMissingGlyphs) = (features, drawsMissingGlyphs)
    }
}
