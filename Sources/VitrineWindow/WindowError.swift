/// Why a window can't be opened or go on.
public struct WindowError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was tried.
    public var action: String
    public var reason: String

    public init(_ action: String, reason: String) { (self.action, self.reason) = (action, reason) }

    public var description: String { "\(action): \(reason)" }
}
