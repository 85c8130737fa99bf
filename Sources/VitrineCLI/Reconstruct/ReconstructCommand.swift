import Vitrine
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let reconstruct = Command(
        name: "reconstruct", summary: "Reconstructs a textured model of an object from photos or a video.",
        help: {
            ReconstructSettings.table.help(
                command: "reconstruct", summary: ReconstructSettings.summary, examples: ReconstructSettings.examples,
                notes: ReconstructSettings.notes)
        },
        run: { arguments in
            var settings = ReconstructSettings()
            let photos = try ReconstructSettings.table.parse(arguments, into: &settings)[0]
            if settings.isBatch { return try BatchRun(folder: photos, settings: settings, arguments: arguments).run() }
            let input = URL(fileURLWithPath: photos)
            let isFile = FileStatus(path: input.path).map { $0.kind != .folder } == true
            try settings.validate(isVideo: isFile)
            try settings.checkDevice()
            try await ReconstructRun(photos: input, settings: settings).run()
        }, relatedWords: ["photogrammetry", "photos", "scan"])
}

/// An error of `vitrine reconstruct`: exit code 1.
enum ReconstructFailure: LocalizedError {
    /// The user stopped the reconstruction with Ctrl-C.
    case stopped(checkpoint: String?)

    var errorDescription: String? {
        switch self {
        case .stopped(let checkpoint?): "stopped: run the same command again to resume from \(checkpoint)"
        case .stopped(nil): "stopped: no file was written (use --checkpoint DIR to be able to resume)"
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
        let results = try await report(session)
        guard let summary = session.summary else { return }
        try files.write(summary, results: results)
        if let report = settings.report {
            let model = await ReportModel(results.models, summary)
            let page = ReportPage(summary, images: model.images, viewer: model.viewer)
            try AtomicFile.write(Array(page.html.utf8), to: URL(fileURLWithPath: report))
        }
        ReconstructResult(summary: summary, settings: settings).report()
    }

    private func makeSession() throws -> PhotogrammetrySession {
        do {
            return try PhotogrammetrySession(input: photos, configuration: settings.configuration)
        } catch PhotogrammetrySession.Error.invalidImages(let url) {
            throw CommandError(file: url.relativePath, reason: "is neither a folder with photos nor a video")
        }
    }

    /// Reports the session's outputs until it ends.
    ///
    /// - Throws: The first error of a request, or `ReconstructFailure.stopped`.
    private func report(_ session: PhotogrammetrySession) async throws -> ReconstructResults {
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
            if case .invalidVideo(_, let time, let reason) = firstError as? ReconstructionError {
                throw CommandError(file: photos.relativePath, reason: time.map { "at \($0.fixed(1)) s: " + reason } ?? reason)
            }
            if let error = firstError as? ReconstructionError { throw CommandError(file: photos.relativePath, reason: describe(error)) }
            throw firstError
        }
        return results
    }
}

/// The results of a session.
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
