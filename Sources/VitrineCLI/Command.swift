/// One of the things that `vitrine` does.
struct Command {
    let name: String
    /// One line for the list.
    let summary: String
    /// The whole help.
    let help: @Sendable () -> String
    /// Runs it with the arguments after its name.
    let run: @Sendable @MainActor ([String]) async throws -> Void
    /// Commands that are named by a second word: their own names hold both, as "ar track".
    var subcommands: [Command] = []

    /// The subcommand that the first argument names, with the arguments after it; otherwise this.
    func resolved(_ arguments: [String]) -> (command: Command, arguments: [String]) {
        guard let word = arguments.first, let found = subcommands.first(where: { $0.name == "\(name) \(word)" }) else {
            return (self, arguments)
        }
        return found.resolved(Array(arguments.dropFirst()))
    }
}

extension Command {
    @MainActor static let all: [Command] = [.render, .show, .reconstruct, .convert, .material, .effect, .ar, .inspect, .doctor]
}
