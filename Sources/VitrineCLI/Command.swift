/// One of the things that `vitrine` does.
struct Command {
    let name: String
    /// One line for the list.
    let summary: String
    let help: @Sendable () -> CommandHelp
    /// Runs it with the arguments after its name.
    let run: @Sendable @MainActor ([String]) async throws -> Void
    /// Commands that are named by a second word: their own names hold both, as "ar track".
    var subcommands: [Command] = []
    /// What people type who know other programs: only for suggestions.
    var relatedWords: [String] = []

    /// The subcommand that the first argument names, with the arguments after it; otherwise this.
    func resolved(_ arguments: [String]) -> (command: Command, arguments: [String]) {
        guard let word = arguments.first, let found = subcommands.first(where: { $0.name == "\(name) \(word)" }) else {
            return (self, arguments)
        }
        return found.resolved(Array(arguments.dropFirst()))
    }

    /// The last word of the name.
    var word: String { name.split(separator: " ").last.map(String.init) ?? name }

    /// For an error: `: did you mean 'render'?`, or the way to the list of commands.
    ///
    /// - Parameter parent: As "ar"; empty for the commands themselves.
    static func suggestion(for word: String, among commands: [Command], parent: String = "") -> String {
        let prefix = parent.isEmpty ? "" : parent + " "
        let wanted = word.lowercased()
        let related = commands.first { $0.relatedWords.contains(wanted) }?.word
        if let name = related ?? nearestName(to: wanted, in: commands.map(\.word)) { return ": did you mean 'vitrine \(prefix)\(name)'?" }
        if parent.isEmpty, word.contains(".") { return ": did you mean 'vitrine show \(word)'?" }
        return ": vitrine \(prefix)--help lists the commands"
    }
}

extension Command {
    /// Lines of a help: the last word of each name, and the summary.
    static func list(_ commands: [Command]) -> [String] {
        let width = (commands.map(\.word.count).max() ?? 0) + 3
        return commands.map { "  " + $0.word.padded(to: width) + $0.summary }
    }

    @MainActor static let all: [Command] = [
        .render, .show, .reconstruct, .convert, .optimize, .material, .effect, .ar, .inspect, .sample, .doctor,
    ]
}
