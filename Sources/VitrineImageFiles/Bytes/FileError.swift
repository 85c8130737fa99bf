import VitrineGLTF

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

/// The error of reading or writing a file. Its description is `FILE: reason`.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The path of the file.
    public let path: String
    /// The message of the system, or another reason such as "is a directory".
    public let reason: String

    package init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }

    /// Returns the error of the last system call.
    package static func system(_ path: String, code: Int32 = errno) -> FileError {
        FileError(path: path, reason: String(cString: strerror(code)).lowercased())
    }

    public var description: String { "\(MessageText.message(path)): \(MessageText.message(reason))" }
}

extension FileError: LocalizedError {
    public var errorDescription: String? { description }
}
