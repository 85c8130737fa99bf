import VitrineFiles
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The part of a reconstruction that a task of a job may run. All other stages must be in the checkpoint.
struct TaskScope: Sendable {
    /// The job's folder.
    let root: URL
    /// `Stage.name` of the stages that may run.
    let stages: Set<String>
    /// The number of blocks of photos.
    let photoBlocks: Int

    init(_ kind: JobTask.Kind, root: URL, photoBlocks: Int) {
        (self.root, self.photoBlocks) = (root, photoBlocks)
        stages =
            switch kind {
            case .photos: [PhotoReadingStage.name]
            case .background: [BackgroundStage.name]
            case .features: [FeatureStage.name]
            case .pairs: [PairSelectionStage.name]
            case .matches: [PairMatchingStage.name]
            case .submaps: [SubmapStage.name]
            case .submap: [MappingStage.name]
            case .cameras: [SubmapStage.name, MappingStage.name, PlacementStage.name, PassStage.name, JoiningStage.name]
            case .views: [ViewStage.name]
            // On a full disk views are not stored: they are computed when they are needed.
            case .depthFirst: [DepthStage.name, ViewStage.name]
            case .depth: [ConsistentDepthStage.name, ViewStage.name]
            case .fusion: [FusionBlockStage.name, ViewStage.name]
            case .points: [FusionStage.name, FramingStage.name, ViewStage.name]
            case .surface: [SurfaceStage.name]
            case .texturePlan: [TexturePlanStage.name, ViewStage.name]
            case .texturePage: [TexturePageStage.name, ViewStage.name]
            case .texture: [TextureStage.name, ViewStage.name]
            case .write: []
            }
    }
}

extension ReconstructionPipeline {
    /// Runs a task of a job, whose earlier tasks are done: their results come from the checkpoint, the only state that tasks share.
    ///
    /// A task computes what the same part of `run()` computes, with the same keys, so that the outputs have the same bytes.
    func run(_ task: JobTask, of plan: JobPlan) throws {
        if task.kind == .photos { return try readPhotos(of: block(task, plan), number: task.block) }
        let (photos, memory) = try readPhotos()
        switch task.kind {
        case .photos, .write: break
        case .background: _ = try learnBackground(photos, context)
        case .features: try detectFeatures(photos, of: block(task, plan))
        case .pairs, .matches, .submaps, .submap, .cameras: try matchAndMap(photos, task, plan)
        case .views, .depthFirst, .depth, .fusion, .points, .surface, .texturePlan, .texturePage, .texture:
            let alignment = try align(photos, isKnown: true)
            let views = ViewPlan(alignment, job: job, memory: memory, freeBytes: resources.store.freeBytes)
            if task.kind == .views { return try undistort(views, of: block(task, plan)) }
            if task.kind == .depthFirst || task.kind == .depth { return try estimateDepth(views, memory, task, block(task, plan)) }
            resources.views.prepare(budget: memory.viewBytes(), siblings: views.siblings)
            try makeModel(alignment, views, memory, task)
        }
    }

    /// The photos of a task's block.
    private func block(_ task: JobTask, _ plan: JobPlan) -> Range<Int> {
        task.block * plan.photosPerBlock..<(task.block + 1) * plan.photosPerBlock
    }

    private var context: StageContext {
        let cancellation = job.cancellation
        return StageContext(parallel: runner.parallel, isCancelled: { cancellation.isRaised })
    }

    /// Calls `body` on all threads for each index of a block that is below `count`.
    private func forEach(_ block: Range<Int>, below count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
        let (part, context) = (block.clamped(to: 0..<count), context)
        let results = context.parallel.map(part.count) { offset in
            Result<Void, any Error> {
                try context.checkCancellation()
                try body(part.lowerBound + offset)
            }
        }
        for result in results { try result.get() }
    }

    private func readPhotos(of block: Range<Int>, number: Int) throws {
        guard case .folder(let url) = job.input else { return }
        let intake = PhotoIntake(try PhotoFolder(url, masks: job.configuration.masksDirectory), usesMasks: !job.configuration.ignoreMasks)
        try intake.read(block, with: resources, in: context)
        try resources.digests?.save(block: number, to: resources.store)
    }

    private func detectFeatures(_ photos: [Photo], of block: Range<Int>) throws {
        let inputs = featureInputs(photos, try learnBackground(photos, context))
        let (resources, context) = (resources, context)
        try forEach(block, below: photos.count) { _ = try resources.output(of: FeatureStage.self, inputs[$0], in: context.singleThreaded) }
    }

    private func matchAndMap(_ photos: [Photo], _ task: JobTask, _ plan: JobPlan) throws {
        let inputs = featureInputs(photos, try learnBackground(photos, context))
        let masks = Self.masks(inputs)
        let aligner = PhotoAligner(
            photos: photos, features: inputs.map { FeatureStage.artifact(for: $0) }, isMasked: masks != nil,
            background: Self.staticBackground(photos, masks), job: job, runner: runner, record: record)
        let selection = PairSelectionStage.Input(matching: aligner.matchingInput(isOnGPU: isOnGPU))
        switch task.kind {
        case .pairs: _ = try resources.output(of: PairSelectionStage.self, selection, in: context)
        case .matches:
            let block = PairMatchingStage.Input(selection: selection, block: task.block, blocks: plan.pairBlocks)
            _ = try resources.output(of: PairMatchingStage.self, block, in: context)
        default:
            let joined = MatchingStage.artifact(for: aligner.matchingInput())
            if task.kind == .submap {
                _ = try aligner.mapSubmap(task.block, joined, context)
                return
            }
            if resources.store.load(joined) == nil {
                try resources.store.save(try PairMatchingStage.join(selection, blocks: plan.pairBlocks, with: resources), as: joined)
            }
            if task.kind == .submaps { _ = try aligner.divide(joined, context) } else { _ = try align(photos, isKnown: true) }
        }
    }

    private func undistort(_ views: ViewPlan, of block: Range<Int>) throws {
        let (store, context) = (resources.store, context)
        let runnable = resources.runnable
        try forEach(block, below: views.stereoViews.count) { index in
            // Each photo is decoded once for all of its views.
            let own = StageResources(
                store: store, pixels: PhotoPixels(store: store, budget: 0), views: ViewCache(), runnable: runnable)
            let view = views.stereoViews[index].view
            let siblings = views.siblings[ViewStage.artifact(for: view).key] ?? []
            for input in [view] + siblings { _ = try own.output(of: ViewStage.self, input, in: context.singleThreaded) }
        }
    }

    /// Tasks of one job run on many machines: without a choice for all of them, the processor is used.
    private var isOnGPU: Bool { job.configuration.computeDevice == .gpu }

    /// Estimates the depth of a block of photos in one of the passes, of several photos at once as `run()` does.
    private func estimateDepth(_ views: ViewPlan, _ memory: MemoryPlan, _ task: JobTask, _ block: Range<Int>) throws {
        let passes = DepthPasses(views, onGPU: isOnGPU)
        try withLanes(memory, views, onGPU: isOnGPU) { lanes in
            if task.kind == .depthFirst {
                _ = try passes.estimateFirst(in: block, on: lanes, with: resources, in: context)
            } else {
                _ = try passes.refine(in: block, on: lanes, with: resources, in: context)
            }
        }
    }

    private func makeModel(_ alignment: PhotoAlignment, _ views: ViewPlan, _ memory: MemoryPlan, _ task: JobTask) throws {
        guard views.stereoPhotos.count >= 2 else {
            throw ReconstructionError.noSurface("only \(views.stereoPhotos.count) photos show enough of the object")
        }
        let fusion = fusionInput(alignment, views, DepthPasses(views, onGPU: isOnGPU).maps, memory)
        if task.kind == .fusion {
            // The plan has blocks for all photos, also for those that turned out to be copies.
            guard fusion.blocks.indices.contains(task.block) else { return }
            _ = try resources.output(of: FusionBlockStage.self, FusionBlockStage.Input(fusion: fusion, block: task.block), in: context)
            return
        }
        let points = FusionStage.artifact(for: fusion)
        if task.kind == .points { try Self.checkCount(of: try resources.output(of: FusionStage.self, fusion, in: context).value) }
        let scene = try settle(alignment, points)
        guard task.kind != .points else { return }
        let modelPage = job.modelPage(of: task)
        guard job.modelGroups.indices.contains(modelPage.model), let order = models.order(job.modelGroups[modelPage.model][0]) else {
            return
        }
        let surface = try models.surface(order, alignment, points, scene)
        guard task.kind != .surface else { return }
        let texture = models.textureInput(order, surface, scene, views, memory)
        let plan = TexturePlanStage.Input(texture: texture)
        switch task.kind {
        case .texturePlan: _ = try resources.output(of: TexturePlanStage.self, plan, in: context)
        case .texturePage:
            let page = TexturePageStage.Input(plan: plan, page: modelPage.page, pages: modelPage.pages)
            _ = try resources.output(of: TexturePageStage.self, page, in: context)
        default:
            guard modelPage.pages > 1 else {
                _ = try resources.output(of: TextureStage.self, texture, in: context)
                return
            }
            let joined = TextureStage.artifact(for: texture)
            guard resources.store.load(joined) == nil else { return }
            let output = try TexturePageStage.join(texture, pages: modelPage.pages, with: resources, in: context)
            if TextureStage.isComplete(output) { try resources.store.save(output, as: joined) }
        }
    }
}

extension ReconstructionJob {
    /// The number of pages of each model's texture, in the order of `modelGroups`.
    var texturePages: [Int] {
        modelGroups.map {
            TexturePageStage.count(textureSize: modelLimits[$0[0]]?.textureDimension ?? 0, wanted: configuration.texturePageCount)
        }
    }

    /// The model (an index into `modelGroups`) and the page of a task for a surface or texture.
    func modelPage(of task: JobTask) -> (model: Int, page: Int, pages: Int) {
        let pages = texturePages
        switch task.kind {
        case .texturePlan:
            let models = pages.indices.filter { pages[$0] > 1 }
            return models.indices.contains(task.block) ? (models[task.block], 0, pages[models[task.block]]) : (-1, 0, 1)
        case .texturePage:
            var page = task.block
            for (model, count) in pages.enumerated() where count > 1 {
                if page < count { return (model, page, count) }
                page -= count
            }
            return (-1, 0, 1)
        default: return (task.block, 0, pages.indices.contains(task.block) ? pages[task.block] : 1)
        }
    }
}
