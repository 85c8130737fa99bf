/// The help of a command: usage, summary, examples, then the options in sections. It is generated from the command's `ArgumentTable`.
struct CommandHelp: Sendable {
    struct Section: Sendable {
        let title: String
        /// The names of the options, for the first screen.
        let names: [String]
        let lines: [String]
    }

    /// The command line, such as "vitrine render MODEL [options]".
    let usage: String
    let summary: String
    /// Command lines. A line that starts with "#" is a comment on the lines after it.
    var examples: [String] = []
    var sections: [Section] = []
    var notes = ""
    /// Whether the command requires arguments.
    var needsArguments = true

    /// The complete help.
    var text: String {
        var lines = head
        for section in sections { lines += ["", section.title + ":"] + section.lines }
        if hasOptions { lines += ["", "-h, --help [SECTION] prints this help, or one section of it."] }
        if !notes.isEmpty { lines += [""] + Self.paragraph(notes) }
        return lines.joined(separator: "\n")
    }

    /// The output of a command without arguments: usage, examples and the names of the options.
    var firstScreen: String {
        guard hasOptions, let first = sections.first else { return text }
        var lines = head + ["", "options:"]
        let width = (sections.map(\.title.count).max() ?? 0) + 3
        for section in sections {
            let names = wrap(section.names.joined(separator: " "), width: 98 - width)
            lines.append("  " + section.title.padded(to: width) + names[0])
            lines += names.dropFirst().map { "  " + "".padded(to: width) + $0 }
        }
        let oneSection = sections.count > 1 ? ", or '\(command) --help \(first.title)' for one section" : ""
        return (lines + ["", "Run '\(command) --help' to describe all options\(oneSection)."]).joined(separator: "\n")
    }

    /// The first section whose title starts with `title`; nil if there is none.
    func section(_ title: String) -> String? {
        guard let found = sections.first(where: { $0.title.hasPrefix(title.lowercased()) }) else { return nil }
        return ([found.title + ":"] + found.lines).joined(separator: "\n")
    }

    private var head: [String] {
        var lines = ["usage: " + usage, ""] + Self.paragraph(summary)
        if !examples.isEmpty { lines += ["", "examples:"] + examples.map { "  " + $0 } }
        return lines
    }

    private var command: String { usage.split(separator: " ").prefix { $0.first?.isLowercase == true }.joined(separator: " ") }

    /// Whether the sections list options, not commands.
    private var hasOptions: Bool { sections.allSatisfy { !$0.names.isEmpty } }

    /// Keeps line breaks. Wraps lines of more than 150 characters.
    private static func paragraph(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            line.count > 150 ? wrap(String(line), width: 140) : [String(line)]
        }
    }
}

extension ArgumentTable {
    /// The help of `vitrine COMMAND`.
    func help(command: String, summary: String, examples: [String] = [], notes: String = "") -> CommandHelp {
        let usage = (["vitrine", command] + operands + ["[options]"]).joined(separator: " ")
        return CommandHelp(
            usage: usage, summary: summary, examples: examples,
            sections: sections.map { section in
                CommandHelp.Section(
                    title: section.title, names: section.options.map { $0.names[0] }, lines: section.options.flatMap(Self.describe))
            }, notes: notes, needsArguments: !operands.isEmpty)
    }

    private static func describe(_ option: CommandOption<Settings>) -> [String] {
        let left = "  " + option.names.joined(separator: ", ") + (option.placeholder.map { " " + $0 } ?? "")
        let column = 34
        let wrapped = wrap(option.help, width: 100 - column)
        let padding = "".padded(to: column)
        let rest = wrapped.dropFirst().map { padding + $0 }
        guard left.count < column - 1 else { return [left, padding + wrapped[0]] + rest }
        return [left.padded(to: column) + wrapped[0]] + rest
    }
}

extension String {
    /// Appends spaces up to `width` characters.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

/// Breaks `text` at spaces into lines of at most `width` characters.
func wrap(_ text: String, width: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
        if lines[lines.count - 1].isEmpty {
            lines[lines.count - 1] = String(word)
        } else if lines[lines.count - 1].count + 1 + word.count <= width {
            lines[lines.count - 1] += " " + word
        } else {
            lines.append(String(word))
        }
    }
    return lines
}
