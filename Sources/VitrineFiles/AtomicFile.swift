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

/// Writes files so that a reader sees the old content or the new, never half of it, even when the power fails.
///
/// The bytes go to a temporary file in the same directory, are flushed to the disk, and the file is renamed over the target.
/// On failure the temporary file is removed and the target is as it was. A new file gets the permissions that the process's
/// mask allows; a replaced one keeps its own. A symbolic link is followed: its target is replaced, not the link.
public enum AtomicFile {
    public static func write(_ bytes: [UInt8], to url: URL) throws(FileError) {
        let name = try FileBytes.localPath(url)
        let path = SystemPath.resolvingLinks(name) ?? name
        var status = stat()
        let exists = SystemPath.with(path) { stat($0, &status) } == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR { throw FileError(path: path, reason: "is a directory") }
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

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// A new file of our own; O_EXCL makes sure that two writers never share one.
    private static func create(beside path: String) throws(FileError) -> (descriptor: Int32, path: String) {
        for attempt in 0..<100 {
            let candidate = "\(directory(of: path))/.vitrine-\(getpid())-\(UInt32.random(in: 0 ... .max))-\(attempt).tmp"
            let descriptor = SystemPath.with(candidate) { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
            if descriptor >= 0 { return (descriptor, candidate) }
            guard errno == EEXIST else { throw .system(path) }
        }
        throw FileError(path: path, reason: "no temporary file could be made beside it")
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

    /// Makes the rename itself last. Some file systems can't; the content is whole either way, so that is no error.
    private static func flushDirectory(of path: String) {
        let descriptor = SystemPath.with(directory(of: path)) { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }
}

/// The system's `write`, which `AtomicFile.write` would hide.
private func sysWrite(_ descriptor: Int32, _ from: UnsafeRawPointer, _ count: Int) -> Int { write(descriptor, from, count) }
