#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The kind, size and version of a file, without reading it. Follows links.
package struct FileStatus: Equatable, Sendable {
    package enum Kind: Sendable {
        case folder, file, other
    }

    package let kind: Kind
    /// The size in bytes.
    package let size: Int
    /// The time of the last change of the content, in nanoseconds since 1970.
    package let modified: Int
    /// The inode number, which changes when a new file replaces the old one.
    package let number: UInt64

    /// Reads the status of a file.
    ///
    /// - Returns: nil if the file does not exist, or its folder cannot be searched.
    package init?(path: String) {
        var status = stat()
        guard SystemPath.with(path, { stat($0, &status) }) == 0 else { return nil }
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFDIR: .folder
            case S_IFREG: .file
            default: .other
            }
        size = Int(status.st_size)
        number = UInt64(status.st_ino)
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        modified = Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }

    /// Returns whether a path refers to a folder.
    package static func isFolder(_ path: String) -> Bool { FileStatus(path: path)?.kind == .folder }
}
