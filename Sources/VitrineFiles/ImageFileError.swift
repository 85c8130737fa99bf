/// An image file that can't be decoded, encoded, read or written. Prints as `FILE[:PLACE]: reason`.
public struct ImageFileError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Reason: Equatable, Sendable {
        /// The file system says no.
        case file(String)
        /// The first bytes are of no picture format known here.
        case unrecognized
        /// The file ends before its picture does.
        case truncated(String)
        /// The content breaks the format's rules.
        case malformed(String)
        /// Right, perhaps, but not done here.
        case unsupported(String)
        /// The header names a picture over the caller's `ImageLimits`.
        case tooLarge(String)
        /// The system gave no memory.
        case outOfMemory
        /// The task was cancelled before the file's turn came.
        case cancelled
    }

    /// The file: a path, or the name that the caller gave to the bytes.
    public let file: String
    public let reason: Reason
    /// Position of the byte in the file, where it is known.
    public let offset: Int?
    /// Row of the picture from the top, where it is known.
    public let row: Int?

    public init(file: String, reason: Reason, offset: Int? = nil, row: Int? = nil) {
        (self.file, self.reason, self.offset, self.row) = (file, reason, offset, row)
    }

    public var description: String {
        let places = [offset.map { "byte \($0)" }, row.map { "row \($0)" }].compactMap { $0 }.joined(separator: ", ")
        return "\(file.isEmpty ? "image" : file):\(places.isEmpty ? "" : "\(places):") \(reason)"
    }
}

extension ImageFileError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .file(let text), .tooLarge(let text): text
        case .unrecognized: "the first bytes are not those of a PNG, JPEG, WebP, HEIC, AVIF, KTX2, TGA, Radiance HDR or OpenEXR file"
        case .truncated(let text): "truncated: \(text)"
        case .malformed(let text): "malformed: \(text)"
        case .unsupported(let text): "not supported: \(text)"
        case .outOfMemory: "out of memory"
        case .cancelled: "cancelled"
        }
    }
}
