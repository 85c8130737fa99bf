/// Limits for untrusted image files. Decoders check the header before they allocate memory, and throw `ImageFileError.Reason.tooLarge`.
public struct ImageLimits: Equatable, Sendable {
    /// The maximum of the longest side, in pixels. Default 65,536.
    public var maximumSide: Int
    /// The maximum size of the decoded image in bytes. Default 2²⁹: 8,192 × 4,096 pixels in floats, 11,585² in 8 bits.
    public var maximumBytes: Int

    /// The maximum size of the file in bytes. Default 2³⁰.
    public var maximumFileBytes: Int

    /// Creates limits.
    public init(maximumSide: Int = 1 << 16, maximumBytes: Int = 1 << 29, maximumFileBytes: Int = 1 << 30) {
        (self.maximumSide, self.maximumBytes, self.maximumFileBytes) = (maximumSide, maximumBytes, maximumFileBytes)
    }
}
