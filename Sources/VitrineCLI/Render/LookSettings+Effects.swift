import Vitrine

/// What is sharp, and how much is not.
struct DepthOfFieldChoice: Equatable {
    /// Metres; nil: what is looked at.
    var focus: Float?
    var fNumber: Float
}

extension LookSettings {
    static var effectOptions: [CommandOption<LookSettings>] {
        [
            CommandOption(
                "--bloom", value: "SHARE", help: "Spreads this share of the light around bright areas, 0 to 1: 0.05 is a good lens."
            ) { (settings, text) throws(UsageError) in settings.bloom = try parseNumber(text, in: 0...1) },
            CommandOption(
                "--vignette", value: "STRENGTH", help: "Darkens the corners, 0 to 1: at 1 they keep a third of their light."
            ) { (settings, text) throws(UsageError) in settings.vignette = try parseNumber(text, in: 0...1) },
        ]
    }

    static var depthOfFieldOption: CommandOption<LookSettings> {
        CommandOption(
            "--depth-of-field", value: "FOCUS,F",
            help:
                "Blurs what is nearer or farther than FOCUS metres (auto: the target), as a lens of f-number F does: 2.8 for an object held in the hand, 0.1 for one as large as a person."
        ) { (settings, text) throws(UsageError) in settings.depthOfField = try parseDepthOfField(text) }
    }

    /// The lens that is asked for, or nil.
    ///
    /// - Parameter distance: metres, where the focus is left to the command.
    func lens(focusingAt distance: Float?) -> Lens? {
        depthOfField.map { Lens(focusDistance: $0.focus ?? max(distance ?? 1, 1e-4), fNumber: $0.fNumber) }
    }
}

func parseDepthOfField(_ text: String) throws(UsageError) -> DepthOfFieldChoice {
    let pieces = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard pieces.count == 2 else { throw UsageError("'\(text)' is not FOCUS,F: metres or auto, and an f-number") }
    let focus: Float? = pieces[0] == "auto" ? nil : try parseNumber(pieces[0], in: 1e-4...1e6)
    return DepthOfFieldChoice(focus: focus, fNumber: try parseNumber(pieces[1], in: 0.001...1000))
}
