import Foundation
import VitrineARView

extension Command {
    static let ar = Command(
        name: "ar", summary: "Follows a camera through the real world: tracks, records, simulates, tells of recordings.",
        help: { ARHelp.text },
        run: { arguments in
            guard let word = arguments.first else { throw UsageError("which of \(ARHelp.names)?") }
            throw UsageError("'\(word)' is none of \(ARHelp.names)")
        }, subcommands: [.arTrack, .arReplay, .arRecord, .arSimulate, .arScore, .arInspect])
}

private enum ARHelp {
    static var names: String { Command.ar.subcommands.map { "ar " + word($0) }.joined(separator: ", ") }

    private static func word(_ command: Command) -> String { command.name.split(separator: " ").last.map(String.init) ?? "" }

    static var text: String {
        let width = Command.ar.subcommands.map { word($0).count }.max() ?? 0
        let list = Command.ar.subcommands.map {
            "  " + word($0).padding(toLength: width + 3, withPad: " ", startingAt: 0) + $0.summary
        }
        let layouts = SensorSourceFile.layouts.map {
            "  " + $0.name.padding(toLength: 20, withPad: " ", startingAt: 0) + $0.toldBy
        }
        return """
            usage: vitrine ar COMMAND [options]

            Works with recordings: what a camera saw and an inertial sensor (IMU) felt while they moved together.

            commands:
            \(list.joined(separator: "\n"))

            recordings that are read, and what each is told by:
            \(layouts.joined(separator: "\n"))

            vitrine ar COMMAND --help tells about one of them. docs/ar.md describes our own recordings.
            """
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
