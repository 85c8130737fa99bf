/// A command of `vitrine`, such as `render`.
struct Command {
    let name: String
    /// The line of the command in the list of commands.
    let summary: String
    let help: @Sendable () -> CommandHelp
    /// Runs the command with the arguments after its name.
    let run: @Sendable @MainActor ([String]) async throws -> Void
    /// The subcommands. Their names contain both words, such as "ar track".
    var subcommands: [Command] = []
    /// Words for the command in other programs; used only for suggestions.
    var relatedWords: [String] = []

    /// The subcommand that the first argument names, with the remaining arguments; otherwise this command.
    func resolved(_ arguments: [String]) -> (command: Command, arguments: [String]) {
        guard let word = arguments.first, let found = subcommands.first(where: { $0.name == "\(name) \(word)" }) else {
            return (self, arguments)
        }
        return found.resolved(Array(arguments.dropFirst()))
    }

    /// The last word of the name, such as "track".
    var word: String { name.split(separator: " ").last.map(String.init) ?? name }

    /// The end of an error message: `: did you mean 'render'?`, or how to list the commands.
    ///
    /// - Parameter parent: The command that has the subcommands, such as "ar"; empty for top-level commands.
    static func suggestion(for word: String, among commands: [Command], parent: String = "") -> String {
        let prefix = parent.isEmpty ? "" : parent + " "
        let wanted = word.lowercased()
        let related = commands.first { $0.relatedWords.contains(wanted) }?.word
        if let name = related ?? nearestName(to: wanted, in: commands.map(\.word)) { return ": did you mean 'vitrine \(prefix)\(name)'?" }
        if parent.isEmpty, word.contains(".") { return ": did you mean 'vitrine show \(word)'?" }
        return ": run 'vitrine \(prefix)--help' to list the commands"
    }
}

extension Command {
    /// The section of a help text that lists commands: the last word of each name, and the summary.
    static func list(_ commands: [Command]) -> CommandHelp.Section {
        CommandHelp.Section(terms: commands.map { ($0.word, $0.summary) }, title: "commands")
    }

    @MainActor static let all: [Command] = [
        .render, .show, .capture, .reconstruct, .job, .web, .convert, .optimize, .bake, .material, .effect, .ar, .inspect, .sample,
        .examples,
        .initialize, .doctor, .completions, .manual,
    ]
}
