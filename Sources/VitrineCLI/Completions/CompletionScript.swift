import Vitrine

/// Completion scripts, generated from the help of all commands.
struct CompletionScript {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish
    }

    /// A command with options, such as `ar track`.
    private struct Leaf {
        let name: String
        let options: [CommandHelp.Entry]
    }

    /// A list of commands: those of `vitrine`, or of a command with subcommands, such as `ar`.
    private struct Group {
        /// Empty for the commands of `vitrine`.
        let name: String
        let commands: [Command]
    }

    private let leaves: [Leaf]
    private let groups: [Group]

    init(commands: [Command]) {
        let all = commands.flatMap { $0.subcommands.isEmpty ? [$0] : $0.subcommands }
        leaves = all.map { command in
            let help = CommandHelp.Entry(names: ["-h", "--help"], text: "Prints the help.")
            return Leaf(name: command.name, options: command.help().sections.flatMap(\.entries) + [help])
        }
        groups =
            [Group(name: "", commands: commands)]
            + commands.filter { !$0.subcommands.isEmpty }.map { Group(name: $0.name, commands: $0.subcommands) }
    }

    func text(for shell: Shell) -> String {
        let title = "completions of vitrine \(vitrineVersion), written by 'vitrine completions \(shell.rawValue)'\n"
        return switch shell {
        case .bash: "# bash " + title + bash
        case .zsh: "#compdef vitrine\n# zsh " + title + zsh
        case .fish: "# fish " + title + fish
        }
    }

    // MARK: Values

    /// The completion of an option's value.
    private enum Value {
        case files, folders
        case words([String])
        case nothing
    }

    /// The kind of value that a placeholder such as `FILE` or `png|jpeg` represents.
    private static func value(_ placeholder: String) -> Value {
        let parts = placeholder.split(separator: "|").map(String.init)
        if parts.contains("DIR") { return .folders }
        let files = ["FILE", "OUT", "PATH", "MODEL", "RECORDING", "MAP", "DEVICE"]
        if parts.contains(where: { part in files.contains { part.hasPrefix($0) } }) { return .files }
        let words = parts.filter { $0.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" } }
        return words.count == parts.count ? .words(words) : .nothing
    }

    /// The first sentence of an explanation.
    private static func sentence(_ text: String) -> String {
        guard let end = text.firstRange(of: ". ") else { return text.hasSuffix(".") ? String(text.dropLast()) : text }
        return String(text[..<end.lowerBound])
    }

    /// `text` in single quotes, as one word of a shell.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    // MARK: bash

    private var bash: String {
        var lines = [
            "_vitrine() {",
            "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} path= options= index",
            "  for ((index = 1; index < COMP_CWORD && index < 3; index++)); do",
            "    case ${COMP_WORDS[index]} in -*) break ;; *) path=\"$path${path:+ }${COMP_WORDS[index]}\" ;; esac",
            "  done",
            "  compopt -o filenames 2>/dev/null",
            "  case $path in",
        ]
        for group in groups {
            lines.append(
                "    \(Self.quoted(group.name))) COMPREPLY=($(compgen -W \(Self.quoted(group.commands.map(\.word).joined(separator: " "))) -- \"$word\")); return ;;"
            )
        }
        for leaf in leaves {
            let pattern = Self.quoted(leaf.name) + (leaf.name.contains(" ") ? "" : "|\(Self.quoted(leaf.name + " "))*")
            lines.append("    \(pattern))")
            lines.append("      options=\(Self.quoted(leaf.options.flatMap(\.names).joined(separator: " ")))")
            lines.append("      case $previous in")
            for option in leaf.options {
                guard let placeholder = option.placeholder else { continue }
                let reply =
                    switch Self.value(placeholder) {
                    case .files: "COMPREPLY=($(compgen -f -- \"$word\"))"
                    case .folders: "COMPREPLY=($(compgen -d -- \"$word\"))"
                    case .words(let words): "COMPREPLY=($(compgen -W \(Self.quoted(words.joined(separator: " "))) -- \"$word\"))"
                    case .nothing: "COMPREPLY=()"
                    }
                lines.append("        \(option.names.joined(separator: "|"))) \(reply); return ;;")
            }
            lines += ["      esac ;;"]
        }
        lines += [
            "  esac",
            "  case $word in",
            "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;",
            "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;",
            "  esac",
            "}",
            "complete -F _vitrine vitrine",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: zsh

    private var zsh: String {
        var lines = ["_vitrine() {", "  local -a commands", "  case \"${words[2]} ${words[3]}\" in"]
        for leaf in leaves {
            let pattern = Self.quoted(leaf.name) + (leaf.name.contains(" ") ? "" : "' '*")
            let depth = leaf.name.split(separator: " ").count
            lines.append("    \(pattern))")
            lines.append("      if (( CURRENT > \(depth + 1) )); then")
            lines.append("        shift \(depth) words; (( CURRENT -= \(depth) ))")
            lines.append("        _arguments -s \\")
            for option in leaf.options { lines += Self.zshSpecifications(option).map { "          \(Self.quoted($0)) \\" } }
            lines += ["          '*:file:_files'", "        return", "      fi ;;"]
        }
        lines.append("  esac")
        // Lists with more words first: `vitrine ar` before `vitrine`.
        for group in groups.reversed() {
            lines.append(
                group.name.isEmpty ? "  if (( CURRENT == 2 )); then" : "  if (( CURRENT == 3 )) && [[ ${words[2]} == \(group.name) ]]; then"
            )
            lines.append("    commands=(")
            for command in group.commands { lines.append("      " + Self.quoted("\(command.word):\(command.summary)")) }
            lines += ["    )", "    _describe command commands", "    return", "  fi"]
        }
        lines += ["  _files", "}", "_vitrine \"$@\""]
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns one specification of `_arguments` for each name of the option.
    private static func zshSpecifications(_ option: CommandHelp.Entry) -> [String] {
        let text = sentence(option.text).reduce(into: "") { result, character in
            if "[]:\\".contains(character) { result.append("\\") }
            result.append(character)
        }
        let value =
            option.placeholder.map { placeholder in
                let name = placeholder.filter { $0 != ":" }
                switch Self.value(placeholder) {
                case .files: return ":\(name):_files"
                case .folders: return ":\(name):_files -/"
                case .words(let words): return ":\(name):(\(words.joined(separator: " ")))"
                case .nothing: return ":\(name): "
                }
            } ?? ""
        return option.names.map { "*\($0)[\(text)]\(value)" }
    }

    // MARK: fish

    private var fish: String {
        var lines = [
            "function __vitrine_path",
            "  set -l path",
            "  for word in (commandline -opc)[2..3]",
            "    string match -q -- '-*' $word; and break",
            "    set -a path $word",
            "  end",
            "  string join ' ' $path",
            "end",
        ]
        for group in groups {
            let condition = Self.quoted("test \"$(__vitrine_path)\" = '\(group.name)'")
            for command in group.commands {
                lines.append("complete -c vitrine -f -n \(condition) -a \(command.word) -d \(Self.quoted(command.summary))")
            }
        }
        for leaf in leaves {
            let pattern = leaf.name.contains(" ") ? "^\(leaf.name)$" : "^\(leaf.name)( |$)"
            let condition = Self.quoted("string match -qr '\(pattern)' (__vitrine_path)")
            for option in leaf.options {
                let names = option.names.map { $0.hasPrefix("--") ? "-l " + $0.dropFirst(2) : "-s " + $0.dropFirst() }.joined(
                    separator: " ")
                let value =
                    option.placeholder.map { placeholder in
                        switch Self.value(placeholder) {
                        case .files: return " -r -F"
                        case .folders: return " -x -a \"(__fish_complete_directories)\""
                        case .words(let words): return " -x -a \(Self.quoted(words.joined(separator: " ")))"
                        case .nothing: return " -x"
                        }
                    } ?? ""
                lines.append("complete -c vitrine -n \(condition) \(names)\(value) -d \(Self.quoted(Self.sentence(option.text)))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
