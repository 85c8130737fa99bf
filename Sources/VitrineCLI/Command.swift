/// One of the things that `vitrine` does.
struct Command {
    let name: String
    /// One line for the list.
    let summary: String
    /// The whole help.
    let help: @Sendable () -> String
    /// Runs it with the arguments after its name.
    let run: @Sendable @MainActor ([String]) async throws -> Void
}

extension Command {
    @MainActor static let all: [Command] = [.render, .show, .reconstruct, .convert, .material, .effect, .inspect, .doctor]
}
