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

    /// The text of a path that the system returned.
    package static func text(_ path: UnsafePointer<CChar>) -> String {
        FileNameText.text(UnsafeRawBufferPointer(start: path, count: strlen(path)))
    }
}
