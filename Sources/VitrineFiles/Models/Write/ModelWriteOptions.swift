/// How a model is written.
public struct ModelWriteOptions: Sendable {
    /// How pixels become bytes.
    public enum TextureFormat: Equatable, Sendable {
        case png
        /// Lossy, 1 to 100; pictures that JPEG can't hold (alpha, 16 bits) are written as PNG.
        case jpeg(quality: Int)
    }

    /// For textures that are pixels; those that are PNG or JPEG bytes already are kept as they are. Default PNG.
    public var textureFormat = TextureFormat.png
    /// The program's name, kept in formats that have a place for it. Default "Vitrine".
    public var generator = "Vitrine"
    /// What the decoder takes from textures that have to be repacked.
    public var images = ImageLimits()

    public init() {}
}
