/// The help of a command: usage, summary, examples, then the options in sections. It is generated from the command's `ArgumentTable`.
struct CommandHelp: Sendable {
    /// An option, a subcommand or another term with its explanation.
    struct Entry: Sendable {
        /// The names, such as `["-o", "--output"]`.
        let names: [String]
        /// The form of an option's value, such as `WxH`; nil for a switch.
        var placeholder: String?
        let text: String
    }

    struct Section: Sendable {
        let title: String
        let entries: [Entry]
        /// The column at which explanations begin.
        let column: Int

        /// Creates a section of options.
        init(options: [Entry], title: String) { (self.title, entries, column) = (title, options, 34) }

        /// Creates a section of terms, such as the names of commands.
        init(terms: [(String, String)], title: String, spacing: Int = 3) {
            (self.title, entries) = (title, terms.map { Entry(names: [$0.0], text: $0.1) })
            column = 2 + spacing + (terms.map(\.0.count).max() ?? 0)
        }

        var lines: [String] {
            entries.flatMap { entry in
                let left = "  " + entry.names.joined(separator: ", ") + (entry.placeholder.map { " " + $0 } ?? "")
                let wrapped = wrap(entry.text, width: entry.names[0].hasPrefix("-") ? 100 - column : .max)
                let padding = "".padded(to: column)
                let rest = wrapped.dropFirst().map { padding + $0 }
                guard left.count < column - 1 else { return [left, padding + wrapped[0]] + rest }
                return [left.padded(to: column) + wrapped[0]] + rest
            }
        }
    }

    /// The command line, such as "vitrine render MODEL [options]".
    let usage: String
    let summary: String
    /// The command lines of the examples. A line that starts with "#" is a comment on the lines after it.
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
            let names = wrap(section.entries.map { $0.names[0] }.joined(separator: " "), width: 98 - width)
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

    /// The names of the command, such as "vitrine ar track".
    var command: String { usage.split(separator: " ").prefix { $0.first?.isLowercase == true }.joined(separator: " ") }

    /// Whether the sections list options, not commands.
    var hasOptions: Bool { sections.allSatisfy { $0.entries.allSatisfy { $0.names[0].hasPrefix("-") } } }

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
                    options: section.options.map { CommandHelp.Entry(names: $0.names, placeholder: $0.placeholder, text: $0.help) },
                    title: section.title)
            }, notes: notes, needsArguments: !operands.isEmpty)
    }
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
