import Foundation
import VitrineFiles
import VitrineGeometry

extension PhotogrammetrySession {
    /// What a session tells while it works, in the order in which it happens.
    public enum Output: Sendable {
        /// All photos were read.
        case inputComplete
        /// 0…1, never falling.
        case requestProgress(Request, fractionComplete: Double)
        case requestProgressInfo(Request, ProgressInfo)
        case requestComplete(Request, Result)
        /// This request failed; the others go on.
        case requestError(Request, any Swift.Error)
        /// All requests are done; the sequence ends.
        case processingComplete
        /// `cancel()` was called; the sequence ends.
        case processingCancelled
        /// This sample can't be read or used, for this reason; the others go on.
        case invalidSample(id: Int, reason: String)
        /// This sample is readable, but the model was made without it.
        case skippedSample(id: Int)
        /// Photos were made smaller to keep within the memory budget or the limits.
        case automaticDownsampling
        /// Some photos could not be aligned with the others: `PhotogrammetrySession.summary` names them.
        case stitchingIncomplete
        /// A problem that doesn't stop the work, in one line; each is reported once. `PhotogrammetrySession.summary` has all of them.
        case warning(String)
    }

    /// What a request made.
    public enum Result: Sendable {
        case modelFile(URL)
        case modelEntity(ModelEntity)
        case bounds(BoundingBox)
        case pointCloud(PointCloud)
        case poses(Poses)
    }

    /// How far a request has come.
    public struct ProgressInfo: Hashable, Sendable {
        /// Seconds until the request is complete; nil while nothing is known yet.
        public let estimatedRemainingTime: TimeInterval?
        public let processingStage: ProcessingStage?
    }

    public enum ProcessingStage: String, CaseIterable, Codable, Sendable {
        case preProcessing, imageAlignment, pointCloudGeneration, meshGeneration, textureMapping, optimization
    }

    public enum Error: Swift.Error, Equatable, Sendable {
        /// The folder is missing, is no folder, or holds no file.
        case invalidImages(URL)
        /// The place of a model can't be written: no such folder, or a kind of file that isn't written here.
        case invalidOutput(URL)
        /// The disk of the checkpoint, or of a model, has less free space than the work needs.
        case insufficientStorage(requiredBytes: Int64)
    }
}

extension PhotogrammetrySession.Error: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .invalidImages(let url): "\(url.path): no folder with photos"
        case .invalidOutput(let url):
            "\(url.path): can't be written: its folder is missing, or its name doesn't end in one of \(ModelFile.extensionList)"
        case .insufficientStorage(let bytes): "the disk needs \((bytes + 1_048_575) >> 20) MiB of free space"
        }
    }
}

/// Why the photos did not become a model.
public enum ReconstructionError: Swift.Error, Equatable, Sendable {
    /// Three photos are the least; `unusable` of those given could not be read.
    case tooFewPhotos(usable: Int, unusable: Int)
    /// More than `PhotogrammetrySession.limits` allows.
    case tooManyPhotos(count: Int, limit: Int)
    /// No two photos could be shown to see the same thing, for the reason given.
    case notAligned(String)
    /// The photos are aligned, but too few points of a surface came out of them.
    case noSurface(String)
    /// An option asks for something that isn't done here.
    case unsupported(String)
    /// An option can't be followed with these photos.
    case invalidOption(String)
    /// `process` was called while the session works.
    case alreadyProcessing
}

extension ReconstructionError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .tooFewPhotos(let usable, let unusable):
            "3 photos are needed, \(usable == 0 ? "none" : "only \(usable)") can be used"
                + (unusable > 0 ? " (\(unusable) can't be read)" : "") + ": take more of the same object, from 10 to 20 degrees apart"
        case .tooManyPhotos(let count, let limit): "\(count) photos are more than the \(limit) that are taken"
        case .notAligned(let why): "the photos can't be joined: \(why)"
        case .noSurface(let why): "no surface was found: \(why)"
        case .unsupported(let what): what
        case .invalidOption(let what): what
        case .alreadyProcessing: "the session is processing already: wait for its outputs to end, or cancel it"
        }
    }
}
