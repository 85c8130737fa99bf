/// A video can't be read or written, or a program that does so is missing or failed.
package struct VideoError: Error, Equatable, Sendable, CustomStringConvertible {
    /// `FILE: reason`, or `PROGRAM: reason`.
    package let description: String

    package init(_ description: String) { self.description = description }
}
