/// An invalid command line: exit code 2.
struct UsageError: Error, Equatable {
    /// The error, and the expected form.
    let message: String

    init(_ message: String) { self.message = message }
}
