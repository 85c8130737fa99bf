import VitrineGLTF

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Paths as the system takes them: bytes that need not be UTF-8. See `FileNameText`.
package enum SystemPath {
    /// Calls `body` with the path's bytes and a zero behind them.
    package static func with<Result>(_ path: String, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        let bytes = FileNameText.bytes(path).map { CChar(bitPattern: $0) } + [0]
        return bytes.withUnsafeBufferPointer { buffer in
            // A literal zero ends every array above.
            guard let start = buffer.baseAddress else { preconditionFailure("an array of at least one element has an address") }
            return body(start)
        }
    }

    /// The path without links, or nil if no such file exists.
    package static func resolvingLinks(_ path: String) -> String? {
        guard let resolved = with(path, { realpath($0, nil) }) else { return nil }
        defer { free(resolved) }
        return text(resolved)
    }

    /// The path that a symbolic link contains; nil if the file is not a link.
    package static func link(_ path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = bytes.count - 1
        guard with(path, { from in readlink(from, &bytes, count) }) > 0 else { return nil }
        return text(bytes)
    }

    /// The text of a path that the system returned.
    package static func text(_ path: UnsafePointer<CChar>) -> String {
        FileNameText.text(UnsafeRawBufferPointer(start: path, count: strlen(path)))
    }
}
