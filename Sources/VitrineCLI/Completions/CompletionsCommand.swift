import Vitrine

extension Command {
    static let completions = Command(
        name: "completions", summary: "Prints a completion script for bash, zsh or fish.",
        help: {
            CompletionsSettings.table.help(
                command: "completions", summary: CompletionsSettings.summary, examples: CompletionsSettings.examples)
        },
        run: { arguments in
            var settings = CompletionsSettings()
            let shell = try CompletionsSettings.table.parse(arguments, into: &settings)[0]
            guard let shell = CompletionScript.Shell(rawValue: shell) else {
                throw UsageError(
                    "'\(shell)': SHELL must be one of " + CompletionScript.Shell.allCases.map(\.rawValue).joined(separator: ", "))
            }
            StandardOutput.write(CompletionScript(commands: Command.all).text(for: shell))
        }, relatedWords: ["completion", "complete", "bash", "fish", "zsh"])
}

private struct CompletionsSettings {
    static let summary = "Prints a script that completes commands, options and file names in SHELL: bash, zsh or fish."
    static let examples = [
        "vitrine completions bash > ~/.local/share/bash-completion/completions/vitrine",
        "vitrine completions zsh > ~/.zfunc/_vitrine",
        "vitrine completions fish > ~/.config/fish/completions/vitrine.fish",
    ]
    static let table = ArgumentTable<CompletionsSettings>(operands: ["SHELL"], sections: [])
}
