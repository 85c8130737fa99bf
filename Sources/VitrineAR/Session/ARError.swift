/// Why a session stopped, or didn't do what it was asked for.
public struct ARError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Code: Int, Equatable, Sendable, CaseIterable {
        /// The device doesn't measure what the configuration needs.
        case unsupportedConfiguration = 100
        /// The source ended or is gone: a live one can't be wound back.
        case sensorUnavailable = 101
        /// The source broke while it was read.
        case sensorFailed = 102
        /// A world map that can't be used.
        case invalidWorldMap = 301
        /// A transform or a number that can't be meant: not finite, or not rigid.
        case invalidValue = 302
        /// Too little is known yet for what was asked.
        case insufficientFeatures = 400
        /// The session is in a state in which this can't be done.
        case requestFailed = 501
        /// This isn't done here.
        case unsupported = 900
    }

    public let code: Code
    /// What happened, where, and what to do about it.
    public let message: String

    public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    public var description: String { message }
}
