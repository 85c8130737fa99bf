import VitrineGLTF
import VitrineScene

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

    public init(place: String = "", message: String) {
        (self.place, self.message) = (MessageText.place(place), MessageText.message(message))
    }

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
    /// What the glTF reader takes from a file.
    public var gltf = GLTFLimits()
    /// Whether a file that gives any warning is refused: with the first warning, the number of the others, and `ModelFileError.Reason.strict`.
    /// Without, readers repair what has one obvious reading, leave out what they can't read, and name both in `LoadedScene.warnings`. Default
    /// false.
    public var isStrict = false
    /// What a picture may take.
    public var images = ImageLimits()
    /// Bytes that all decoded pictures may take together. Default 2³¹.
    public var maximumTextureBytes = 1 << 31
    /// Whether pictures are decoded; without, textures stay `.encoded`. Default true.
    public var decodesTextures = true
    /// Of USD: by the name of a variant set, the variant that is shown wherever the set has it, instead of the one that the file chooses.
    public var usdVariants: [String: String] = [:]

    public init() {}
}
