import VitrineCaptureView

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let capture = Command(
        name: "capture", summary: "Takes the photos for a model with a camera, a video or a recording.",
        help: {
            CaptureSettings.table.help(
                command: "capture", summary: CaptureSettings.summary, examples: CaptureSettings.examples, notes: CaptureSettings.notes)
        },
        run: { arguments in
            var settings = CaptureSettings()
            let source = try CaptureSettings.table.parse(arguments, into: &settings)[0]
            try settings.validate()
            settings.reconstruction.isJSON = settings.isJSON
            try await CaptureRun(input: URL(fileURLWithPath: source), settings: settings).run()
        }, relatedWords: ["scan", "shoot", "camera", "webcam"])
}

/// One run of `vitrine capture`.
@MainActor
private struct CaptureRun {
    let input: URL
    let settings: CaptureSettings

    func run() async throws {
        if !settings.reconstruction.outputs.isEmpty { try ReconstructFiles(settings: settings.reconstruction).check() }
        let folder = URL(fileURLWithPath: settings.output)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw CommandError(file: settings.output, reason: "the folder cannot be created")
        }
        if try CaptureSource.isPhotoFolder(input) {
            try await PhotoInbox(input: input, folder: folder, settings: settings).run()
        } else {
            let source = try await CaptureSource.open(input, settings)
            try await CaptureJob(source: source, folder: folder, settings: settings).run()
        }
        guard !settings.reconstruction.outputs.isEmpty else { return }
        try await ReconstructRun(photos: folder, settings: settings.reconstruction).run()
    }
}
