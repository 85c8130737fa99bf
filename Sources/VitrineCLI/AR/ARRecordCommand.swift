import VitrineARView

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let arRecord = Command(
        name: "ar record", summary: "Converts a recording to Vitrine's format, or records a live camera.",
        help: {
            ARRecordSettings.table.help(command: "ar record", summary: ARRecordSettings.summary, examples: ARRecordSettings.examples)
        },
        run: { arguments in
            var settings = ARRecordSettings()
            let path = try ARRecordSettings.table.parse(arguments, into: &settings)[0]
            guard !settings.output.isEmpty else { throw UsageError("-o RECORDING is missing: name the folder to write") }
            try await ARRecordJob(input: path, settings: settings).run()
        })
}

struct ARRecordSettings {
    var source = SourceArguments()
    var output = ""
    /// Seconds of the recording; nil for all.
    var duration: Double?
    var isJSON = false

    static let summary = """
        Reads FROM (a recording, a video, or a live camera such as /dev/video0) and writes it as a Vitrine recording: a folder with
        recording.json, events.jsonl and frames/. Lossless: its replay is bit-identical. A recording that is interrupted at any moment can be
        replayed. Records a live camera until Ctrl-C, or for --duration.
        """
    static let examples = [
        "vitrine ar record V1_01_easy -o room", "vitrine ar record V1_01_easy -o first --duration 10",
        "vitrine ar record walk.mp4 --camera 1420 -o walk", "vitrine ar record /dev/video0 --camera 600 -o desk",
    ]
    static let table = ArgumentTable<ARRecordSettings>(
        operands: ["FROM"],
        options: [
            CommandOption("-o", "--output", value: "RECORDING", help: "The folder to write. It must be new or empty.") {
                (settings, text) throws(UsageError) in settings.output = text
            },
            CommandOption("--duration", value: "SECONDS", help: "Stops after this many seconds of the recording.") {
                (settings, text) throws(UsageError) in
                settings.duration = Double(try parseNumber(text, in: 0.001...1e6))
            },
            CommandOption("--json", help: "Prints the report as JSON.") { $0.isJSON = true },
        ] + SourceArguments.options.map { $0.within(\.source) })
}

private struct ARRecordJob {
    let input: String
    let settings: ARRecordSettings

    private struct Report: Encodable {
        let output, layout: String
        let frames, inertialSamples, problems: Int
    }

    func run() async throws {
        let opened = try settings.source.open(input)
        let source = opened.source
        // Recording a Vitrine recording keeps its device.
        let device = (source as? RecordingSource)?.device ?? "\(opened.layout): \(URL(fileURLWithPath: input).lastPathComponent)"
        let writer = try RecordingWriter(
            directory: URL(fileURLWithPath: settings.output), rig: source.rig, clockOrigin: source.clockOrigin, device: device)
        var (frames, inertial) = (0, 0)
        do {
            try await copy(from: source, to: writer, &frames, &inertial)
        } catch {
            // Keep the events so far as a complete recording.
            try? writer.finish()
            throw error
        }
        try writer.finish()
        warn(about: source.problems)
        guard frames > 0 else { throw CommandError(file: input, reason: "has no readable images") }
        if settings.isJSON {
            try JSONReport.print(
                Report(
                    output: settings.output, layout: opened.layout, frames: frames, inertialSamples: inertial,
                    problems: source.problems.count))
        } else {
            print("\(settings.output): \(frames) frames, \(inertial) inertial samples")
        }
    }

    /// Copies events until the source ends, `--duration` is over, or Ctrl-C.
    private func copy(
        from source: any SensorSource, to writer: RecordingWriter, _ frames: inout Int, _ inertial: inout Int
    ) async throws {
        let progress = ProgressLine(isShown: !settings.isJSON)
        let isStopped = StopFlag()
        let interrupt = InterruptSource { isStopped.set() }
        defer {
            interrupt.cancel()
            progress.finish()
        }
        var first: Double?
        while !isStopped.isSet, let event = try await source.next() {
            if let time = event.time {
                if first == nil { first = time }
                if let duration = settings.duration, let first, time - first > duration { break }
            }
            try writer.write(event)
            if case .inertial = event { inertial += 1 }
            guard case .image(let image) = event else { continue }
            frames += 1
            show(progress, frames, image.time - (first ?? image.time), source.fractionRead)
        }
    }

    private func show(_ progress: ProgressLine, _ frames: Int, _ time: Double, _ read: Double?) {
        let fraction = settings.duration.map { max(time / $0, read ?? 0) } ?? read
        progress.report("recording", fraction: fraction, detail: "\(frames) frames, \(time.fixed(1)) s")
    }
}

extension SensorEvent {
    /// The time of the event on its own clock; nil if it has none.
    var time: Double? {
        switch self {
        case .inertial(let sample): sample.time
        case .image(let sample): sample.time
        case .interruptionBegan, .interruptionEnded: nil
        }
    }
}
