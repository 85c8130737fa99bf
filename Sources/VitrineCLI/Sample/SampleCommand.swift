import Vitrine
import VitrineSamples

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let sample = Command(
        name: "sample", summary: "Writes sample files: a model, an environment, photos, an AR recording, a shader.",
        help: {
            SampleSettings.table.help(
                command: "sample", summary: SampleSettings.summary, examples: SampleSettings.examples, notes: SampleSettings.notes)
        },
        run: { arguments in
            var settings = SampleSettings()
            let folder = try SampleSettings.table.parse(arguments, into: &settings)[0]
            try await SampleJob(folder: folder, settings: settings).run()
        }, relatedWords: ["demo", "samples", "tutorial"])
}

/// One run of `vitrine sample`.
@MainActor
private struct SampleJob {
    let folder: String
    let settings: SampleSettings

    /// The file or folder of one part.
    private struct Written: Codable {
        let part, path, contents: String
        let bytes: Int
    }

    private struct Report: Codable {
        let folder: String
        let files: [Written]
    }

    func run() async throws {
        try NewFolder.make(folder)
        let progress = ProgressLine(isShown: !settings.isJSON)
        var written: [Written] = []
        do {
            for (index, part) in settings.parts.enumerated() {
                let share = 1 / Double(settings.parts.count)
                progress.report(part.rawValue, fraction: Double(index) * share)
                let contents = try await write(part) { fraction in
                    progress.report(part.rawValue, fraction: (Double(index) + fraction) * share)
                }
                written.append(Written(part: part.rawValue, path: path(part), contents: contents, bytes: size(of: url(part))))
            }
        } catch {
            // The folder was empty: all its contents come from this run.
            for part in settings.parts { try? FileManager.default.removeItem(at: url(part)) }
            throw error
        }
        progress.finish()
        try report(written)
    }

    private func path(_ part: SampleSettings.Part) -> String { folder.hasSuffix("/") ? folder + part.file : "\(folder)/\(part.file)" }

    private func url(_ part: SampleSettings.Part) -> URL { URL(fileURLWithPath: folder).appendingPathComponent(part.file) }

    /// Writes one part and returns a line about its contents.
    private func write(_ part: SampleSettings.Part, progress: @Sendable (Double) -> Void) async throws -> String {
        switch part {
        case .model:
            let scene = try SampleOwl.scene(compressesTextures: true)
            for warning in try ModelFile.write(scene, to: url(part)) { printError("warning: \(path(part)): \(warning)") }
            return "a model with textures"
        case .environment:
            guard let image = Environment.studio().image else { preconditionFailure("the studio has an image") }
            try image.write(to: url(part))
            return "an environment map, \(image.width) × \(image.height)"
        case .photos:
            try await SamplePhotos(count: settings.photoCount).write(to: url(part), progress: progress)
            return "\(settings.photoCount) photos of the model"
        case .recording:
            let frames = try await SampleRecording.write(to: url(part), progress: progress)
            return "an AR recording of a simulated room, \(frames) frames"
        case .shader:
            try AtomicFile.write(Array(SampleShader.wave.utf8), to: url(part))
            return "a shader effect"
        }
    }

    /// Bytes of a file, or of all files in a folder.
    private func size(of url: URL) -> Int {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: url.path)) ?? []
        return ([url] + names.map { url.appendingPathComponent($0) }).reduce(0) { $0 + (FileStatus(path: $1.path)?.size ?? 0) }
    }

    private func report(_ written: [Written]) throws {
        if settings.isJSON { return try JSONReport.print(Report(folder: folder, files: written)) }
        let width = written.map(\.path.count).max() ?? 0
        for file in written {
            let name = file.path.padded(to: width + 2)
            print("\(name)\(file.contents) (\((Double(file.bytes) / 1e6).fixed(1)) MB)")
        }
    }
}
