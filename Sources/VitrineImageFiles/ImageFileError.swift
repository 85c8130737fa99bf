import VitrineGLTF

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The error of decoding, encoding, reading or writing an image file. Its description is `FILE:[LOCATION:] reason`.
public struct ImageFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason of the error.
    public enum Reason: Equatable, Sendable {
        /// The file system reported an error.
        case file(String)
        /// The content is not a known image format.
        case unrecognized
        /// The file ends before the image is complete.
        case truncated(String)
        /// The content violates the format.
        case malformed(String)
        /// The content uses a feature that is not supported.
        case unsupported(String)
        /// The image exceeds the `ImageLimits`.
        case tooLarge(String)
        /// There is not enough memory.
        case outOfMemory
        /// The task was cancelled before the file was decoded.
        case cancelled
    }

    /// The path, or the name of the bytes.
    public let file: String
    /// The reason for which the file cannot be read or written.
    public let reason: Reason
    /// The offset in bytes, if known.
    public let offset: Int?
    /// The row of the image from the top, if known.
    public let row: Int?

    package init(file: String, reason: Reason, offset: Int? = nil, row: Int? = nil) {
        (self.file, self.reason, self.offset, self.row) = (file, reason, offset, row)
    }

    public var description: String {
        let locations = [offset.map { "byte \($0)" }, row.map { "row \($0)" }].compactMap { $0 }.joined(separator: ", ")
        return "\(file.isEmpty ? "image" : file):\(locations.isEmpty ? "" : "\(locations):") \(reason)"
    }
}

extension ImageFileError: ByteReaderError {
    package static func endOfBytes(file: String, offset: Int) -> ImageFileError {
        ImageFileError(file: file, reason: .truncated("the header does not end"), offset: offset)
    }
}

extension ByteReader where Failure == ImageFileError {
    /// Returns the error for malformed or unsupported content at the current offset.
    func failure(_ reason: ImageFileError.Reason) -> ImageFileError { ImageFileError(file: file, reason: reason, offset: offset) }
}

extension ImageFileError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .file(let text), .tooLarge(let text): text
        case .unrecognized: "is not a known image format (PNG, JPEG, WebP, HEIC, AVIF, KTX2, TGA, Radiance HDR, OpenEXR)"
        case .truncated(let text): "truncated: \(text)"
        case .malformed(let text): "malformed: \(text)"
        case .unsupported(let text): "not supported: \(text)"
        case .outOfMemory: "out of memory"
        case .cancelled: "cancelled"
        }
    }
}

extension ImageFileError: LocalizedError {
    public var errorDescription: String? { description }
}
