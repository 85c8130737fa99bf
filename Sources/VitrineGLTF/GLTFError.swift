/// Why a glTF file can't be read. Prints as `FILE:PLACE: reason`.
public struct GLTFError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where in the file.
    public enum Place: Equatable, Sendable {
        /// The file as a whole.
        case file
        /// Bytes from the file's start.
        case byte(Int)
        /// In the JSON text; both count from 1, columns in bytes.
        case line(Int, column: Int)
        /// A JSON pointer (RFC 6901), such as `/meshes/0/primitives/1`.
        case property(String)
    }

    public enum Reason: Equatable, Sendable {
        /// The first bytes are neither those of a GLB nor of a JSON object.
        case unrecognized
        /// The GLB container or the JSON text is broken.
        case malformed(String)
        /// The content breaks a rule of glTF, and no reading of it is safe.
        case invalid(String)
        /// `asset.version` or the container's version is not 2.
        case unsupportedVersion(String)
        /// The file can't be shown right without an extension that this reader doesn't know.
        case unsupportedExtension(String)
        /// An external file is missing, unreadable, or lies where files of a model may not lie.
        case resource(uri: String, reason: String)
        /// Over the caller's `GLTFLimits`.
        case limit(String)
    }

    /// The name that the caller gave to the bytes.
    public let file: String
    public let place: Place
    public let reason: Reason

    public init(file: String = "", place: Place = .file, reason: Reason) { (self.file, self.place, self.reason) = (file, place, reason) }

    public var description: String {
        let name = file.isEmpty ? "glTF" : MessageText.message(file)
        return place == .file ? "\(name): \(reason)" : "\(name):\(place): \(reason)"
    }
}

extension GLTFError.Place: CustomStringConvertible {
    public var description: String {
        switch self {
        case .file: ""
        case .byte(let offset): "byte \(offset)"
        case .line(let line, let column): "\(line):\(column)"
        case .property(let pointer): pointer.isEmpty ? "/" : MessageText.place(pointer)
        }
    }
}

extension GLTFError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unrecognized: "is neither a GLB container nor a JSON object"
        case .malformed(let text), .invalid(let text), .limit(let text): MessageText.message(text)
        case .unsupportedVersion(let version): "glTF version \(MessageText.name(version)) is not supported, only 2.x is"
        case .unsupportedExtension(let name): "requires the extension \(MessageText.name(name)), which is not supported"
        case .resource(let uri, let reason): "\"\(MessageText.name(uri))\": \(reason)"
        }
    }
}

/// Something in a file that was read in a way its author may not expect: a broken rule with an obvious reading, or a part left out.
public struct GLTFWarning: Equatable, Sendable, CustomStringConvertible {
    /// A JSON pointer, `byte N` of a GLB's container, or empty for the file as a whole.
    public let place: String
    public let message: String

    public init(place: String = "", message: String) {
        (self.place, self.message) = (MessageText.place(place), MessageText.message(message))
    }

    public var description: String { place.isEmpty ? message : "\(place): \(message)" }
}
