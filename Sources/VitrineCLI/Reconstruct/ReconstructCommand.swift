import Foundation
import Vitrine
import VitrineReconstruct

extension Command {
    static let reconstruct = Command(
        name: "reconstruct", summary: "Makes a textured model of an object from photos of it.",
        help: {
            ReconstructSettings.table.help(
                command: "reconstruct", summary: ReconstructSettings.summary, examples: ReconstructSettings.examples,
                notes: ReconstructSettings.notes)
        },
        run: { arguments in
            var settings = ReconstructSettings()
            let photos = try ReconstructSettings.table.parse(arguments, into: &settings)[0]
            try settings.validate()
            try await ReconstructRun(photos: URL(fileURLWithPath: photos), settings: settings).run()
        }, relatedWords: ["capture", "photogrammetry", "photos", "scan"])
}

/// Why `vitrine reconstruct` ends with exit code 1.
enum ReconstructFailure: LocalizedError {
    /// By Ctrl-C.
    case stopped(checkpoint: String?)

    var errorDescription: String? {
        switch self {
        case .stopped(let checkpoint?): "stopped: the same command goes on from \(checkpoint)"
        case .stopped(nil): "stopped: nothing was written (with --checkpoint DIR the work could go on)"
        }
    }
}

/// One run of `vitrine reconstruct`.
@MainActor
struct ReconstructRun {
    let photos: URL
    let settings: ReconstructSettings

    func run() async throws {
        let files = ReconstructFiles(settings: settings)
        try files.check()
        let session = try makeSession()
        let interrupt = InterruptSource { session.cancel() }
        defer { interrupt.cancel() }
        try session.process(requests: settings.requests)
        let results = try await follow(session)
        guard let summary = session.summary else { return }
        try files.write(summary, results: results)
        if let report = settings.report {
            let pictures = await ReportPictures.render(results.models)
            try ReportFile.write(summary, pictures: pictures, to: URL(fileURLWithPath: report))
        }
        ReconstructResult(summary: summary, settings: settings).report()
    }

    private func makeSession() throws -> PhotogrammetrySession {
        do {
            return try PhotogrammetrySession(input: photos, configuration: settings.configuration)
        } catch PhotogrammetrySession.Error.invalidImages(let url) {
            throw CommandError(file: url.relativePath, reason: "no folder with photos")
        }
    }

    /// Reads the session's messages to the end.
    ///
    /// - Throws: the first error of a request; `ReconstructFailure.stopped`.
    private func follow(_ session: PhotogrammetrySession) async throws -> ReconstructResults {
        let feed = ReconstructFeed(isJSON: settings.isJSON)
        var results = ReconstructResults()
        var firstError: (any Error)?
        for try await output in session.outputs {
            feed.show(output, last: settings.requests.count - 1, requests: settings.requests)
            switch output {
            case .requestComplete(_, let result): results.add(result)
            case .requestError(_, let error): firstError = firstError ?? error
            case .processingCancelled:
                feed.finish()
                throw ReconstructFailure.stopped(checkpoint: settings.checkpoint)
            default: break
            }
        }
        feed.finish()
        if let firstError {
            if let error = firstError as? ReconstructionError { throw CommandError(file: photos.relativePath, reason: describe(error)) }
            throw firstError
        }
        return results
    }
}

/// What came out of a session.
struct ReconstructResults {
    var models: [URL] = []
    var points: PhotogrammetrySession.PointCloud?

    mutating func add(_ result: PhotogrammetrySession.Result) {
        switch result {
        case .modelFile(let url): models.append(url)
        case .pointCloud(let cloud): points = cloud
        case .modelEntity, .bounds, .poses: break
        }
    }
}
