import VitrineScene

/// A laid-out text: its outlines and the size of its lines, in the unit of `TextStyle.size`.
public struct TextLayout: Sendable {
    /// The outlines, y up, positioned by the style's anchor and alignment.
    public let path: Path
    /// The width of the longest line.
    public let width: Float
    /// The number of lines.
    public let lineCount: Int
    /// The extents of a line above and below its baseline; both positive.
    public let ascender, descender: Float
    /// The distance between baselines.
    public let lineHeight: Float

    /// The distance from the top of the first line to the bottom of the last.
    public var height: Float { ascender + descender + Float(max(lineCount - 1, 0)) * lineHeight }
}
