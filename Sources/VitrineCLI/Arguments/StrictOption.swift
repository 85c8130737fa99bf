extension CommandOption {
    /// `--strict` for commands that read a model: see `ModelLoadOptions.isStrict`.
    static func strict(_ set: @escaping @Sendable (inout Settings) -> Void) -> CommandOption {
        CommandOption(
            "--strict", help: "Fails if the model causes any warning: if anything is repaired or ignored.",
            apply: set)
    }
}
