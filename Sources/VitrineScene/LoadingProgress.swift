/// The progress of loading and preparing content.
public struct LoadingProgress: Equatable, Sendable {
    /// The completed fraction, 0…1; never decreases.
    public var fraction: Double
    /// The current stage in one or two words. A model file is at "reading", "parsing" (meshes, materials, nodes), "decoding" (textures), "done".
    public var stage: String

    /// Creates a progress value.
    public init(_ fraction: Double, stage: String) { (self.fraction, self.stage) = (fraction, stage) }
}
