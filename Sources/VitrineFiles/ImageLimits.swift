/// What a decoder takes from a file it doesn't trust. Checked from the header, before memory is asked for.
public struct ImageLimits: Equatable, Sendable {
    /// The longest side, in pixels. Default 65,536.
    public var maximumSide: Int
    /// The most bytes that the decoded picture may take. Default 2²⁹: 8,192 × 4,096 in floats, 11,585² in 8 bits.
    public var maximumBytes: Int

    /// The longest file that is read. Default 2³⁰ bytes.
    public var maximumFileBytes: Int

    public init(maximumSide: Int = 1 << 16, maximumBytes: Int = 1 << 29, maximumFileBytes: Int = 1 << 30) {
        (self.maximumSide, self.maximumBytes, self.maximumFileBytes) = (maximumSide, maximumBytes, maximumFileBytes)
    }
}
