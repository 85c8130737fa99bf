extension CommandOption {
    /// `--usd-variant SET=CHOICE`, repeatable.
    static func usdVariant(_ set: @escaping @Sendable (inout Settings, String, String) -> Void) -> CommandOption {
        CommandOption(
            "--usd-variant", value: "SET=CHOICE",
            help: "Selects a variant of a USD file wherever a set of this name has it; 'vitrine inspect' lists the sets. Repeatable."
        ) { (settings, text) throws(UsageError) in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw UsageError("'\(text)' is not SET=CHOICE, such as color=red") }
            set(&settings, parts[0], parts[1])
        }
    }
}
