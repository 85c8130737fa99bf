extension CommandOption {
    /// `--strict` for commands that read a model: see `ModelLoadOptions.isStrict`.
    static func strict(_ set: @escaping @Sendable (inout Settings) -> Void) -> CommandOption {
        CommandOption(
            "--strict", help: "Refuses a model that gives any warning: one that was repaired, or of which something was left out.",
            apply: set)
    }
}
