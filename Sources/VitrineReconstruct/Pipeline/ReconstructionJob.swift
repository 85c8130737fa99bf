import VitrineFiles
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The work of one `process` call: its requests, and the destination of its outputs.
struct ReconstructionJob: Sendable {
    let input: PhotogrammetrySession.Input
    let configuration: PhotogrammetrySession.Configuration
    let requests: [PhotogrammetrySession.Request]
    let cancellation: CancellationFlag
    let emit: @Sendable (PhotogrammetrySession.Output) -> Void
    let summarize: @Sendable (ReconstructionSummary) -> Void
    /// Receives a task for each stage that runs; nil in most runs.
    var taskFolder: URL?
    /// The part that a task of a `JobPlan` may run; nil: all.
    var scope: TaskScope?
    /// The GPU for depth; nil: that of the configuration.
    var depthGPU: DepthGPU?
    /// The GPU for matching; nil: that of the configuration.
    var matchingGPU: MatchingGPU?

    /// Runs the job on the calling thread.
    ///
    /// - Returns: false if it was cancelled.
    func run() -> Bool {
        do {
            let pipeline = try ReconstructionPipeline(self)
            pipeline.run()
        } catch {
            for request in requests { emit(.requestError(request, error)) }
        }
        return !cancellation.isRaised
    }

    /// The number of samples, before any is read.
    var sampleCount: Int {
        switch input {
        case .folder(let url): (try? PhotoFolder(url, masks: nil).entries.count) ?? 0
        case .video: configuration.videoFrameCount ?? 80
        case .samples(let samples): samples.count
        }
    }

    /// The limits of each request for a model, by its index.
    var modelLimits: [Int: DetailLimits] {
        var result: [Int: DetailLimits] = [:]
        for (index, request) in requests.enumerated() {
            guard let detail = request.detail else { continue }
            result[index] = .limits(of: detail, custom: configuration.customDetailSpecification)
        }
        return result
    }

    /// The longer side of depth maps for all requests: that of the most detailed one.
    var depthDimension: Int { modelLimits.values.map(\.depthDimension).max() ?? 640 }

    /// The costs of the job's steps.
    ///
    /// - Parameters:
    ///   - features: The mean number of features of a photo; nil before some are counted.
    ///   - featureLimit: See `MemoryPlan`.
    ///   - registered: The sizes of the photos that are registered, or that matches connect; nil: all.
    ///   - box: The fraction of the registered photos' pixels in the object's box; nil before it is known.
    ///   - masked: The fraction of the photos' pixels that their masks keep.
    func costs(
        sizes: [PhotoSize], threads: Int, features: Double? = nil, featureLimit: Int? = nil, registered: [PhotoSize]? = nil,
        box: Double? = nil, masked: Double = 1
    ) -> CostModel {
        var measured = CostModel.Photos(
            features: features, featureLimit: featureLimit ?? configuration.featureSensitivity.detection.maximumCount,
            registered: registered)
        measured.searched = min(masked, box ?? (configuration.ignoreBoundingBox ? 1 : measured.searched))
        return CostModel(
            sizes: sizes, featureDimension: PipelineSettings.featureDimension, depthDimension: depthDimension,
            viewDimension: modelLimits.values.map(\.viewDimension).max() ?? depthDimension, threads: threads, measured: measured)
    }

    func workPlan(_ costs: CostModel) -> WorkPlan {
        let limits = modelLimits
        let all = Set(requests.indices)
        let dense = Set(requests.indices.filter { requests[$0].needsDepth })
        var items: [WorkPlan.Item] = [
            .init(step: .intake, cost: costs.intake, requests: all), .init(step: .features, cost: costs.detection, requests: all),
            .init(step: .matching, cost: costs.matching, requests: all), .init(step: .mapping, cost: costs.mapping, requests: all),
            .init(step: .placement, cost: costs.placement, requests: all),
        ]
        if case .video = input { items.insert(.init(step: .video, cost: costs.video, requests: all), at: 0) }
        if !dense.isEmpty {
            items.append(.init(step: .depth, cost: costs.depth, requests: dense))
            items.append(.init(step: .fusion, cost: costs.fusion, requests: dense))
        }
        for group in modelGroups {
            guard let first = group.first, let limits = limits[first] else { continue }
            items.append(.init(step: .surface(first), cost: costs.surface, requests: Set(group)))
            items.append(.init(step: .texture(first), cost: costs.texture(limits), requests: Set(group)))
            for index in group { items.append(.init(step: .write(index), cost: costs.write(limits), requests: [index])) }
        }
        return WorkPlan(items: items)
    }

    /// Requests for the same model in several files: indices, in the order of the first of each.
    var modelGroups: [[Int]] {
        var groups: [[Int]] = []
        for (index, request) in requests.enumerated() {
            guard let detail = request.detail else { continue }
            let groupIndex = groups.firstIndex { group in
                let other = requests[group[0]]
                return other.detail == detail && other.geometry?.orientedBounds == request.geometry?.orientedBounds
            }
            if let groupIndex { groups[groupIndex].append(index) } else { groups.append([index]) }
        }
        return groups
    }
}

extension PhotogrammetrySession.Request {
    /// Whether the request needs depth.
    var needsDepth: Bool {
        switch self {
        case .modelFile, .modelEntity, .pointCloud: true
        case .bounds, .poses: false
        }
    }
}

/// Settings that do not depend on the configuration.
enum PipelineSettings {
    /// The longest side of photos in which features are detected, pixels.
    static let featureDimension = 2_400
}
