#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The error of reading a script of events. Its description is `FILE:LINE: reason`.
public struct EventScriptError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the file.
    public var file: String
    /// The line, from 1; 0 for the file as a whole.
    public var line: Int
    /// The reason for which the line is rejected.
    public var reason: String

    package init(file: String, line: Int = 0, reason: String) { (self.file, self.line, self.reason) = (file, line, reason) }

    public var description: String { line > 0 ? "\(file):\(line): \(reason)" : "\(file): \(reason)" }
}

extension EventScriptError: LocalizedError {
    public var errorDescription: String? { description }
}
