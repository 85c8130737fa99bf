/// An option of a command: its names, its help, and how its value changes the command's settings.
struct CommandOption<Settings>: Sendable {
    /// The names with dashes, such as `["-o", "--output"]`.
    let names: [String]
    /// The form of the value, such as `WxH`; nil for a switch.
    let placeholder: String?
    let help: String
    let apply: @Sendable (inout Settings, String) throws(UsageError) -> Void

    /// Creates an option with a value.
    init(
        _ names: String..., value placeholder: String, help: String,
        apply: @escaping @Sendable (inout Settings, String) throws(UsageError) -> Void
    ) {
        (self.names, self.placeholder, self.help, self.apply) = (names, placeholder, help, apply)
    }

    /// Creates a switch.
    init(_ names: String..., help: String, apply: @escaping @Sendable (inout Settings) -> Void) {
        (self.names, placeholder, self.help) = (names, nil, help)
        self.apply = { (settings, _) throws(UsageError) in apply(&settings) }
    }

    /// The same option for settings that contain these settings.
    func within<Outer>(_ path: WritableKeyPath<Outer, Settings> & Sendable) -> CommandOption<Outer> {
        let apply = self.apply
        return CommandOption<Outer>(names: names, placeholder: placeholder, help: help) { (outer, text) throws(UsageError) in
            try apply(&outer[keyPath: path], text)
        }
    }

    private init(
        names: [String], placeholder: String?, help: String, apply: @escaping @Sendable (inout Settings, String) throws(UsageError) -> Void
    ) {
        (self.names, self.placeholder, self.help, self.apply) = (names, placeholder, help, apply)
    }
}

/// The operands and options of a command: the only source of its parsing and of its help.
struct ArgumentTable<Settings>: Sendable {
    /// The names of the operands, such as `MODEL`.
    let operands: [String]
    let sections: [OptionSection<Settings>]

    /// Creates the options of a command.
    ///
    /// - Parameter sections: The sections in the order of the help. Sections with the same title are merged.
    init(operands: [String], sections: [OptionSection<Settings>]) {
        (self.operands, self.sections) = (operands, OptionSection.merged(sections))
    }

    /// Creates a table with one section.
    init(operands: [String], options: [CommandOption<Settings>]) {
        self.init(operands: operands, sections: [OptionSection("options", options)])
    }

    var options: [CommandOption<Settings>] { sections.flatMap(\.options) }

    /// Parses `arguments` into `settings`.
    ///
    /// - Returns: The operands, as many as the table names.
    func parse(_ arguments: [String], into settings: inout Settings) throws(UsageError) -> [String] {
        var found: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                found.append(contentsOf: rest)
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                found.append(argument)
                continue
            }
            try apply(argument, &rest, &settings)
        }
        guard found.count >= operands.count else { throw UsageError("\(operands[found.count]) is missing") }
        if let empty = found.prefix(operands.count).firstIndex(of: "") { throw UsageError("\(operands[empty]) is empty") }
        guard found.count <= operands.count else { throw UsageError("unexpected argument '\(found[operands.count])'") }
        return found
    }

    private func apply(_ argument: String, _ rest: inout ArraySlice<String>, _ settings: inout Settings) throws(UsageError) {
        let pieces = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = argument.hasPrefix("--") ? String(pieces[0]) : argument
        let attached = argument.hasPrefix("--") && pieces.count == 2 ? String(pieces[1]) : nil
        guard let option = options.first(where: { $0.names.contains(name) }) else {
            throw UsageError("unknown option '\(name)'" + suggestion(for: name))
        }
        guard let placeholder = option.placeholder else {
            guard attached == nil else { throw UsageError("\(name) takes no value") }
            return try option.apply(&settings, "")
        }
        guard let value = attached ?? rest.popFirst() else { throw UsageError("\(name) needs a value: \(name) \(placeholder)") }
        if attached == nil, value.hasPrefix("--") { throw UsageError("\(name) needs a value: \(name) \(placeholder)") }
        do throws(UsageError) {
            try option.apply(&settings, value)
        } catch {
            throw UsageError("\(name): \(error.message)")
        }
    }

    /// The options of a command line that `parse` accepts, each with its value, without operands.
    ///
    /// - Parameter names: Options to omit.
    func options(in arguments: [String], except names: Set<String>) -> [String] {
        var result: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst(), argument != "--" {
            guard argument.hasPrefix("-"), argument != "-" else { continue }
            let name = argument.hasPrefix("--") ? String(argument.prefix { $0 != "=" }) : argument
            let isAttached = name != argument
            let takesValue = options.first { $0.names.contains(name) }?.placeholder != nil
            let words = [argument] + (takesValue && !isAttached ? Array([rest.popFirst()].compactMap { $0 }) : [])
            if !names.contains(name) { result += words }
        }
        return result
    }

    private func suggestion(for name: String) -> String {
        nearestName(to: name, in: options.flatMap(\.names)).map { ": did you mean '\($0)'?" } ?? ""
    }
}
