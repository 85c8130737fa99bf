#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes files atomically: a reader sees the old content or the complete new content, even after a power failure.
///
/// Writes a temporary file in the same directory, flushes it to the disk, and renames it to the target. On failure, removes the temporary
/// file and keeps the target. A new file gets default permissions; a replaced file keeps its permissions. Follows symbolic links: replaces the
/// target, not the link. Writes directly to character devices and named pipes, such as `/dev/null`.
package enum AtomicFile {
    /// Writes a file.
    package static func write(_ bytes: [UInt8], to url: URL) throws(FileError) {
        let name = try FileBytes.localPath(url)
        let path = try target(of: name)
        var status = stat()
        let exists = SystemPath.with(path) { stat($0, &status) } == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR { throw FileError(path: path, reason: "is a directory") }
        if exists, isStream(status) { return try writeDirectly(bytes, to: path) }
        if exists, status.st_mode & S_IFMT != S_IFREG { throw FileError(path: path, reason: "is not a regular file") }
        let temporary = try create(beside: path)
        do throws(FileError) {
            defer { close(temporary.descriptor) }
            try write(bytes, to: temporary.descriptor, path: path)
            if exists { _ = fchmod(temporary.descriptor, status.st_mode & 0o7777) }
            guard fsync(temporary.descriptor) == 0 else { throw .system(path) }
            guard SystemPath.with(temporary.path, { from in SystemPath.with(path) { rename(from, $0) } }) == 0 else { throw .system(path) }
        } catch {
            _ = SystemPath.with(temporary.path) { unlink($0) }
            throw error
        }
        flushDirectory(of: path)
    }

    /// Returns the file to write, with links resolved, even if it does not exist yet.
    private static func target(of name: String) throws(FileError) -> String {
        if let path = SystemPath.resolvingLinks(name) { return path }
        var path = name
        // The same number of links that the system follows.
        for _ in 0..<40 {
            guard let link = SystemPath.link(path) else { return path }
            path = link.hasPrefix("/") ? link : "\(directory(of: path))/\(link)"
        }
        throw .system(name, code: ELOOP)
    }

    /// Returns whether a path refers to a character device or a named pipe, whose name does not determine a format.
    package static func isStream(path: String) -> Bool {
        var status = stat()
        return SystemPath.with(path) { stat($0, &status) } == 0 && isStream(status)
    }

    private static func isStream(_ status: stat) -> Bool { [S_IFCHR, S_IFIFO].contains(status.st_mode & S_IFMT) }

    private static func writeDirectly(_ bytes: [UInt8], to path: String) throws(FileError) {
        let descriptor = SystemPath.with(path) { open($0, O_WRONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .system(path) }
        defer { close(descriptor) }
        try write(bytes, to: descriptor, path: path)
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates a new file. O_EXCL prevents two writers from sharing one.
    private static func create(beside path: String) throws(FileError) -> (descriptor: Int32, path: String) {
        for attempt in 0..<100 {
            let candidate = "\(directory(of: path))/.vitrine-\(getpid())-\(UInt32.random(in: 0 ... .max))-\(attempt).tmp"
            let descriptor = SystemPath.with(candidate) { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
            if descriptor >= 0 { return (descriptor, candidate) }
            guard errno == EEXIST else { throw .system(path) }
        }
        throw FileError(path: path, reason: "cannot create a temporary file in its folder")
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(FileError) {
        var failure: FileError?
        bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let wrote = sysWrite(descriptor, buffer.baseAddress! + done, buffer.count - done)
                if wrote >= 0 {
                    done += wrote
                } else if errno != EINTR {
                    failure = .system(path)
                    return
                }
            }
        }
        if let failure { throw failure }
    }

    /// Flushes the renaming to the disk. Ignores failures, because the content is complete in either case.
    private static func flushDirectory(of path: String) {
        let descriptor = SystemPath.with(directory(of: path)) { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }
}

/// The system's `write`, which `AtomicFile.write` hides.
private func sysWrite(_ descriptor: Int32, _ from: UnsafeRawPointer, _ count: Int) -> Int { write(descriptor, from, count) }
