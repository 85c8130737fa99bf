import VitrineGLTF
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What came out of a model file.
public struct LoadedScene {
    /// The scene that the file wants to be shown.
    public let scene: Scene
    /// All scenes of the file, the one above among them.
    public let scenes: [Scene]
    /// What was bent or left out, in the order found.
    public let warnings: [ModelWarning]
    public let format: ModelFormat
    /// What a glTF file says about itself; nil for other formats.
    public let info: GLTFInfo?
}

/// Something in a model file that was read in a way its author may not expect. Prints as `PLACE: message`.
public struct ModelWarning: Equatable, Sendable, Codable, CustomStringConvertible {
    /// Where in the file, as its format counts (glTF: a JSON pointer); empty for the whole file.
    public let place: String
    public let message: String

    public init(place: String = "", message: String) { (self.place, self.message) = (place, message) }

    public var description: String { place.isEmpty ? message : "\(place): \(message)" }
}

/// How far a load has come.
public struct ModelLoadProgress: Equatable, Sendable {
    public enum Stage: String, Sendable {
        /// Taking the file from the disk.
        case reading
        /// Meshes, materials, nodes.
        case parsing
        /// Pictures.
        case decoding
        case done
    }

    public let stage: Stage
    /// 0…1 of the whole load; never falls.
    public let fraction: Double
}

/// How a model is loaded.
public struct ModelLoadOptions: Sendable {
    /// Bytes that the model file, and each file beside it, may have. Default 2³¹.
    public var maximumFileBytes = FileBytes.defaultLimit
    /// Folders that the files of a model may lie in, besides the model's own folder and those below it. A file counts as lying where its
    /// symbolic links lead to. Default none: a layer at `../base.usda` or a linked texture elsewhere is refused.
    public var allowedFolders: [URL] = []
    /// What the glTF reader takes from a file.
    public var gltf = GLTFLimits()
    /// What a picture may take.
    public var images = ImageLimits()
    /// Bytes that all decoded textures may take together. Where they take more, the largest are halved in width and height until they fit,
    /// with a warning. Default 2³¹.
    public var maximumTextureBytes = 1 << 31
    /// Pixels on a texture's longest side. A larger texture is scaled down, with a warning. Default 16,384, what most GPUs take.
    public var maximumTextureSide = 1 << 14
    /// Whether textures keep their decoded pixels. Without, they stay `.encoded` in full size and take no memory for pixels; they are still
    /// checked, so that a texture that can't be decoded is left out with a warning in either case. Default true.
    public var decodesTextures = true
    /// Of USD: by the name of a variant set, the variant that is shown wherever the set has it, instead of the one that the file chooses.
    public var usdVariants: [String: String] = [:]

    public init() {}
}
