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

    /// Estimates the maps of the first pass of some photos.
    ///
    /// - Parameters:
    ///   - viewing: The fraction of the pass's time that decoding and undistorting the photos takes, 0…1.
    ///   - lanes: The number of photos at once. The maps do not depend on it.
    /// - Returns: Whether a part came from the checkpoint.
    func estimateFirst(
        in photos: Range<Int>, viewing: Double, on lanes: Parallel, with resources: StageResources, in context: StageContext
    ) throws -> Bool {
        let inputs = Array(first[photos.clamped(to: self.photos)])
        let work = Self.newViews(of: inputs).map { viewing * Double($0) + 1 - viewing }
        return try context.map(work, on: lanes) { index, context in
            try resources.output(of: DepthStage.self, inputs[index], in: context).wasRestored
        }.contains(true)
    }

    /// The number of photos that each map is the first to read: the first maps read most of them.
    static func newViews(of inputs: [DepthStage.Input]) -> [Int] {
        var read: Set<Int> = []
        return inputs.map { input in ([input.view] + input.sources).count { read.insert($0.view.index).inserted } }
    }

    /// Refines the maps of some photos in the second pass.
    ///
    /// - Parameter lanes: The number of photos at once. The maps do not depend on it.
    func refine(
        in photos: Range<Int>, on lanes: Parallel, with resources: StageResources, in context: StageContext
    ) throws -> [(coverage: Double, wasRestored: Bool)] {
        let inputs = Array(second[photos.clamped(to: self.photos)])
        return try context.map(inputs.map { _ in 1 }, on: lanes) { index, context in
            let output = try resources.output(of: ConsistentDepthStage.self, inputs[index], in: context)
            return (output.value.coverage, output.wasRestored)
        }
    }
}
