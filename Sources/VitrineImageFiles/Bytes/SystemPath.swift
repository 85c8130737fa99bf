import VitrineGLTF

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Paths in the representation of the system: bytes that need not be UTF-8. See `FileNameText`.
package enum SystemPath {
    /// Calls `body` with the bytes of the path, followed by a zero.
    package static func with<Result>(_ path: String, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let bytes = FileNameText.bytes(path).map { CChar(bitPattern: $0) } + [0]
        return bytes.withUnsafeBufferPointer { buffer in
            // A literal zero ends every array above.
            guard let start = buffer.baseAddress else { preconditionFailure("an array of at least one element has an address") }
            return body(start)
        }
    }

    /// Returns the path without links, or nil if the file does not exist.
    package static func resolvingLinks(_ path: String) -> String? {
        guard let resolved = with(path, { realpath($0, nil) }) else { return nil }
        defer { free(resolved) }
        return text(resolved)
    }

    /// Returns the path that a symbolic link contains; nil if the file is not a link.
    package static func link(_ path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = bytes.count - 1
        guard with(path, { from in readlink(from, &bytes, count) }) > 0 else { return nil }
        return text(bytes)
    }

    /// Returns the text of a path that the system returned.
    package static func text(_ path: UnsafePointer<CChar>) -> String {
        FileNameText.text(UnsafeRawBufferPointer(start: path, count: strlen(path)))
    }
}
