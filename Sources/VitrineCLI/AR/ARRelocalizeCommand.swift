import VitrineARView
import VitrineMath

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let arRelocalize = Command(
        name: "ar relocalize", summary: "Maps part of a recording and relocalizes in the map from many start times.",
        help: {
            ARRelocalizeSettings.table.help(
                command: "ar relocalize", summary: ARRelocalizeSettings.summary, examples: ARRelocalizeSettings.examples)
        },
        run: { arguments in
            var settings = ARRelocalizeSettings()
            let path = try ARRelocalizeSettings.table.parse(arguments, into: &settings)[0]
            try await ARRelocalizeJob(input: path, settings: settings).run()
        })
}

struct ARRelocalizeSettings {
    var source = SourceArguments()
    /// The start of the map in seconds of the recording, and its duration.
    var start = 0.0
    var duration = 10.0
    /// Seconds between start times, and seconds until an attempt counts as failed.
    var interval = 0.5
    var limit = 3.0
    var isJSON = false

    static let summary = """
        Tracks RECORDING and keeps the map of a part of it. Then, from start times all over the recording, starts a tracker with that map and \
        measures the time until it relocalizes and the error of the pose at that frame. The reference is the ground truth of the recording or, \
        without it, the path of the first tracker. The images must fit into memory.
        """
    static let examples = ["vitrine ar relocalize V1_01_easy", "vitrine ar relocalize walk --from 10 --duration 20 --json"]
    static let table = ArgumentTable<ARRelocalizeSettings>(
        operands: ["RECORDING"],
        options: [
            seconds("--from", 0...1e6, \.start, "The start of the mapped part. Default: 0."),
            seconds("--duration", 1...1e6, \.duration, "The duration of the mapped part. Default: 10."),
            seconds("--interval", 0.01...1e6, \.interval, "The time between two starts. Default: 0.5."),
            seconds("--limit", 0.1...60, \.limit, "The time after which relocalization counts as failed. Default: 3."),
            CommandOption("--json", help: "Prints the report as JSON.") { $0.isJSON = true },
        ] + SourceArguments.options.map { $0.within(\.source) })

    private static func seconds(
        _ name: String, _ range: ClosedRange<Float>, _ path: WritableKeyPath<Self, Double> & Sendable, _ help: String
    ) -> CommandOption<Self> {
        CommandOption(name, value: "SECONDS", help: help) { (settings, text) throws(UsageError) in
            settings[keyPath: path] = Double(try parseNumber(text, in: range))
        }
    }
}
