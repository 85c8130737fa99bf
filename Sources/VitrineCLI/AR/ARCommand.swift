import VitrineARView

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let ar = Command(
        name: "ar", summary: "Tracks, replays, records, simulates, scores, relocalizes and inspects AR recordings.",
        help: { ARHelp.help },
        run: { arguments in throw ARHelp.unknownCommand(arguments[0])
        }, subcommands: [.arTrack, .arReplay, .arRecord, .arSimulate, .arScore, .arRelocalize, .arInspect],
        relatedWords: ["slam", "track", "replay", "record"])
}

private enum ARHelp {
    static func unknownCommand(_ word: String) -> UsageError {
        UsageError("unknown command 'ar \(word)'" + Command.suggestion(for: word, among: Command.ar.subcommands, parent: "ar"))
    }

    static var help: CommandHelp {
        CommandHelp(
            usage: "vitrine ar COMMAND [options]",
            summary: "Camera tracking with recordings of a camera and, optionally, an inertial sensor (IMU) attached to it.",
            examples: ["vitrine ar inspect V1_01_easy", "vitrine ar track V1_01_easy -o path.tum"],
            sections: [
                Command.list(Command.ar.subcommands),
                CommandHelp.Section(
                    terms: SensorSourceFile.layouts.map { ($0.name, $0.identifiedBy) },
                    title: "recording formats, and how they are detected"),
            ],
            notes: "Run 'vitrine ar COMMAND --help' for the options of a command. docs/guide/record.md describes recordings.")
    }
}

/// Warns that lengths are not in metres.
func warnAboutScale(_ input: String) {
    printError("warning: \(input): the scale is unknown, so lengths are a guess; --marker-size or --depth sets it")
}

/// Prints the first problems of a source to standard error, and their number.
func warn(about problems: SourceProblems) {
    for message in problems.messages.prefix(5) { printError("warning: \(message)") }
    if problems.count > 5 { printError("warning: … and \(problems.count - 5) more") }
}
