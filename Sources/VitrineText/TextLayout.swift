import VitrineScene

/// A text as it is set: its outlines, and the room that its lines take, in the units of the style's size.
public struct TextLayout: Sendable {
    /// y up; placed as the style's anchor and alignment say.
    public let path: Path
    /// Of the longest line.
    public let width: Float
    public let lineCount: Int
    /// How far lines reach above and below their baselines; both more than 0.
    public let ascender, descender: Float
    /// From baseline to baseline.
    public let lineHeight: Float

    /// From the top of the first line to the bottom of the last.
    public var height: Float { ascender + descender + Float(max(lineCount - 1, 0)) * lineHeight }
}
