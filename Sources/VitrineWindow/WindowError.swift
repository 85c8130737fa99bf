/// An error of opening or running a window.
public struct WindowError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The action that failed, such as "open a window".
    public let action: String
    /// The reason of the failure.
    public let reason: String

    /// Creates an error.
    public init(_ action: String, reason: String) { (self.action, self.reason) = (action, reason) }

    public var description: String { "\(action): \(reason)" }
}
