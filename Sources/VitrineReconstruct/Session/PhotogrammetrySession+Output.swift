import VitrineFiles
import VitrineGeometry

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PhotogrammetrySession {
    /// Progress, results and problems of a session, in their order.
    public enum Output: Sendable {
        /// All photos were read.
        case inputComplete
        /// The progress of a request, 0…1; never decreases.
        case requestProgress(Request, fractionComplete: Double)
        /// The remaining time and the stage of a request.
        case requestProgressInfo(Request, ProgressInfo)
        /// A request's result.
        case requestComplete(Request, Result)
        /// This request failed; the others continue.
        case requestError(Request, any Swift.Error)
        /// All requests are done; the sequence ends.
        case processingComplete
        /// `cancel()` was called; the sequence ends.
        case processingCancelled
        /// This sample cannot be read or used, for this reason; the others are processed.
        case invalidSample(id: Int, reason: String)
        /// This sample is readable, but not used for the model.
        case skippedSample(id: Int)
        /// Photos were reduced to keep within the memory budget or the limits.
        case automaticDownsampling
        /// Some photos could not be aligned with the others: `PhotogrammetrySession.summary` names them.
        case stitchingIncomplete
        /// A problem that does not stop the work, in one line; each is reported once. `PhotogrammetrySession.summary` has all of them.
        case warning(String)
    }

    /// The result of a request.
    public enum Result: Sendable {
        /// The written file, for `Request.modelFile`.
        case modelFile(URL)
        /// The model in memory, for `Request.modelEntity`.
        case modelEntity(ModelEntity)
        /// The box around the object along the axes of the model's frame, for `Request.bounds`.
        case bounds(BoundingBox)
        /// The fused points, for `Request.pointCloud`.
        case pointCloud(PointCloud)
        /// The cameras, for `Request.poses`.
        case poses(Poses)
    }

    /// Errors of a session's input and output files.
    public enum Error: Swift.Error, Equatable, Sendable {
        /// The folder is missing, is not a folder, or contains no files.
        case invalidImages(URL)
        /// A model's file cannot be written: its folder is missing, or its format is not supported.
        case invalidOutput(URL)
        /// The disk of the checkpoint, or of a model, has too little free space.
        case insufficientStorage(requiredBytes: Int64)
    }
}

extension PhotogrammetrySession.Output {
    /// The remaining time and the stage of a request.
    public struct ProgressInfo: Hashable, Sendable {
        /// The number of seconds until the request is complete; nil before there is an estimate.
        public let estimatedRemainingTime: TimeInterval?
        /// The current stage; nil before the first.
        public let processingStage: ProcessingStage?
    }

    /// The stages of a reconstruction, in their order.
    public enum ProcessingStage: String, CaseIterable, Codable, Sendable {
        /// Reads the photos.
        case preProcessing
        /// Detects and matches features, and estimates cameras, gravity and scale.
        case imageAlignment
        /// Estimates depth maps and fuses them into points.
        case pointCloudGeneration
        /// Reconstructs the surface and reduces it to the limit of triangles.
        case meshGeneration
        /// Computes the texture maps.
        case textureMapping
        /// Writes the model.
        case optimization
    }
}

extension PhotogrammetrySession.Error: LocalizedError {
    /// The error as text for users.
    public var errorDescription: String? {
        switch self {
        case .invalidImages(let url): "\(url.path): is not a folder with photos"
        case .invalidOutput(let url):
            "\(url.path): cannot be written: its folder is missing or not writable, or its name does not end in one of \(ModelFile.extensionList)"
        case .insufficientStorage(let bytes): "the disk needs \((bytes + 1_048_575) >> 20) MiB of free space"
        }
    }
}

/// The reason why a reconstruction failed.
public enum ReconstructionError: Swift.Error, Equatable, Sendable {
    /// At least three photos are needed; `unusable` of the given ones could not be read.
    case tooFewPhotos(usable: Int, unusable: Int)
    /// There are more photos than `PhotogrammetrySession.limits` allows.
    case tooManyPhotos(count: Int, limit: Int)
    /// The photos could not be aligned, for the given reason.
    case notAligned(String)
    /// The photos are aligned, but no surface could be reconstructed, for the given reason.
    case noSurface(String)
    /// The surface could not be textured, for the given reason.
    case noTexture(String)
    /// An option requires something that is not supported.
    case unsupported(String)
    /// An option is invalid, or does not fit these photos.
    case invalidOption(String)
    /// A video cannot be read, in seconds from its first frame if a frame is the reason.
    case invalidVideo(file: String, time: Double?, reason: String)
    /// `process` was called while the session was processing.
    case alreadyProcessing
}

extension ReconstructionError: LocalizedError {
    /// The error as text for users.
    public var errorDescription: String? {
        switch self {
        case .tooFewPhotos(let usable, let unusable):
            "at least 3 photos are needed, \(usable == 0 ? "none" : "only \(usable)") can be used"
                + (unusable > 0 ? " (\(unusable) cannot be read)" : "") + ": take more photos of the object, 10 to 20 degrees apart"
        case .tooManyPhotos(let count, let limit): "\(count) photos are more than the limit of \(limit)"
        case .notAligned(let reason): "the photos cannot be aligned: \(reason)"
        case .noSurface(let reason): "no surface could be reconstructed: \(reason)"
        case .noTexture(let reason): "the model could not be textured: \(reason)"
        case .unsupported(let reason), .invalidOption(let reason): reason
        case .invalidVideo(let file, let time, let reason):
            "\(file): " + (time.map { "at \(VideoStage.text($0)): " } ?? "") + reason
        case .alreadyProcessing: "the session is already processing: wait for the end of its outputs, or cancel it"
        }
    }
}

extension PhotogrammetrySession {
    /// The outputs of one `process` call, in order. The sequence ends after `.processingComplete` or `.processingCancelled`.
    ///
    /// Each iteration delivers all outputs from the first one on, also those from before it started; several may run at once.
    public struct Outputs: AsyncSequence, Sendable {
        let log: OutputLog

        /// Iterates over the outputs.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let log: OutputLog
            private var index = 0

            init(log: OutputLog) { self.log = log }

            /// The next output; nil at the end, or if the waiting task is cancelled. Does not throw: failures are reported by `.requestError`.
            public mutating func next() async throws -> Output? {
                guard let output = await log.output(at: index) else { return nil }
                index += 1
                return output
            }
        }

        /// Creates an iterator that starts at the first output.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(log: log) }
    }
}
