/// The progress of loading and preparing content.
public struct LoadingProgress: Equatable, Sendable {
    /// The completed fraction, 0…1; never decreases.
    public var fraction: Double
    /// The current stage in one or two words: "reading", "uploading".
    public var stage: String

    /// Creates a progress value.
    public init(_ fraction: Double, stage: String) { (self.fraction, self.stage) = (fraction, stage) }
}
