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

/// Whole files as bytes.
public enum FileBytes {
    /// 2 GiB: what a reader takes when the caller names no limit.
    public static let defaultLimit = 1 << 31

    /// All bytes of a regular file.
    ///
    /// - Parameter limit: the most bytes taken; a longer file is refused before anything is read.
    /// - Throws: `FileError` for a missing or unreadable file, a directory, a device or pipe, a remote URL, a file over the limit, and
    ///   a file that gets shorter while it is read.
    public static func read(_ url: URL, limit: Int = defaultLimit) throws(FileError) -> [UInt8] {
        let path = try localPath(url)
        // O_NONBLOCK: opening a pipe without a writer would wait for ever.
        let descriptor = SystemPath.with(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw .system(path) }
        defer { close(descriptor) }
        return try read(descriptor, count: size(of: descriptor, path: path, limit: limit), path: path)
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
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let got = sysRead(descriptor, buffer.baseAddress! + initialized, count - initialized)
                if got > 0 {
                    initialized += got
                } else if got == 0 {
                    failure = FileError(path: path, reason: "got shorter while it was read")
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

/// The system's `read`, which `FileBytes.read` would hide.
private func sysRead(_ descriptor: Int32, _ into: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int { read(descriptor, into, count) }
