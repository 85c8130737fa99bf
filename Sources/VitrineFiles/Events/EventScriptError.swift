/// A script of events that can't be used. Prints as `FILE:LINE: reason`.
public struct EventScriptError: Error, Equatable, Sendable, CustomStringConvertible {
    public var file: String
    /// From 1; 0: the file as a whole.
    public var line: Int
    public var reason: String

    public init(file: String, line: Int = 0, reason: String) { (self.file, self.line, self.reason) = (file, line, reason) }

    public var description: String { line > 0 ? "\(file):\(line): \(reason)" : "\(file): \(reason)" }
}
