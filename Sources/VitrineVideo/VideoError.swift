/// An error of reading or writing a video, or of a program that does so.
package struct VideoError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The error in the form `FILE: reason` or `PROGRAM: reason`.
    package let description: String

    package init(_ description: String) { self.description = description }
}
