import Synchronization
import VitrineFiles
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Creates a textured model of an object from photos of it.
///
/// ```swift
/// let session = try PhotogrammetrySession(input: photos, configuration: .init(checkpointDirectory: work))
/// try session.process(requests: [.poses, .modelFile(url: output, detail: .preview)])
/// for try await event in session.outputs {
///     switch event {
///     case .requestProgress(_, let fraction): print("\(Int(fraction * 100)) %")
///     case .requestComplete(_, .modelFile(let url)): print("made \(url.lastPathComponent)")
///     case .requestError(let request, let error): print("\(request): \(error)")
///     default: break
///     }
/// }                                              // and it ends
/// ```
///
/// The photos are JPEG, PNG, WebP or HEIC files in one folder (recognized by their first bytes, in the order of their names), or samples in
/// memory: from 3 to 2,000. Or one video, whose best frames become photos. The session reports files that are not photos by `.invalidSample` and skips them. It works on a thread of its own
/// and on `configuration.threads` worker threads.
///
/// The same photos and requests give the same bytes, on any number of threads. Results share one frame: right-handed, +Y up, the object on
/// the ground at the origin; in metres if the photos determine the scale, otherwise the object's longest side is 1. Several requests in one
/// call share their work; depth is then estimated as finely as the most detailed of them needs.
///
/// Not supported: quads, moving objects, panoramas, raw camera files.
public final class PhotogrammetrySession: Identifiable, Sendable {
    /// The limits of a session's input.
    public struct Limits: Sendable {
        /// The longer side of a photo at most, pixels.
        public let maximumInputImageDimension: Int
        /// The number of photos in one session at most.
        public let maximumNumberOfInputImages: Int
    }

    /// Whether this machine's processor has the instructions that this build uses.
    public static var isSupported: Bool { ProcessorCheck.missingInstructions.isEmpty }
    /// The limits of every session's input.
    public static var limits: Limits {
        Limits(maximumInputImageDimension: PhotoLimits.longestSide, maximumNumberOfInputImages: PhotoLimits.photos)
    }

    /// The options of the session.
    public let configuration: Configuration

    enum Input: Sendable {
        case folder(URL)
        case video(URL)
        case samples([PhotogrammetrySample])
    }

    private struct State {
        var log = OutputLog()
        var isProcessing = false
        var activeRequests: [Request] = []
        var cancellation = CancellationFlag()
        var summary: ReconstructionSummary?
        var hasStarted = false
    }

    private let input: Input
    private let state = Mutex(State())

    /// Creates a session for the photos of a folder, or for a video.
    ///
    /// Of a video, the session chooses frames that are sharp and well exposed, at nearly equal steps of the viewpoint, and keeps them as JPEG files
    /// in the checkpoint folder. It decodes videos with the program `ffmpeg`.
    ///
    /// - Parameters:
    ///   - input: The folder, or the video file: MP4, MOV, WebM, Matroska, AVI and others.
    ///   - configuration: The options.
    /// - Throws: `Error.invalidImages` for a folder that is missing or empty, or for an image file.
    public init(input: URL, configuration: Configuration = Configuration()) throws {
        if try PhotogrammetrySession.isVideo(input) {
            (self.input, self.configuration) = (.video(input), configuration)
        } else {
            _ = try PhotoFolder(input, masks: nil)
            (self.input, self.configuration) = (.folder(input), configuration)
        }
    }

    /// Whether the input is a file that is not an image. Whether it is a video is known when it is read.
    private static func isVideo(_ input: URL) throws -> Bool {
        guard let status = FileStatus(path: input.path), status.kind != .folder else { return false }
        guard !PhotoFolder.hasImageName(input) else { throw Error.invalidImages(input) }
        return true
    }

    /// Creates a session for samples.
    ///
    /// - Parameters:
    ///   - input: Samples with unique ids.
    ///   - configuration: The options.
    /// - Throws: `ReconstructionError.invalidOption` if two samples have the same id.
    public init<Samples: Sequence>(
        input: Samples, configuration: Configuration = Configuration()
    ) throws where Samples.Element == PhotogrammetrySample {
        let samples = Array(input)
        guard Set(samples.map(\.id)).count == samples.count else {
            throw ReconstructionError.invalidOption("two samples have the same id")
        }
        (self.input, self.configuration) = (.samples(samples), configuration)
    }

    /// The outputs of the current processing, or of the last one, from its start; before the first call of `process`, of the next one.
    public var outputs: Outputs { Outputs(log: state.withLock { $0.log }) }
    /// Whether requests are being processed.
    public var isProcessing: Bool { state.withLock { $0.isProcessing } }
    /// The requests of the current processing that are not complete yet.
    public var activeRequests: [Request] { state.withLock { $0.activeRequests } }
    /// Statistics of the photos, steps and models: of the current processing so far, or of the last one; nil before the first.
    public var summary: ReconstructionSummary? { state.withLock { $0.summary } }

    /// Starts to process `requests` and returns immediately: `outputs` delivers progress and results.
    ///
    /// - Throws: `ReconstructionError.alreadyProcessing`; `Error.invalidOutput` for a model whose file cannot be written;
    ///   `Error.insufficientStorage`; `FileError` for a checkpoint that cannot be written.
    public func process(requests: [Request]) throws {
        guard PhotogrammetrySession.isSupported else {
            throw ReconstructionError.unsupported(ProcessorCheck.missingInstructions)
        }
        try RequestCheck(requests: requests, configuration: configuration).run()
        let (log, cancellation) = try state.withLock { state throws -> (OutputLog, CancellationFlag) in
            guard !state.isProcessing else { throw ReconstructionError.alreadyProcessing }
            if state.hasStarted { state.log = OutputLog() }
            state.hasStarted = true
            state.isProcessing = true
            state.activeRequests = requests
            state.cancellation = CancellationFlag()
            state.summary = nil
            return (state.log, state.cancellation)
        }
        let job = ReconstructionJob(
            input: input, configuration: configuration, requests: requests, cancellation: cancellation,
            emit: { [self] in note($0, in: log) }, summarize: { [self] summary in state.withLock { $0.summary = summary } })
        // A thread of its own: the work would block the few threads that tasks share.
        let work: @Sendable () -> Void = { [self] in
            let wasCancelled = !job.run()
            state.withLock { state in
                state.isProcessing = false
                state.activeRequests = []
            }
            log.append(wasCancelled ? .processingCancelled : .processingComplete)
            log.finish()
        }
        DetachedThread.start(stackSize: 16 << 20, work)
    }

    /// Stops the current processing; `outputs` ends with `.processingCancelled` soon after. Finished stages stay in the checkpoint, and no file
    /// is left partly written.
    public func cancel() { state.withLock { $0.cancellation }.raise() }

    private func note(_ output: Output, in log: OutputLog) {
        switch output {
        case .requestComplete(let request, _), .requestError(let request, _):
            state.withLock { state in
                if let index = state.activeRequests.firstIndex(of: request) { state.activeRequests.remove(at: index) }
            }
        default: break
        }
        log.append(output)
    }
}
