/// A command line that can't be understood: exit code 2.
struct UsageError: Error, Equatable {
    /// What is wrong, and what would be right.
    let message: String

    init(_ message: String) { self.message = message }
}
