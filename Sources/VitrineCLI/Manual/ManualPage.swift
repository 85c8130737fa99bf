import Vitrine

/// A manual page in the format of man(7), generated from a command's help.
struct ManualPage {
    /// The name of the page, such as "vitrine-ar-track".
    let name: String
    private let title: String
    private let help: CommandHelp
    private let seeAlso: [String]

    var fileName: String { name + ".1" }

    /// The page of `vitrine`, then a page for each command and subcommand.
    @MainActor static var all: [ManualPage] {
        let top = VitrineCommandLine.help
        let commands = Command.all.flatMap { [$0] + $0.subcommands }
        let first = ManualPage(name: "vitrine", title: "3D toolkit", help: top, seeAlso: Command.all.map(Self.name))
        return [first]
            + commands.map { command in
                ManualPage(
                    name: Self.name(command), title: command.summary, help: command.help(),
                    seeAlso: ["vitrine"] + command.subcommands.map(Self.name))
            }
    }

    private static func name(_ command: Command) -> String { "vitrine-" + command.name.split(separator: " ").joined(separator: "-") }

    var text: String {
        var lines = [".TH \(Self.escaped(name.uppercased())) 1 \"\" \"vitrine \(vitrineVersion)\" \"User Commands\""]
        let summary = title.hasSuffix(".") ? String(title.dropLast()) : title
        lines += [".SH NAME", "\(Self.escaped(name)) \\- \(Self.escaped(summary))"]
        lines += [".SH SYNOPSIS", ".B " + Self.escaped(help.usage)]
        lines += [".SH DESCRIPTION"] + Self.paragraphs(help.summary)
        if !help.examples.isEmpty {
            lines += [".SH EXAMPLES", ".nf"] + help.examples.map(Self.line) + [".fi"]
        }
        for section in help.sections {
            lines.append(".SH \(Self.escaped(section.title.uppercased()))")
            for entry in section.entries {
                let names = entry.names.map { "\\fB\(Self.escaped($0))\\fR" }.joined(separator: ", ")
                lines += [".TP", names + (entry.placeholder.map { " \\fI\(Self.escaped($0))\\fR" } ?? ""), Self.line(entry.text)]
            }
        }
        if !help.notes.isEmpty { lines += [".SH NOTES"] + Self.paragraphs(help.notes) }
        lines += [".SH SEE ALSO", seeAlso.map { "\\fB\(Self.escaped($0))\\fR(1)" }.joined(separator: ", ")]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func paragraphs(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? ".PP" : line(String($0)) }
    }

    /// A line of text: a period or an apostrophe at its start would be a request.
    private static func line(_ text: String) -> String {
        let text = escaped(text)
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }

    /// Returns a hexadecimal number with at least four digits, as groff requires.
    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            default:
                for scalar in character.unicodeScalars {
                    if scalar.isASCII { result.unicodeScalars.append(scalar) } else { result += "\\[u" + hexadecimal(scalar.value) + "]" }
                }
            }
        }
    }
}
