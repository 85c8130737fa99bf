import VitrineGLTF
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The result of loading a model file.
public struct LoadedScene {
    /// The default scene of the file.
    public let scene: Scene
    /// All scenes of the file, including the default scene.
    public let scenes: [Scene]
    /// Warnings about repairs and ignored parts, in the order of reading.
    public let warnings: [ModelWarning]
    /// The format, detected by content.
    public let format: ModelFormat
    /// Properties of a glTF file; nil for other formats.
    package let info: GLTFInfo?
}

/// A warning about a model file: a part that was repaired, changed or ignored. Its description is `LOCATION: message`.
public struct ModelWarning: Equatable, Sendable, Codable, CustomStringConvertible {
    /// The location in the file in the terms of its format, such as a JSON pointer or a line; empty for the file as a whole.
    public let location: String
    /// The text of the warning.
    public let message: String

    package init(location: String = "", message: String) {
        (self.location, self.message) = (MessageText.location(location), MessageText.message(message))
    }

    public var description: String { location.isEmpty ? message : "\(location): \(message)" }
}

/// Options for loading models.
public struct ModelLoadOptions: Sendable {
    /// The maximum size in bytes of the model file and of each file that it refers to. Default 2³¹.
    public var maximumFileBytes = FileBytes.defaultLimit
    /// Folders from which the files of a model may be read, in addition to the model's own folder and its subfolders. Symbolic links are resolved
    /// first. Default empty: a layer at `../base.usda`, or a link that leaves the folder, is refused.
    public var allowedFolders: [URL] = []
    /// Limits of the glTF reader.
    package var gltf = GLTFLimits()
    /// Whether any warning is an error (`ModelFileError.Reason.strict`). If false, readers repair violations with one obvious interpretation,
    /// ignore parts that they do not support, and report both in `LoadedScene.warnings`. Default false.
    public var isStrict = false
    /// Limits of textures.
    public var images = ImageLimits()
    /// The memory limit in bytes of all decoded textures together. If exceeded, the largest textures are halved in width and height until all
    /// fit, with a warning. Default 2³¹.
    public var maximumTextureBytes = 1 << 31
    /// The maximum of a texture's longest side in pixels. Larger textures are scaled down, with a warning. Default 16,384, the limit of most GPUs.
    public var maximumTextureSide = 1 << 14
    /// Whether textures keep their decoded pixels. If false, they stay `.encoded` in full size. In either case each texture is decoded once,
    /// and one that cannot be decoded is ignored with a warning. Default true.
    public var decodesTextures = true
    /// The USD variants to select instead of those that the file selects, keyed by the name of the variant set. A selection applies to
    /// every set that has the variant.
    public var usdVariants: [String: String] = [:]

    /// Creates the default options.
    public init() {}
}
