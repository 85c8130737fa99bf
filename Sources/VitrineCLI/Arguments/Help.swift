extension ArgumentTable {
    /// The text of `vitrine COMMAND --help`.
    func help(command: String, summary: String, examples: [String] = [], notes: String = "") -> String {
        let usage = (["usage: vitrine", command] + operands + ["[options]"]).joined(separator: " ")
        var lines = [usage, ""] + paragraph(summary) + ["", "options:"]
        for option in options { lines.append(contentsOf: describe(option)) }
        lines.append(contentsOf: describe(names: ["--help"], placeholder: nil, help: "Shows this."))
        if !examples.isEmpty { lines += ["", "examples:"] + examples.map { "  " + $0 } }
        if !notes.isEmpty { lines += [""] + paragraph(notes) }
        return lines.joined(separator: "\n")
    }

    /// Lines stay as they were written where they aren't too long for it.
    private func paragraph(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            line.count > 150 ? wrap(String(line), width: 140) : [String(line)]
        }
    }

    private func describe(_ option: CommandOption<Settings>) -> [String] {
        describe(names: option.names, placeholder: option.placeholder, help: option.help)
    }

    private func describe(names: [String], placeholder: String?, help: String) -> [String] {
        let left = "  " + names.joined(separator: ", ") + (placeholder.map { " " + $0 } ?? "")
        let column = 34
        let wrapped = wrap(help, width: 100 - column)
        let padding = String(repeating: " ", count: column)
        let rest = wrapped.dropFirst().map { padding + $0 }
        guard left.count < column - 1 else { return [left, padding + wrapped[0]] + rest }
        return [left + String(repeating: " ", count: column - left.count) + wrapped[0]] + rest
    }
}

/// `text` in lines of at most `width` characters, broken at spaces.
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
