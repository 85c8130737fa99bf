import VitrineGLTF

/// A model file that can't be loaded or written. Prints as `FILE[:PLACE]: reason`.
public struct ModelFileError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Reason: Equatable, Sendable {
        /// The file system says no.
        case file(String)
        /// The first bytes are of no model format known here.
        case unrecognized
        /// A picture, where a model is wanted.
        case isPicture(ImageFile.Kind)
        /// A model format that is known but not read.
        case unsupportedFormat(ModelFormat)
        /// The glTF reader says no.
        case gltf(GLTFError.Reason)
        /// The content breaks the format's rules.
        case malformed(String)
        /// The decoded pictures would take more than the options allow.
        case texturesTooLarge(bytes: Int, limit: Int)
        /// Reading the file takes more than readers spend on one: of prims, or of places that bring in others.
        case limit(String)
        /// A warning, in a file that is read strictly (`ModelLoadOptions.isStrict`), and how many others there are.
        case strict(String, others: Int)
        /// The scene, or what its format is to be, can't be written.
        case notWritable(String)
    }

    /// The path, as given.
    public let file: String
    /// Where in the file, as its format counts; empty for the whole file.
    public let place: String
    public let reason: Reason

    public init(file: String, place: String = "", reason: Reason) { (self.file, self.place, self.reason) = (file, place, reason) }

    init(_ error: GLTFError, file: String) {
        self.init(file: file, place: error.place.description, reason: .gltf(error.reason))
    }

    public var description: String {
        let start = MessageText.message(file) + (place.isEmpty ? "" : ":" + MessageText.place(place))
        return "\(start): \(MessageText.message("\(reason)"))"
    }
}

extension ModelFileError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .file(let text): text
        case .unrecognized: "the first bytes are of no model format that is known here"
        case .isPicture(let kind): "is a \(kind.rawValue.uppercased()) picture, not a model"
        case .unsupportedFormat(let format):
            "is a file of \(format.displayName), which is not read; glTF, USD and COLLADA hold the same and are"
        case .gltf(let reason): reason.description
        case .malformed(let text), .limit(let text), .notWritable(let text): text
        case .strict(let text, let others):
            "\(text) (refused because reading is strict\(others > 0 ? "; \(others) more warning\(others == 1 ? "" : "s")" : ""))"
        case .texturesTooLarge(let bytes, let limit): "the decoded pictures take \(bytes) bytes, the limit is \(limit)"
        }
    }
}
