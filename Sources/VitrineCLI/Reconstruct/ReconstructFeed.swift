import Synchronization
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reports progress and events: as a `ProgressLine`, or as lines of JSON.
final class ReconstructFeed {
    private let isJSON: Bool
    private var fraction = 0.0
    private var stage: PhotogrammetrySession.Output.ProcessingStage?
    private var lastEvent = ContinuousClock.now - .seconds(10)
    private let line: ProgressLine

    init(isJSON: Bool) {
        self.isJSON = isJSON
        line = ProgressLine(isShown: !isJSON, quietSeconds: 0)
    }

    /// Prints an output of the session.
    ///
    /// - Parameter last: The index of the last request, whose progress is reported.
    func show(_ output: PhotogrammetrySession.Output, last: Int, requests: [PhotogrammetrySession.Request]) {
        switch output {
        case .requestProgress(let request, let fraction): if request == requests[last] { self.fraction = fraction }
        case .requestProgressInfo(let request, let info): if request == requests[last] { progress(info) }
        case .invalidSample(let id, let reason):
            warn(reason)
            event(["event": .text("invalid_sample"), "id": .number(Double(id)), "reason": .text(reason)])
        case .skippedSample(let id): event(["event": .text("skipped_sample"), "id": .number(Double(id))])
        case .inputComplete: event(["event": .text("input_complete")])
        case .automaticDownsampling: event(["event": .text("automatic_downsampling")])
        case .stitchingIncomplete: event(["event": .text("stitching_incomplete")])
        case .warning(let text): warn(text)
        case .requestComplete(_, let result):
            if case .modelFile(let url) = result { event(["event": .text("model_file"), "file": .text(url.relativePath)]) }
        case .requestError(_, let error): event(["event": .text("request_error"), "reason": .text(describe(error))])
        case .processingComplete: event(["event": .text("processing_complete")])
        case .processingCancelled: event(["event": .text("processing_cancelled")])
        }
    }

    func warn(_ text: String) {
        line.finish()
        printError("warning: \(text)")
    }

    func finish() { line.finish() }

    private func progress(_ info: PhotogrammetrySession.Output.ProgressInfo) {
        let isNewStage = info.processingStage != stage
        stage = info.processingStage
        guard let stage else { return }
        let now = ContinuousClock.now
        if isJSON {
            guard isNewStage || now - lastEvent > .seconds(1) else { return }
            lastEvent = now
            var fields: [String: JSONField] = [
                "event": .text("progress"), "fraction": .number((fraction * 1000).rounded() / 1000), "stage": .text(stage.word),
            ]
            if let left = info.estimatedRemainingTime { fields["remaining_s"] = .number(left.rounded()) }
            event(fields)
        } else {
            line.report(stage.title, fraction: fraction, remaining: info.estimatedRemainingTime)
        }
    }

    private func event(_ fields: [String: JSONField]) { if isJSON { Self.printLine(fields) } }

    static func printLine(_ fields: [String: JSONField]) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(fields) else { return }
        print(String(decoding: data, as: UTF8.self))
    }
}

extension PhotogrammetrySession.Output.ProcessingStage {
    /// The name in JSON.
    var word: String {
        switch self {
        case .preProcessing: "pre_processing"
        case .imageAlignment: "image_alignment"
        case .pointCloudGeneration: "point_cloud_generation"
        case .meshGeneration: "mesh_generation"
        case .textureMapping: "texture_mapping"
        case .optimization: "optimization"
        }
    }

    /// The name in the progress line.
    var title: String {
        switch self {
        case .preProcessing: "reading the input"
        case .imageAlignment: "estimating cameras"
        case .pointCloudGeneration: "computing depth"
        case .meshGeneration: "reconstructing the surface"
        case .textureMapping: "computing textures"
        case .optimization: "writing the model"
        }
    }
}

/// A value in a line of JSON.
enum JSONField: Encodable {
    case text(String)
    case number(Double)
    case flag(Bool)
    case null
    case list([JSONField])
    case object([String: JSONField])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number):
            if let whole = Int(exactly: number) { try container.encode(whole) } else { try container.encode(number) }
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }
}
