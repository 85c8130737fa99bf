import VitrineDense
import VitrineVision

/// The two passes of depth estimation of all photos of a plan.
struct DepthPasses {
    private let first: [DepthStage.Input]
    private let second: [ConsistentDepthStage.Input]

    init(_ views: ViewPlan, onGPU: Bool) {
        first = views.stereoPhotos.indices.map { views.depthInput($0, onGPU: onGPU) }
        let artifacts = first.map { DepthStage.artifact(for: $0) }
        second = first.enumerated().map { index, input in
            ConsistentDepthStage.Input(first: input, sourceMaps: views.sources[index].map { artifacts[$0] })
        }
    }

    /// The indices of the photos.
    var photos: Range<Int> { first.indices }

    /// The maps of the second pass.
    var maps: [Artifact<DepthMap>] { second.map { ConsistentDepthStage.artifact(for: $0) } }

    /// Decodes and undistorts the photos that missing maps of the first pass need, one on each thread.
    func prepareViews(with resources: StageResources, in context: StageContext) throws {
        var seen: Set<Int> = []
        let missing = first.filter { !resources.store.contains(DepthStage.artifact(for: $0)) }
        let views = missing.flatMap { [$0.view] + $0.sources }.filter { seen.insert($0.view.index).inserted }
        resources.pixels.prepare(photosAtOnce: context.parallel.threads)
        defer { resources.pixels.prepare(photosAtOnce: 1) }
        _ = try context.map(views.count, on: context.parallel) { index, context in
            _ = try views[index].load(resources, in: context.singleThreaded)
        }
    }

    /// Estimates the maps of the first pass of some photos.
    ///
    /// - Parameter lanes: The number of photos at once. The maps do not depend on it.
    /// - Returns: Whether a part came from the checkpoint.
    func estimateFirst(
        in photos: Range<Int>, on lanes: Parallel, with resources: StageResources, in context: StageContext
    ) throws -> Bool {
        let inputs = Array(first[photos.clamped(to: self.photos)])
        return try context.map(inputs.count, on: lanes) { index, context in
            try resources.output(of: DepthStage.self, inputs[index], in: context).wasRestored
        }.contains(true)
    }

    /// Refines the maps of some photos in the second pass.
    ///
    /// - Parameter lanes: The number of photos at once. The maps do not depend on it.
    func refine(
        in photos: Range<Int>, on lanes: Parallel, with resources: StageResources, in context: StageContext
    ) throws -> [(coverage: Double, wasRestored: Bool)] {
        let inputs = Array(second[photos.clamped(to: self.photos)])
        return try context.map(inputs.count, on: lanes) { index, context in
            let output = try resources.output(of: ConsistentDepthStage.self, inputs[index], in: context)
            return (output.value.coverage, output.wasRestored)
        }
    }
}
