import Foundation
import VitrineARView

extension Command {
    static let ar = Command(
        name: "ar", summary: "Camera tracking: tracks, replays, records, simulates, scores and inspects recordings.",
        help: { ARHelp.help },
        run: { arguments in throw ARHelp.unknownCommand(arguments[0])
        }, subcommands: [.arTrack, .arReplay, .arRecord, .arSimulate, .arScore, .arInspect],
        relatedWords: ["slam", "track", "replay", "record"])
}

private enum ARHelp {
    static func unknownCommand(_ word: String) -> UsageError {
        UsageError("unknown command 'ar \(word)'" + Command.suggestion(for: word, among: Command.ar.subcommands, parent: "ar"))
    }

    static var help: CommandHelp {
        CommandHelp(
            usage: "vitrine ar COMMAND [options]",
            summary: "Works with recordings of a camera and of an inertial sensor (IMU) that moves with it.",
            examples: ["vitrine ar inspect V1_01_easy", "vitrine ar track V1_01_easy -o path.tum"],
            sections: [
                CommandHelp.Section(title: "commands", names: [], lines: Command.list(Command.ar.subcommands)),
                CommandHelp.Section(
                    title: "recordings that can be read, and how each is recognised", names: [],
                    lines: SensorSourceFile.layouts.map { "  " + $0.name.padded(to: 20) + $0.identifiedBy }),
            ],
            notes: "vitrine ar COMMAND --help explains a command. docs/ar.md describes our own recordings.")
    }
}

/// JSON for a program to read: names in snake case, sorted.
func printARJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    print(String(decoding: try encoder.encode(value), as: UTF8.self))
}

/// Tells on standard error what a source passed over: the first few, and how many there were.
func warn(about problems: SourceProblems) {
    for message in problems.messages.prefix(5) { printError("warning: \(message)") }
    if problems.count > 5 { printError("warning: … and \(problems.count - 5) more") }
}
