/// The error that reading a glTF file throws. Its description is `FILE:PLACE: reason`.
package struct GLTFError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A position in the file.
    package enum Location: Equatable, Sendable {
        /// The file as a whole.
        case file
        /// An offset in bytes from the start of the file.
        case byte(Int)
        /// A line and a column of the JSON text. Both start at 1; columns count bytes.
        case line(Int, column: Int)
        /// A JSON pointer (RFC 6901), such as `/meshes/0/primitives/1`.
        case property(String)
    }

    /// The reason of the error.
    package enum Reason: Equatable, Sendable {
        /// The file starts neither like a GLB nor like a JSON object.
        case unrecognized
        /// The GLB container or the JSON text is malformed.
        case malformed(String)
        /// The content violates the glTF specification in a way that cannot be repaired.
        case invalid(String)
        /// `asset.version` or the container's version is not 2.
        case unsupportedVersion(String)
        /// The file requires an extension that the reader does not support.
        case unsupportedExtension(String)
        /// A file that the model refers to is missing, unreadable, or outside the allowed folders.
        case resource(uri: String, reason: String)
        /// The file exceeds one of the `GLTFLimits`.
        case limit(String)
    }

    /// The name of the file.
    package let file: String
    /// The position in the file; `.file` for the file as a whole.
    package let location: Location
    /// The reason for which the file is rejected.
    package let reason: Reason

    package init(file: String = "", location: Location = .file, reason: Reason) {
        (self.file, self.location, self.reason) = (file, location, reason)
    }

    package var description: String {
        let name = file.isEmpty ? "glTF" : MessageText.message(file)
        return location == .file ? "\(name): \(reason)" : "\(name):\(location): \(reason)"
    }
}

extension GLTFError: ByteReaderError {
    package static func endOfBytes(file: String, offset: Int) -> GLTFError {
        GLTFError(file: file, location: .byte(offset), reason: .malformed("the file ends early"))
    }
}

extension GLTFError.Location: CustomStringConvertible {
    package var description: String {
        switch self {
        case .file: ""
        case .byte(let offset): "byte \(offset)"
        case .line(let line, let column): "\(line):\(column)"
        case .property(let pointer): pointer.isEmpty ? "/" : MessageText.location(pointer)
        }
    }
}

extension GLTFError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unrecognized: "is not a glTF file: neither a GLB container nor a JSON object"
        case .malformed(let text), .invalid(let text), .limit(let text): MessageText.message(text)
        case .unsupportedVersion(let version): "glTF version \(MessageText.name(version)) is not supported; use version 2.0"
        case .unsupportedExtension(let name): "requires the extension \(MessageText.name(name)), which is not supported"
        case .resource(let uri, let reason): "\"\(MessageText.name(uri))\": \(reason)"
        }
    }
}

/// A deviation from the specification that the reader repaired, or a part of the file that it ignored.
package struct GLTFWarning: Equatable, Sendable, CustomStringConvertible {
    /// A JSON pointer, `byte N` of a GLB container, or empty for the file as a whole.
    package let location: String
    package let message: String

    package init(location: String = "", message: String) {
        (self.location, self.message) = (MessageText.location(location), MessageText.message(message))
    }

    package var description: String { location.isEmpty ? message : "\(location): \(message)" }
}
