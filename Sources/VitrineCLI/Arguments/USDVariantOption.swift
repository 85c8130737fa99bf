extension CommandOption {
    /// `--usd-variant SET=CHOICE`, which may be given several times.
    static func usdVariant(_ set: @escaping @Sendable (inout Settings, String, String) -> Void) -> CommandOption {
        CommandOption(
            "--usd-variant", value: "SET=CHOICE",
            help: "Of USD: takes this variant wherever a set of that name has it. `vitrine inspect` lists them. May be given several times."
        ) { (settings, text) throws(UsageError) in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw UsageError("'\(text)' is not SET=CHOICE, as color=red") }
            set(&settings, parts[0], parts[1])
        }
    }
}
