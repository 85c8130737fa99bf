import VitrineGLTF

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The error of loading or writing a model file. Its description is `FILE[:LOCATION]: reason`.
public struct ModelFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason of the error.
    public enum Reason: Equatable, Sendable {
        /// The file system reported an error.
        case file(String)
        /// The content is not a known model format.
        case unrecognized
        /// The file is an image.
        case isImage(ImageFile.Kind)
        /// The format is known, but not supported.
        case unsupportedFormat(ModelFormat)
        /// The content violates the format.
        case malformed(String)
        /// The file requires a version or an extension of its format that the reader does not support.
        case unsupportedFeature(String)
        /// A file that the model refers to is missing, unreadable, or outside the allowed folders.
        case resource(String)
        /// The file exceeds a limit of its reader.
        case limit(String)
        /// The file has a warning and was loaded with `ModelLoadOptions.isStrict`. Has the number of other warnings.
        case strict(String, others: Int)
        /// The scene cannot be written in the format.
        case notWritable(String)
    }

    /// The path of the file.
    public let file: String
    /// The location in the file in the terms of its format; empty for the file as a whole.
    public let location: String
    /// The reason for which the file cannot be read or written.
    public let reason: Reason

    package init(file: String, location: String = "", reason: Reason) { (self.file, self.location, self.reason) = (file, location, reason) }

    init(_ error: GLTFError, file: String) {
        let reason: Reason =
            switch error.reason {
            case .unrecognized, .malformed, .invalid: .malformed(error.reason.description)
            case .unsupportedVersion, .unsupportedExtension: .unsupportedFeature(error.reason.description)
            case .resource: .resource(error.reason.description)
            case .limit: .limit(error.reason.description)
            }
        self.init(file: file, location: error.location.description, reason: reason)
    }

    public var description: String {
        let start = MessageText.message(file) + (location.isEmpty ? "" : ":" + MessageText.location(location))
        return "\(start): \(MessageText.message("\(reason)"))"
    }
}

extension ModelFileError: ByteReaderError {
    package static func endOfBytes(file: String, offset: Int) -> ModelFileError {
        ModelFileError(file: file, location: "byte \(offset)", reason: .malformed("the file ends early"))
    }
}

extension ModelFileError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .file(let text): text
        case .unrecognized: "is not a known model format (\(ModelFormat.readableNames))"
        case .isImage(let kind): "is a \(kind.rawValue.uppercased()) image, not a model"
        case .unsupportedFormat(let format):
            "is \(format.displayName), which is not supported: convert it to glTF, USD or COLLADA"
        case .malformed(let text), .unsupportedFeature(let text), .resource(let text), .limit(let text), .notWritable(let text): text
        case .strict(let text, let others):
            "\(text) (an error because of --strict or ModelLoadOptions.isStrict\(others > 0 ? "; \(others) more warning\(others == 1 ? "" : "s")" : ""))"
        }
    }
}

extension ModelFileError: LocalizedError {
    public var errorDescription: String? { description }
}
