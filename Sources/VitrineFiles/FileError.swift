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

/// A file that can't be read or written. Prints as `FILE: reason`.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The path, as given.
    public let path: String
    /// In words: the system's own, or ours ("is a directory").
    public let reason: String

    public init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }

    /// With the reason that the system gave last.
    static func system(_ path: String, code: Int32 = errno) -> FileError {
        FileError(path: path, reason: String(cString: strerror(code)).lowercased())
    }

    public var description: String { "\(MessageText.message(path)): \(MessageText.message(reason))" }
}
