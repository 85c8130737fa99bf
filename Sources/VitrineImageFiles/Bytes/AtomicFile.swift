import Synchronization

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
///
/// A killed process leaves its temporary file behind. The first write of a process into a directory removes such files.
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
        let directory = directory(of: path)
        TemporaryFile.removeAbandoned(in: directory)
        let temporary = try TemporaryFile(in: directory, for: path)
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

/// An open temporary file beside its target. Its process holds a lock on it, which ends with the process.
private struct TemporaryFile {
    let descriptor: Int32
    let path: String

    private static let prefix = ".vitrine-"
    private static let suffix = ".tmp"
    /// The directories that this process has searched.
    private static let searched = Mutex<Set<String>>([])

    /// Creates and locks a new file. O_EXCL prevents two writers from sharing one.
    init(in directory: String, for target: String) throws(FileError) {
        for attempt in 0..<100 {
            let candidate = "\(directory)/\(Self.prefix)\(getpid())-\(UInt32.random(in: 0 ... .max))-\(attempt)\(Self.suffix)"
            let descriptor = SystemPath.with(candidate) { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
            guard descriptor >= 0 else {
                guard errno == EEXIST else { throw .system(target) }
                continue
            }
            // Before the lock, a process that searches for abandoned files may have taken this one for one of them.
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK {
                var status = stat()
                if fstat(descriptor, &status) == 0, status.st_nlink > 0 {
                    (self.descriptor, self.path) = (descriptor, candidate)
                    return
                }
            }
            close(descriptor)
        }
        throw FileError(path: target, reason: "cannot create a temporary file in its folder")
    }

    /// Removes the temporary files that no process has locked, once for each directory. On file systems without locks it removes none.
    static func removeAbandoned(in directory: String) {
        let isNew = searched.withLock { searched in
            // A bound for processes that write into very many directories.
            if searched.count >= 10_000 { searched.removeAll() }
            return searched.insert(directory).inserted
        }
        guard isNew, let entries = SystemPath.with(directory, { opendir($0) }) else { return }
        defer { closedir(entries) }
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { SystemPath.text($0) }
            }
            guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { continue }
            SystemPath.with("\(directory)/\(name)") { path in
                let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                guard descriptor >= 0 else { return }
                if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { _ = unlink(path) }
                close(descriptor)
            }
        }
    }
}

/// The system's `write`, which `AtomicFile.write` hides.
private func sysWrite(_ descriptor: Int32, _ from: UnsafeRawPointer, _ count: Int) -> Int { write(descriptor, from, count) }
