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

/// Reads files.
package enum FileBytes {
    /// The default limit: 2 GiB.
    package static let defaultLimit = 1 << 31

    /// Reads all bytes of a regular file.
    ///
    /// - Parameter limit: The maximum size in bytes, checked before reading.
    /// - Throws: `FileError` for a missing or unreadable file, a directory, a device or pipe, a remote URL, a file over the limit, and
    ///   a file that becomes shorter while it is read.
    package static func read(_ url: URL, limit: Int = defaultLimit) throws(FileError) -> [UInt8] {
        try read(try localPath(url), limit: limit, extraFlags: 0) { _ in }
    }

    /// Reads all bytes of a regular file that is not a symbolic link.
    ///
    /// - Parameter check: Called with the open file before reading.
    package static func read(_ path: String, limit: Int, check: (Int32) throws(FileError) -> Void) throws(FileError) -> [UInt8] {
        try read(path, limit: limit, extraFlags: O_NOFOLLOW, check: check)
    }

    private static func read(
        _ path: String, limit: Int, extraFlags: Int32, check: (Int32) throws(FileError) -> Void
    ) throws(FileError) -> [UInt8] {
        // O_NONBLOCK: opening a pipe without a writer would block.
        let descriptor = SystemPath.with(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | extraFlags) }
        guard descriptor >= 0 else { throw .system(path) }
        defer { close(descriptor) }
        try check(descriptor)
        return try read(descriptor, count: size(of: descriptor, path: path, limit: limit), path: path)
    }

    /// Reads a regular file of any size in parts of at most 1 MiB.
    package static func readParts(_ url: URL, _ body: (UnsafeRawBufferPointer) -> Void) throws(FileError) {
        let path = try localPath(url)
        let descriptor = SystemPath.with(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw .system(path) }
        defer { close(descriptor) }
        _ = try size(of: descriptor, path: path, limit: .max)
        let part = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 20)
        defer { part.deallocate() }
        var isAtEnd = false
        while !isAtEnd {
            var filled = 0
            while filled < part.count, !isAtEnd {
                let got = sysRead(descriptor, part.baseAddress! + filled, part.count - filled)
                guard got >= 0 || errno == EINTR else { throw .system(path) }
                isAtEnd = got == 0
                filled += max(got, 0)
            }
            if filled > 0 { body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(part)[..<filled])) }
        }
    }

    static func localPath(_ url: URL) throws(FileError) -> String {
        guard url.isFileURL else { throw FileError(path: url.absoluteString, reason: "is not a local file") }
        let path = url.path
        guard !path.isEmpty, !path.utf8.contains(0) else { throw FileError(path: path, reason: "is not a file name") }
        return path
    }

    private static func size(of descriptor: Int32, path: String, limit: Int) throws(FileError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(path) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw FileError(path: path, reason: "is a directory") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileError(path: path, reason: "is not a regular file") }
        guard status.st_size <= limit else {
            throw FileError(path: path, reason: "has \(status.st_size) bytes, the limit is \(limit)")
        }
        return Int(status.st_size)
    }

    private static func read(_ descriptor: Int32, count: Int, path: String) throws(FileError) -> [UInt8] {
        // An uninitialized array of no elements would write into the storage that all empty arrays share.
        guard count > 0 else { return [] }
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let got = sysRead(descriptor, buffer.baseAddress! + initialized, count - initialized)
                if got > 0 {
                    initialized += got
                } else if got == 0 {
                    failure = FileError(path: path, reason: "became shorter while it was read")
                    return
                } else if errno != EINTR {
                    failure = .system(path)
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }
}

/// The system's `read`, which `FileBytes.read` hides.
private func sysRead(_ descriptor: Int32, _ into: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int { read(descriptor, into, count) }
