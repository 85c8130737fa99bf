import Synchronization
import VitrineDense
import VitrineDenseGPU
import VitrineFiles
import VitrineMath
import VitrineVideo
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Runs the stages of a job in their order and delivers the results of its requests. Used from one thread.
final class ReconstructionPipeline {
    let job: ReconstructionJob
    let record: RunRecord
    private let tracker: StepTracker
    private let requests: RequestQueue
    let runner: StepRunner
    /// See `MemoryPlan`; known when the photos are read.
    private var featureLimit: Int?

    private var configuration: PhotogrammetrySession.Configuration { job.configuration }
    var resources: StageResources { runner.resources }
    var models: ModelMaker { ModelMaker(job: job, record: record, requests: requests, runner: runner) }

    /// Creates the pipeline of a job.
    ///
    /// - Throws: `FileError` if the checkpoint folder cannot be written.
    init(_ job: ReconstructionJob) throws {
        self.job = job
        let store = try CheckpointStore(folder: job.configuration.checkpointDirectory, isShared: job.scope != nil)
        let parallel = Parallel(threads: job.configuration.threads)
        record = RunRecord(job)
        let guessed = Array(repeating: PhotoSize(width: 1600, height: 1200), count: job.sampleCount)
        tracker = StepTracker(
            plan: job.workPlan(job.costs(sizes: guessed, threads: parallel.threads)), requests: job.requests, emit: job.emit)
        requests = RequestQueue(job, tracker: tracker, record: record)
        let pixels = PhotoPixels(
            store: store, budget: min(512 << 20, job.configuration.memoryLimit / 8), keepsPixels: job.scope == nil)
        let digests = job.scope.map { DigestList(root: $0.root) }
        if let digests, let blocks = job.scope?.photoBlocks { digests.load(blocks: blocks, from: store) }
        let resources = StageResources(
            store: store, pixels: pixels, views: ViewCache(), tasks: try job.taskFolder.map { try TaskFolder($0) },
            runnable: job.scope?.stages, digests: digests, depthGPU: job.depthGPU ?? DepthGPU(adapter: job.configuration.computeAdapter),
            matchingGPU: job.matchingGPU ?? MatchingGPU(adapter: job.configuration.computeAdapter))
        runner = StepRunner(resources: resources, parallel: parallel, cancellation: job.cancellation, tracker: tracker, record: record)
    }

    /// Runs all stages. An error that stops them is the error of every waiting request.
    func run() {
        defer {
            record.publish()
            resources.store.removeIfTemporary()
        }
        do {
            try runStages()
        } catch {
            if !job.cancellation.isRaised { requests.failRemaining(error) }
        }
    }

    private static func meanCount(_ positions: [[SIMD2<Float>]]) -> Double {
        Double(positions.reduce(0) { $0 + $1.count }) / Double(max(1, positions.count))
    }

    /// The number of times that each photo was decoded, by its digest.
    var decodeCounts: [Digest: Int] { resources.pixels.decodeCounts }

    private func runStages() throws {
        let (photos, memory) = try readPhotos()
        let alignment = try align(photos)
        describe(alignment.placed.settled(by: nil), alignment)
        record.update { $0.cloudSample = PhotogrammetrySession.PointCloud(alignment.placed.model).sample(20_000) }
        // If depth is estimated, the frame is final only after the fusion.
        if !requests.isWaiting(for: { $0.needsDepth }) { deliver(alignment.placed.settled(by: nil)) }
        guard !requests.isEmpty else { return }
        let costs = job.costs(
            sizes: photos.map(\.size), threads: runner.parallel.threads, features: Self.meanCount(alignment.detected.positions),
            registered: alignment.placed.model.registered.map { photos[$0].size }, box: alignment.placed.searchedFraction,
            masked: alignment.detected.masked)
        runner.replan(job.workPlan(costs))
        let views = ViewPlan(alignment, job: job, memory: memory, freeBytes: resources.store.freeBytes)
        let points = try estimatePoints(alignment, views, memory, costs.depthShares)
        let scene = try settle(alignment, points)
        describe(scene.aligned, alignment)
        deliver(scene.aligned)
        try deliver(points, scene)
        resources.views.clear()
        try models.makeAll(alignment, points, scene, views, memory)
        if requests.isEmpty { views.removeFiles(from: resources.store) }
    }
}

// MARK: Photos

extension ReconstructionPipeline {
    /// Reads all samples and determines the working size of the photos.
    func readPhotos() throws -> (photos: [Photo], memory: MemoryPlan) {
        let intake: PhotoIntake
        switch job.input {
        case .folder(let url):
            intake = PhotoIntake(try PhotoFolder(url, masks: configuration.masksDirectory), usesMasks: !configuration.ignoreMasks)
        case .video(let url):
            intake = PhotoIntake(
                try PhotoFolder(try readVideo(url), masks: configuration.masksDirectory), usesMasks: !configuration.ignoreMasks)
        case .samples(let samples): intake = PhotoIntake(ordered(samples), usesMasks: !configuration.ignoreMasks)
        }
        let outcome = try runner.step(.intake) { context, wasRestored in
            let outcome = try intake.run(with: resources, in: context)
            wasRestored = outcome.wasRestored
            return outcome
        }
        report(outcome)
        var photos = outcome.photos
        guard photos.count >= 3 else {
            throw ReconstructionError.tooFewPhotos(usable: photos.count, unusable: outcome.invalid.count)
        }
        guard photos.count <= PhotoLimits.photos else {
            throw ReconstructionError.tooManyPhotos(count: photos.count, limit: PhotoLimits.photos)
        }
        if let file = configuration.camerasFile {
            if let warning = try KnownCameras.read(file).assign(to: &photos, file: file.lastPathComponent) { record.warn(warning) }
        }
        job.emit(.inputComplete)
        return (photos, try fit(&photos))
    }

    /// Extracts the best frames of a video.
    ///
    /// - Returns: Their folder.
    private func readVideo(_ url: URL) throws -> URL {
        do {
            return try runner.step(.video) { context, wasRestored in
                let digest = try Digest(ofFileAt: url)
                let input = VideoStage.Input(
                    url: url, digest: digest, count: configuration.videoFrameCount, range: configuration.videoTimeRange)
                let choice = try resources.output(of: VideoStage.self, input, in: context.part(from: 0, to: 0.7))
                let frames = VideoFrameFolder(in: resources.store)
                let hadFrames = try frames.extract(choice.value, input, in: context.part(from: 0.7, to: 1))
                wasRestored = choice.wasRestored && hadFrames
                for warning in choice.value.warnings { record.warn(warning) }
                record.update { $0.video = ReconstructionSummary.Video(choice.value, name: url.lastPathComponent) }
                return frames.folder
            }
        } catch let error as VideoError {
            throw ReconstructionError.invalidVideo(url, at: nil, error)
        }
    }

    /// Orders the samples of a sequential capture by time, if all have one.
    private func ordered(_ samples: [PhotogrammetrySample]) -> [PhotogrammetrySample] {
        guard configuration.sampleOrdering == .sequential, samples.allSatisfy({ $0.captureTime != nil }) else { return samples }
        return samples.enumerated().sorted { ($0.element.captureTime ?? 0, $0.offset) < ($1.element.captureTime ?? 0, $1.offset) }.map(
            \.element)
    }

    private func report(_ outcome: PhotoIntake.Outcome) {
        record.update { summary in
            for invalid in outcome.invalid {
                summary.photos.append(.init(id: invalid.id, name: invalid.name, url: nil, state: .invalid(invalid.reason)))
            }
            for copy in outcome.duplicates {
                summary.photos.append(.init(id: copy.id, name: copy.name, url: nil, state: .duplicate(of: copy.of)))
            }
            for photo in outcome.photos { summary.photos.append(.init(photo)) }
            summary.photos.sort { $0.id < $1.id }
        }
        for invalid in outcome.invalid { job.emit(.invalidSample(id: invalid.id, reason: "\(invalid.name): \(invalid.reason)")) }
        for copy in outcome.duplicates {
            job.emit(.skippedSample(id: copy.id))
            record.warn("\(copy.name): is a copy of \(copy.of) and not used")
        }
        for line in outcome.warnings { record.warn(line) }
        record.publish()
    }

    /// Reduces the photos' working size to keep within the memory budget, and reports it.
    private func fit(_ photos: inout [Photo]) throws -> MemoryPlan {
        let plan = MemoryPlan(
            sizes: photos.map(\.storedSize), areReducible: photos.allSatisfy(\.facts.isReducible), budget: configuration.memoryLimit,
            threads: runner.parallel.threads, depthDimension: job.depthDimension,
            textureDimension: job.modelLimits.values.map(\.textureDimension).max() ?? 0,
            triangles: job.modelLimits.values.map(\.triangles).max() ?? 0, features: configuration.featureSensitivity.detection.maximumCount
        )
        featureLimit = plan.featureLimit
        for index in photos.indices { photos[index].resize(to: photos[index].storedSize.reduced(maximumSide: plan.photoDimension)) }
        let reduced = photos.filter { $0.size != $0.storedSize }.count
        if reduced > 0 {
            job.emit(.automaticDownsampling)
            record.warn(
                "\(reduced) photos are used at \(plan.photoDimension) pixels on the longer side, to keep within \(plan.budget >> 20) MiB")
        }
        if let limit = plan.featureLimit {
            record.warn("At most \(limit) features of each photo are used, to keep within \(plan.budget >> 20) MiB")
        }
        if !plan.fits {
            record.warn("\(plan.needed >> 20) MiB of memory may be needed, more than the \(plan.budget >> 20) MiB that are allowed")
        }
        runner.replan(
            job.workPlan(job.costs(sizes: photos.map(\.size), threads: runner.parallel.threads, featureLimit: plan.featureLimit)))
        try checkStorage(photos, depthDimension: plan.depthDimension)
        return plan
    }

    /// Features at 140 bytes each; by photo two depth maps of 9 bytes per pixel and an undistorted view of 4; and the points.
    private func checkStorage(_ photos: [Photo], depthDimension: Int) throws {
        let pixels = photos.reduce(0) { $0 + $1.size.reduced(maximumSide: depthDimension).pixels }
        let required = Int64(photos.count * 1_200_000 + pixels * 28)
        guard let free = resources.store.freeBytes, free < required else { return }
        throw PhotogrammetrySession.Error.insufficientStorage(requiredBytes: required)
    }
}

// MARK: Alignment

/// The aligned photos: the input of the dense stages.
struct PhotoAlignment {
    let photos: [Photo]
    let detected: DetectedFeatures
    let placement: Placement
    let placed: AlignedScene<PlacedFrame>
    /// nil for photos of one rigid scene.
    let passes: AlignedPasses?

    /// The features of each photo.
    var features: [Artifact<PhotoFeatures>] { detected.features }
    /// nil if the photos show more than the object.
    var masks: ObjectMasks? { detected.masks }
}

/// The features and masks of the photos.
struct DetectedFeatures {
    /// The features of each photo.
    let features: [Artifact<PhotoFeatures>]
    /// The positions of the features of each photo, in pixels of the working size.
    let positions: [[SIMD2<Float>]]
    /// nil if the photos show more than the object.
    let masks: ObjectMasks?
    /// The fraction of the photos' pixels that their masks keep; 1 if it is not known.
    var masked = 1.0
}

/// The source of masks that nearly all photos have.
enum ObjectMasks: Sendable {
    /// At least some of the masks came with the photos.
    case given
    /// All masks show the region in which the object turns in front of a static background.
    case turningRegion

    /// The margin of the masks: see `DepthFusion.Options.maskMargin`.
    var margin: Double {
        switch self {
        // Drawn outlines are off by a pixel or two.
        case .given: 1.0 / 200
        // The region is grown by a pixel.
        case .turningRegion: -1.0 / 640
        }
    }
}

/// The means of the features of the photos so far, and of the fraction of their pixels that their masks keep.
private final class FeatureMean: Sendable {
    private let state = Mutex((photos: 0, features: 0.0, masked: 0.0))

    var masked: Double { state.withLock { $0.photos == 0 ? 1 : $0.masked / Double($0.photos) } }

    /// - Returns: The means, once for every eight photos.
    func adding(_ photo: PhotoFeatures) -> (features: Double, masked: Double)? {
        let masked = photo.mask?.coverage ?? 1
        return state.withLock { state in
            state = (state.photos + 1, state.features + Double(photo.features.count), state.masked + masked)
            let photos = Double(state.photos)
            return state.photos % 8 == 0 ? (state.features / photos, state.masked / photos) : nil
        }
    }
}

extension ReconstructionPipeline {
    /// Aligns the photos.
    ///
    /// - Parameter isKnown: Whether the features are in the checkpoint, and their positions are not needed.
    func align(_ photos: [Photo], isKnown: Bool = false) throws -> PhotoAlignment {
        let detected = isKnown ? try knownFeatures(photos) : try detectFeatures(photos)
        var aligner = PhotoAligner(
            photos: photos, features: detected.features, isMasked: detected.masks != nil,
            background: Self.staticBackground(photos, detected.masks), job: job, runner: runner, record: record)
        if !isKnown {
            aligner.whenMatched = { [job, runner] connected in
                let costs = job.costs(
                    sizes: photos.map(\.size), threads: runner.parallel.threads, features: Self.meanCount(detected.positions),
                    registered: connected.map { photos[$0].size }, masked: detected.masked)
                runner.replan(job.workPlan(costs))
            }
        }
        let aligned = try aligner.align()
        let placed = AlignedScene<PlacedFrame>(
            model: aligned.model, placement: aligned.placement, keepsScene: configuration.ignoreBoundingBox,
            searchesEverywhere: job.requests.contains { $0.geometry?.orientedBounds != nil })
        return PhotoAlignment(
            photos: photos, detected: detected, placement: aligned.placement, placed: placed, passes: aligned.passes)
    }

    private func detectFeatures(_ photos: [Photo]) throws -> DetectedFeatures {
        defer { resources.pixels.discardKept() }
        return try runner.step(.features) { context, wasRestored in
            let inputs = featureInputs(photos, try learnBackground(photos, context))
            let (done, mean, resources, tracker, job) = (Counter(), FeatureMean(), resources, tracker, job)
            let (sizes, threads) = (photos.map(\.size), runner.parallel.threads)
            let results = context.parallel.map(photos.count) { index in
                defer { context.report(Double(done.next()) / Double(photos.count)) }
                return Result { () throws -> (positions: [SIMD2<Float>], wasRestored: Bool) in
                    try context.checkCancellation()
                    let output = try resources.output(of: FeatureStage.self, inputs[index], in: context.singleThreaded)
                    if let means = mean.adding(output.value) {
                        tracker.replan(
                            job.workPlan(job.costs(sizes: sizes, threads: threads, features: means.features, masked: means.masked)))
                    }
                    return (output.value.features.positions, output.wasRestored)
                }
            }
            let positions = try results.map { result in
                let value = try result.get()
                wasRestored = wasRestored || value.wasRestored
                return value.positions
            }
            for (photo, positions) in zip(photos, positions) { record.updatePhoto(photo.id) { $0.features = positions.count } }
            return DetectedFeatures(
                features: inputs.map { FeatureStage.artifact(for: $0) }, positions: positions, masks: Self.masks(inputs),
                masked: mean.masked)
        }
    }

    /// The features as `detectFeatures` gives them, without their positions and without loading them.
    private func knownFeatures(_ photos: [Photo]) throws -> DetectedFeatures {
        let inputs = featureInputs(photos, try learnBackground(photos, StageContext(parallel: runner.parallel)))
        return DetectedFeatures(
            features: inputs.map { FeatureStage.artifact(for: $0) }, positions: photos.map { _ in [] }, masks: Self.masks(inputs))
    }

    /// The inputs of the feature stage, one per photo.
    func featureInputs(_ photos: [Photo], _ background: BackgroundModel?) -> [FeatureStage.Input] {
        photos.enumerated().map { index, photo in
            FeatureStage.Input(
                index: index, photo: photo.reference, mask: photo.mask, background: photo.mask == nil ? background?[index] : nil,
                sensitivity: configuration.featureSensitivity, limit: featureLimit)
        }
    }

    /// nil unless nearly all photos have given masks or a static background.
    static func masks(_ inputs: [FeatureStage.Input]) -> ObjectMasks? {
        // A plain background may leave parts of a table: its plane is still cut off. Before a static one all that turns is the object, except a plain
        // turntable (`BaseJudge.continues`).
        let given = inputs.count { $0.mask != nil }
        let turning = inputs.count { input in
            guard input.mask == nil, case .staticScene = input.background else { return false }
            return true
        }
        guard 10 * (given + turning) >= 9 * inputs.count else { return nil }
        return given == 0 ? .turningRegion : .given
    }

    /// The background that segments the object before the alignment; nil if there are masks, masking is off, or there is no such background.
    func learnBackground(_ photos: [Photo], _ context: StageContext) throws -> BackgroundModel? {
        guard configuration.isObjectMaskingEnabled, !configuration.ignoreMasks, photos.contains(where: { $0.mask == nil }) else {
            return nil
        }
        let background = try resources.output(of: BackgroundStage.self, Self.backgroundInput(photos), in: context).value
        if let background { record.update { $0.settings.append(("background", background.kind.text)) } }
        return background
    }

    private static func backgroundInput(_ photos: [Photo]) -> BackgroundStage.Input {
        let skies = photos.map { photo in
            photo.facts.exposureValue.flatMap { Sky(exposureValue: $0, orientation: photo.facts.orientation) }
        }
        return BackgroundStage.Input(thumbnails: photos.map(\.facts.thumbnail), skies: skies)
    }

    /// The static background that made all masks; nil if there is none.
    static func staticBackground(_ photos: [Photo], _ masks: ObjectMasks?) -> Artifact<BackgroundModel?>? {
        guard case .turningRegion = masks else { return nil }
        return BackgroundStage.artifact(for: backgroundInput(photos))
    }

    /// Adds the cameras and the object's bounds to the summary.
    private func describe(_ scene: AlignedScene<ModelFrame>, _ alignment: PhotoAlignment) {
        let stored = ReconstructionSummary.Alignment(
            alignment.photos, model: scene.model, featurePositions: alignment.detected.positions)
        for photo in scene.model.registered {
            guard let camera = stored.model.cameras[photo] else { continue }
            record.updatePhoto(alignment.photos[photo].id) { $0.pose = PhotogrammetrySession.Pose(camera) }
        }
        record.update { summary in
            // The surface points may show a support plane that the placement does not know.
            let isLevelled = scene.supportPlane != nil && alignment.placement.object.supportPlane == nil
            summary.upSource = (isLevelled ? .supportPlane : alignment.placement.object.upSource).text
            summary.scaleSource = alignment.placement.object.scaleSource.text
            summary.isMetric = alignment.placement.isMetric
            summary.bounds = scene.axisAlignedBounds
            summary.alignment = stored
        }
        record.publish()
    }

    private func deliver(_ scene: AlignedScene<ModelFrame>) {
        requests.complete(.poses, .poses(PhotogrammetrySession.Poses(record.current)))
        requests.complete(.bounds, .bounds(scene.axisAlignedBounds))
    }
}

// MARK: Points

/// The scene in the model's frame, and the transform to it.
struct SettledScene {
    let aligned: AlignedScene<ModelFrame>
    let modelFromPlaced: FrameTransform<PlacedFrame, ModelFrame>?
    /// Whether the support plane was found in the surface points: see `DenseSupportPlane`.
    var isSupportDense = false
}

extension ReconstructionPipeline {
    /// Estimates depth in every photo and fuses the maps.
    ///
    /// - Parameter shares: For the progress.
    private func estimatePoints(
        _ alignment: PhotoAlignment, _ views: ViewPlan, _ memory: MemoryPlan, _ shares: DepthShares
    ) throws -> Artifact<OrientedPoints> {
        guard views.stereoPhotos.count >= 2 else {
            throw ReconstructionError.noSurface("only \(views.stereoPhotos.count) photos show enough of the object")
        }
        let maps = try runner.step(.depth) { context, wasRestored in
            try estimateDepth(views, memory, shares, context, &wasRestored)
        }
        let fusion = fusionInput(alignment, views, maps.map(\.artifact), memory)
        let points = try runner.run(FusionStage.self, fusion, as: .fusion)
        for (photo, map) in zip(views.stereoPhotos, maps) {
            record.updatePhoto(alignment.photos[photo].id) { $0.depthCoverage = map.coverage }
        }
        record.update { $0.densePoints = points.count }
        record.publish()
        try Self.checkCount(of: points)
        return FusionStage.artifact(for: fusion)
    }

    func fusionInput(
        _ alignment: PhotoAlignment, _ views: ViewPlan, _ maps: [Artifact<DepthMap>], _ memory: MemoryPlan
    ) -> FusionStage.Input {
        FusionStage.Input(
            views: views.stereoViews, maps: maps, sources: views.sources, bounds: alignment.placed.searchBounds,
            tables: alignment.passes?.tables(of: views.stereoPhotos) ?? [],
            maskMargin: alignment.masks?.margin, isOnTurntable: alignment.placement.object.upSource == .turntable,
            memory: memory.fusionBytes, blocks: fusionBlocks(alignment, memory), mostPoints: memory.mostPoints)
    }

    private func fusionBlocks(_ alignment: PhotoAlignment, _ memory: MemoryPlan) -> [DepthFusion.Block] {
        let placed = alignment.placed
        let count = FusionBlockStage.largestCount(
            alignment.photos.map(\.storedSize), depthDimension: job.depthDimension, searched: placed.searchedFraction,
            memory: memory, wanted: configuration.fusionBlockCount)
        guard count > 1 else { return [] }
        return DepthFusion.blocks(placed.model.points.map(\.position).filter { placed.searchBounds?.contains($0) ?? true }, count: count)
    }

    /// Checks the number of points.
    ///
    /// - Throws: `ReconstructionError.noSurface` for too few points.
    static func checkCount(of points: OrientedPoints) throws {
        guard points.count >= 500 else {
            throw ReconstructionError.noSurface(
                "the photos agree on only \(points.count) points: the object may be too plain, shiny or moving, or its photos too far apart"
            )
        }
    }

    /// Estimates depth on the configuration's device. The maps of all photos are of one device.
    private func estimateDepth(
        _ views: ViewPlan, _ memory: MemoryPlan, _ shares: DepthShares, _ context: StageContext, _ wasRestored: inout Bool
    ) throws -> [(artifact: Artifact<DepthMap>, coverage: Double)] {
        do {
            return try resources.depthGPU.run(configuration.computeDevice, in: context) {
                try estimateDepth(views, memory, onGPU: $0, shares, context, &wasRestored)
            }
        } catch let error as DenseGPUError {
            throw ReconstructionError.noSurface(error.description)
        }
    }

    private func estimateDepth(
        _ views: ViewPlan, _ memory: MemoryPlan, onGPU: Bool, _ shares: DepthShares, _ context: StageContext,
        _ wasRestored: inout Bool
    ) throws -> [(artifact: Artifact<DepthMap>, coverage: Double)] {
        let passes = DepthPasses(views, onGPU: onGPU)
        return try withLanes(memory, views, onGPU: onGPU) { lanes in
            try passes.prepareViews(with: resources, in: context.part(from: 0, to: shares.views))
            let (first, second) = (context.part(from: shares.views, to: shares.firstPass), context.part(from: shares.firstPass, to: 1))
            if try passes.estimateFirst(in: passes.photos, on: lanes, with: resources, in: first) {
                wasRestored = true
            }
            let maps = try passes.refine(in: passes.photos, on: lanes, with: resources, in: second)
            if maps.contains(where: \.wasRestored) { wasRestored = true }
            return zip(passes.maps, maps).map { ($0, $1.coverage) }
        }
    }

    /// Prepares the memory for the depth of several photos at once.
    ///
    /// - Parameter body: Its parameter is the number of photos at once.
    func withLanes<Result>(_ memory: MemoryPlan, _ views: ViewPlan, onGPU: Bool, _ body: (Parallel) throws -> Result) rethrows -> Result {
        let lanes = Parallel(threads: memory.photosAtOnce(isOnGPU: onGPU))
        resources.views.prepare(budget: memory.viewBytes(photosAtOnce: lanes.threads), siblings: views.siblings)
        return try body(lanes)
    }

    /// Determines the model's frame from the object's surface points.
    func settle(_ alignment: PhotoAlignment, _ points: Artifact<OrientedPoints>) throws -> SettledScene {
        // If the whole scene is kept, the points do not refine the object's box.
        guard let box = alignment.placed.bounds else {
            return SettledScene(aligned: alignment.placed.settled(by: nil), modelFromPlaced: nil)
        }
        let size: Double? = if case .size(let metres) = configuration.scale { metres } else { alignment.placement.isMetric ? nil : 1 }
        let object = alignment.placement.object
        var input = FramingStage.Input(
            points: points, box: box, supportPlane: alignment.placed.supportPlane,
            isView: object.subject == .view, size: size, standsOnBottom: object.standsOnBottom, isMasked: alignment.masks != nil)
        let isUnsupported = object.warnings.contains(ObjectFinder.noSupportWarning)
        if isUnsupported, object.upSource != .unknown, alignment.masks == nil {
            let model = alignment.placed.model
            input.eyes = model.registered.compactMap { model.cameras[$0]?.centerInWorld }
        }
        let cancellation = job.cancellation
        let context = StageContext(parallel: runner.parallel, isCancelled: { cancellation.isRaised })
        let framing = try resources.output(of: FramingStage.self, input, in: context).value
        if isUnsupported, framing?.supportPlane == nil { record.warn(ObjectFinder.noSupportWarning) }
        return SettledScene(
            aligned: alignment.placed.settled(by: framing), modelFromPlaced: framing?.modelFromPlaced,
            isSupportDense: framing?.supportPlane != nil)
    }

    private func deliver(_ points: Artifact<OrientedPoints>, _ scene: SettledScene) throws {
        let placed = try resources.load(points)
        let cloud = PhotogrammetrySession.PointCloud(scene.modelFromPlaced.map { placed.moved(by: $0) } ?? placed)
        record.update { $0.cloudSample = cloud.sample(20_000) }
        requests.complete(.pointCloud, .pointCloud(cloud))
    }
}
