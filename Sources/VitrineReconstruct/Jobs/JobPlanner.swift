import VitrineFiles
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Divides a reconstruction into tasks.
package struct JobPlanner {
    private let configuration: PhotogrammetrySession.Configuration
    private let requests: [PhotogrammetrySession.Request]
    private let sizes: [PhotoSize]
    private let photosPerBlock: Int
    private let pairBlocks: Int
    private let threads: Int

    /// The pairs of a block, about ten seconds of work on two cores.
    private static let pairsPerBlock = 400
    /// The largest number of blocks of a stage. More would cost more than they save: each task reads the facts of all photos.
    private static let mostBlocks = 50
    private static let leastPhotosPerBlock = 8

    /// Creates a planner.
    ///
    /// - Parameters:
    ///   - photos: The folder of photos in the job.
    ///   - photosPerBlock: nil chooses a number.
    ///   - pairBlocks: nil chooses a number.
    package init(
        photos: URL, configuration: PhotogrammetrySession.Configuration, requests: [PhotogrammetrySession.Request], photosPerBlock: Int?,
        pairBlocks: Int?
    ) throws {
        try RequestCheck(requests: requests, configuration: configuration).run()
        let entries = try PhotoFolder(photos, masks: configuration.masksDirectory).entries
        // Files that are not photos are detected when they are read.
        sizes = entries.map { entry in
            guard let bytes = try? PixelSource.bytes(of: entry.url),
                let header = try? ImageFile.header(of: bytes, name: entry.url.lastPathComponent)
            else { return PhotoSize(width: 1, height: 1) }
            return PhotoSize(width: header.width, height: header.height)
        }
        guard sizes.count >= 3 else { throw ReconstructionError.tooFewPhotos(usable: sizes.count, unusable: 0) }
        guard sizes.count <= PhotoLimits.photos else {
            throw ReconstructionError.tooManyPhotos(count: sizes.count, limit: PhotoLimits.photos)
        }
        (self.configuration, self.requests) = (configuration, requests)
        threads = Parallel(threads: configuration.threads).threads
        self.photosPerBlock = photosPerBlock ?? max(Self.leastPhotosPerBlock, (sizes.count + Self.mostBlocks - 1) / Self.mostBlocks)
        let pairs = PhotoMatcher.Options().largestPairCount(
            photos: sizes.count, ordering: configuration.sampleOrdering == .sequential ? .sequential : .unordered)
        self.pairBlocks = pairBlocks ?? max(1, min(2 * Self.mostBlocks, pairs / Self.pairsPerBlock))
    }

    /// Returns the plan of a job.
    ///
    /// - Parameter groupSeconds: See `JobTask.groups`.
    package func plan(models: [String], options: [String], outputs: [String], groupSeconds: Double, program: String) -> JobPlan {
        let tasks = tasks(outputs: outputs)
        return JobPlan(
            program: program, models: models, options: options, photos: sizes.count, photosPerBlock: photosPerBlock, pairBlocks: pairBlocks,
            tasks: tasks, groups: JobTask.groups(tasks, seconds: groupSeconds))
    }

    // MARK: Tasks

    /// Bytes of a process without the data of its task.
    private static let processBytes = 150 << 20

    /// What the tasks are estimated to need.
    private struct Estimates {
        let job: ReconstructionJob
        let memory: MemoryPlan
        let costs: CostModel
        /// Bytes of a task that reads some of the photos, and of one that estimates their depth.
        let block, depthBlock: Int
        /// Bytes of a task that reads the features of all photos.
        var features: Int { memory.alignment }
    }

    private var estimates: Estimates {
        let job = ReconstructionJob(
            input: .samples([]), configuration: configuration, requests: requests, cancellation: CancellationFlag(), emit: { _ in },
            summarize: { _ in })
        let memory = MemoryPlan(
            sizes: sizes, budget: configuration.memoryLimit, threads: threads, depthDimension: job.depthDimension,
            textureDimension: job.modelLimits.values.map(\.textureDimension).max() ?? 0,
            triangles: job.modelLimits.values.map(\.triangles).max() ?? 0, features: configuration.featureSensitivity.detection.maximumCount
        )
        return Estimates(
            job: job, memory: memory, costs: job.costs(sizes: sizes, threads: threads, featureLimit: memory.featureLimit),
            block: Self.processBytes + min(memory.stage, memory.budget),
            depthBlock: Self.processBytes + min(memory.depthStage(isOnGPU: usesGPU), memory.budget))
    }

    private var usesGPU: Bool { configuration.computeDevice == .gpu }
    private var blocks: Int { max(1, (sizes.count + photosPerBlock - 1) / photosPerBlock) }

    /// The results of a block, one for each of its photos.
    private func files(_ stem: String, _ block: Int) -> [String] {
        (block * photosPerBlock..<min(sizes.count, (block + 1) * photosPerBlock)).map { "results/\(stem)-\($0).bin" }
    }

    private func tasks(outputs: [String]) -> [JobTask] {
        let estimates = estimates
        var list = TaskList(threads: threads, onGPU: usesGPU ? Self.onGPU : [])
        addFeatures(to: &list, estimates)
        addCameras(to: &list, estimates)
        if requests.contains(where: \.needsDepth) { addDepth(to: &list, estimates) }
        if !estimates.job.modelGroups.isEmpty { addModels(to: &list, estimates) }
        let last: JobTask.Kind = list.has(.texture) ? .texture : list.has(.points) ? .points : .cameras
        list.add(
            .write, after: [last], reads: { _ in ["inputs/*"] }, writes: { _ in outputs },
            seconds: estimates.job.modelLimits.values.reduce(1) { $0 + estimates.costs.write($1) }, memory: estimates.block)
        return list.tasks
    }

    private func addFeatures(to list: inout TaskList, _ estimates: Estimates) {
        let (costs, block, all) = (estimates.costs, estimates.block, sizes.count)
        list.add(
            .photos, blocks, after: [], reads: { _ in ["inputs/*"] }, writes: { ["results/digests-\($0).bin"] + files("photo", $0) },
            seconds: costs.intake, memory: block)
        list.add(
            .background, after: [.photos], writes: { _ in ["results/background.bin"] }, seconds: 1,
            memory: Self.processBytes + all * 400_000)
        list.add(.features, blocks, after: [.background], writes: { files("features", $0) }, seconds: costs.detection, memory: block)
        list.add(
            .pairs, after: [.features], writes: { _ in ["results/pairs.bin"] }, seconds: 0.01 * Double(all), memory: estimates.features)
        list.add(
            .matches, pairBlocks, after: [.pairs], writes: { ["results/matches-\($0).bin"] }, seconds: costs.matching,
            memory: estimates.features)
    }

    private func addCameras(to list: inout TaskList, _ estimates: Estimates) {
        let (costs, features) = (estimates.costs, estimates.features)
        let submaps =
            configuration.camerasFile == nil ? SubmapStage.largestCount(photos: sizes.count, size: configuration.submapPhotoCount) : 0
        if submaps > 0 {
            list.add(
                .submaps, after: [.matches], writes: { _ in ["results/matches.bin", "results/submaps.bin"] }, seconds: 1, memory: features)
            list.add(
                .submap, submaps, after: [.submaps], writes: { ["results/cameras-submap-\($0).bin"] }, seconds: 0.5 * costs.mapping,
                memory: Self.processBytes + 2 * features / submaps)
        }
        list.add(
            .cameras, after: submaps > 0 ? [.submap] : [.matches], reads: { _ in ["inputs/*"] },
            writes: { _ in
                ["results/matches.bin", "results/cameras*.bin", "results/placement*.bin", "results/passes.bin", "results/joined.bin"]
            },
            seconds: costs.mapping * (submaps > 0 ? 0.5 : 1) + costs.placement, memory: features)
    }

    private func addDepth(to list: inout TaskList, _ estimates: Estimates) {
        let (costs, memory, block, depthBlock) = (estimates.costs, estimates.memory, estimates.block, estimates.depthBlock)
        let spaces = FusionBlockStage.largestCount(
            sizes, depthDimension: estimates.job.depthDimension, memory: memory, wanted: configuration.fusionBlockCount)
        list.add(
            .views, blocks, after: [.cameras], writes: { files("view", $0).map { $0.replacing(".bin", with: "-*.bin") } },
            seconds: costs.intake, memory: block)
        list.add(
            .depthFirst, blocks, after: [.views], writes: { files("depth-first", $0) }, seconds: 0.2 * costs.depth, memory: depthBlock)
        list.add(.depth, blocks, after: [.depthFirst], writes: { files("depth", $0) }, seconds: 0.8 * costs.depth, memory: depthBlock)
        if spaces > 0 {
            list.add(
                .fusion, spaces, after: [.depth], writes: { ["results/points-\($0).bin"] }, seconds: costs.fusion,
                memory: Self.processBytes + 75 * memory.blockPixels + memory.fusionBytes)
        }
        let (pixels, points) = pointCounts(estimates)
        list.add(
            .points, after: spaces > 0 ? [.fusion] : [.depth], writes: { _ in ["results/points.bin", "results/framing.bin"] },
            seconds: spaces > 0 ? 1 : costs.fusion,
            // Depth maps and photos take 12 bytes for each pixel.
            memory: max(block, points * 130 + (spaces > 0 ? 0 : Self.processBytes + min(memory.fusionBytes, 12 * pixels))))
    }

    /// The number of pixels of all depth maps, and of points: of 130 photos of a scene a third of the pixels became points.
    private func pointCounts(_ estimates: Estimates) -> (pixels: Int, points: Int) {
        let pixels = sizes.reduce(0) { $0 + $1.reduced(maximumSide: estimates.job.depthDimension).pixels }
        return (pixels, min(estimates.memory.mostPoints, pixels / 2))
    }

    private func addModels(to list: inout TaskList, _ estimates: Estimates) {
        let (job, costs, block, groups) = (estimates.job, estimates.costs, estimates.block, estimates.job.modelGroups)
        let levels = groups.map { requests[$0[0]].detail?.rawValue ?? "" }
        let seconds = groups.compactMap { job.modelLimits[$0[0]] }.map { costs.texture($0) }
        list.add(
            .surface, groups.count, after: [.points], writes: { ["results/surface-\(levels[$0]).bin"] },
            seconds: costs.surface * Double(groups.count),
            memory: max(block, Self.processBytes + estimates.memory.surfaceBytes(points: pointCounts(estimates).points)))
        // Models whose textures are painted in pages.
        let paged = job.texturePages.enumerated().filter { $0.element > 1 }.map { (model: $0.offset, pages: $0.element) }
        let pages = paged.flatMap { model in (0..<model.pages).map { (model: model.model, page: $0) } }
        if !pages.isEmpty {
            let pagedSeconds = paged.reduce(0) { $0 + seconds[$1.model] }
            list.add(
                .texturePlan, paged.count, after: [.surface], writes: { ["results/texture-plan-\(levels[paged[$0].model]).bin"] },
                seconds: 0.4 * pagedSeconds, memory: block)
            list.add(
                .texturePage, pages.count, after: [.texturePlan],
                writes: { ["results/texture-page-\(levels[pages[$0].model])-\(pages[$0].page).bin"] }, seconds: 0.5 * pagedSeconds,
                memory: block)
        }
        let planned = paged.reduce(0) { $0 + 0.9 * seconds[$1.model] }
        list.add(
            .texture, groups.count, after: [.surface, .texturePage], writes: { ["results/texture-\(levels[$0]).bin"] },
            seconds: seconds.reduce(0, +) - planned, memory: block)
    }

    /// The kinds that use the configuration's GPU. Their seconds are those of a processor: no hardware GPU was measured.
    private static let onGPU: Set<JobTask.Kind> = [.matches, .depthFirst, .depth]
}

/// The tasks of a job, in an order in which each follows those that it needs.
private struct TaskList {
    private(set) var tasks: [JobTask] = []
    private let threads: Int
    private let onGPU: Set<JobTask.Kind>

    /// Seconds to start a process and to read the facts of the photos.
    private static let start = 0.3

    init(threads: Int, onGPU: Set<JobTask.Kind>) { (self.threads, self.onGPU) = (threads, onGPU) }

    func has(_ kind: JobTask.Kind) -> Bool { tasks.contains { $0.kind == kind } }

    /// Adds the tasks of a kind.
    ///
    /// - Parameters:
    ///   - count: nil for one task without a number in its name.
    ///   - kinds: The kinds all of whose tasks these need.
    ///   - reads: The input files of a task.
    ///   - writes: The output files of a task.
    ///   - seconds: The estimated time of all of them.
    ///   - memory: Bytes of each.
    mutating func add(
        _ kind: JobTask.Kind, _ count: Int? = nil, after kinds: [JobTask.Kind], reads: (Int) -> [String] = { _ in [] },
        writes: (Int) -> [String], seconds: Double, memory: Int
    ) {
        let needs = kinds.flatMap { kind in tasks.filter { $0.kind == kind }.map(\.name) }
        for number in 0..<(count ?? 1) {
            tasks.append(
                JobTask(
                    name: count == nil ? kind.rawValue : "\(kind.rawValue)-\(number)", kind: kind, block: number, needs: needs,
                    inputs: reads(number), outputs: writes(number),
                    seconds: ((seconds / Double(count ?? 1) + Self.start) * 10).rounded(.up) / 10, memoryMb: memory / 1_000_000 + 1,
                    threads: threads, gpus: onGPU.contains(kind) ? 1 : 0))
        }
    }
}

extension PhotoMatcher.Options {
    /// The largest number of pairs that are selected.
    func largestPairCount(photos: Int, ordering: PhotoOrdering) -> Int {
        let all = photos * (photos - 1) / 2
        if ordering == .sequential { return min(all, photos * (sequentialNeighbours + loopCandidates)) }
        return photos <= exhaustiveCount ? all : min(all, photos * (3 + similarPhotos))
    }
}
