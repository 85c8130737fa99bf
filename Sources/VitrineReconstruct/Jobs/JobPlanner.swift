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

    private var job: ReconstructionJob {
        ReconstructionJob(
            input: .samples([]), configuration: configuration, requests: requests, cancellation: CancellationFlag(), emit: { _ in },
            summarize: { _ in })
    }

    private func tasks(outputs: [String]) -> [JobTask] {
        let memory = MemoryPlan(
            sizes: sizes, budget: configuration.memoryLimit, threads: threads, depthDimension: job.depthDimension,
            textureDimension: job.modelLimits.values.map(\.textureDimension).max() ?? 0,
            triangles: job.modelLimits.values.map(\.triangles).max() ?? 0, features: configuration.featureSensitivity.detection.maximumCount
        )
        let costs = job.costs(sizes: sizes, threads: threads, featureLimit: memory.featureLimit)
        let (all, blocks) = (sizes.count, max(1, (sizes.count + photosPerBlock - 1) / photosPerBlock))
        let features = memory.alignment
        let block = (150 << 20) + min(memory.stage, memory.budget)
        let usesGPU = configuration.computeDevice == .gpu
        let depthBlock = (150 << 20) + min(memory.depthStage(isOnGPU: usesGPU), memory.budget)
        var tasks: [JobTask] = []
        func names(_ kind: JobTask.Kind) -> [String] { tasks.filter { $0.kind == kind }.map(\.name) }
        func add(
            _ kind: JobTask.Kind, _ count: Int? = nil, after: [JobTask.Kind], reads: (Int) -> [String] = { _ in [] },
            writes: (Int) -> [String], seconds: Double, memory: Int
        ) {
            let needs = after.flatMap { names($0) }
            for number in 0..<(count ?? 1) {
                tasks.append(
                    JobTask(
                        name: count == nil ? kind.rawValue : "\(kind.rawValue)-\(number)", kind: kind, block: number, needs: needs,
                        inputs: reads(number), outputs: writes(number),
                        seconds: ((seconds / Double(count ?? 1) + Self.start) * 10).rounded(.up) / 10, memoryMb: memory / 1_000_000 + 1,
                        threads: threads, gpus: usesGPU && Self.onGPU.contains(kind) ? 1 : 0))
            }
        }
        func files(_ stem: String, _ number: Int) -> [String] {
            (number * photosPerBlock..<min(all, (number + 1) * photosPerBlock)).map { "results/\(stem)-\($0).bin" }
        }
        add(
            .photos, blocks, after: [], reads: { _ in ["inputs/*"] }, writes: { ["results/digests-\($0).bin"] + files("photo", $0) },
            seconds: costs.intake, memory: block)
        add(.background, after: [.photos], writes: { _ in ["results/background.bin"] }, seconds: 1, memory: (150 << 20) + all * 400_000)
        add(.features, blocks, after: [.background], writes: { files("features", $0) }, seconds: costs.detection, memory: block)
        add(.pairs, after: [.features], writes: { _ in ["results/pairs.bin"] }, seconds: 0.01 * Double(all), memory: features)
        add(
            .matches, pairBlocks, after: [.pairs], writes: { ["results/matches-\($0).bin"] }, seconds: costs.matching, memory: features)
        let submaps =
            configuration.camerasFile == nil ? SubmapStage.largestCount(photos: all, size: configuration.submapPhotoCount) : 0
        if submaps > 0 {
            add(
                .submaps, after: [.matches], writes: { _ in ["results/matches.bin", "results/submaps.bin"] }, seconds: 1, memory: features)
            add(
                .submap, submaps, after: [.submaps], writes: { ["results/cameras-submap-\($0).bin"] },
                seconds: 0.5 * costs.mapping, memory: (150 << 20) + 2 * features / submaps)
        }
        add(
            .cameras, after: submaps > 0 ? [.submap] : [.matches], reads: { _ in ["inputs/*"] },
            writes: { _ in
                ["results/matches.bin", "results/cameras*.bin", "results/placement*.bin", "results/passes.bin", "results/joined.bin"]
            },
            seconds: costs.mapping * (submaps > 0 ? 0.5 : 1) + costs.placement, memory: features)
        var last: [JobTask.Kind] = [.cameras]
        let spaces = FusionBlockStage.largestCount(
            sizes, depthDimension: job.depthDimension, memory: memory, wanted: configuration.fusionBlockCount)
        // Of 130 photos of a scene a third of the pixels became points.
        let pixels = sizes.reduce(0) { $0 + $1.reduced(maximumSide: job.depthDimension).pixels }
        let points = min(memory.mostPoints, pixels / 2)
        if requests.contains(where: \.needsDepth) {
            add(
                .views, blocks, after: [.cameras], writes: { files("view", $0).map { $0.replacing(".bin", with: "-*.bin") } },
                seconds: costs.intake, memory: block)
            add(
                .depthFirst, blocks, after: [.views], writes: { files("depth-first", $0) }, seconds: 0.2 * costs.depth, memory: depthBlock)
            add(.depth, blocks, after: [.depthFirst], writes: { files("depth", $0) }, seconds: 0.8 * costs.depth, memory: depthBlock)
            if spaces > 0 {
                add(
                    .fusion, spaces, after: [.depth], writes: { ["results/points-\($0).bin"] }, seconds: costs.fusion,
                    memory: (150 << 20) + 75 * memory.blockPixels + memory.fusionBytes)
            }
            add(
                .points, after: spaces > 0 ? [.fusion] : [.depth], writes: { _ in ["results/points.bin", "results/framing.bin"] },
                seconds: spaces > 0 ? 1 : costs.fusion,
                // Depth maps and photos take 12 bytes for each pixel.
                memory: max(block, points * 130 + (spaces > 0 ? 0 : (150 << 20) + min(memory.fusionBytes, 12 * pixels))))
            last = [.points]
        }
        let groups = job.modelGroups
        if !groups.isEmpty {
            let limits = groups.compactMap { job.modelLimits[$0[0]] }
            let levels = groups.map { requests[$0[0]].detail?.rawValue ?? "" }
            add(
                .surface, groups.count, after: [.points], writes: { ["results/surface-\(levels[$0]).bin"] },
                seconds: costs.surface * Double(groups.count),
                memory: max(block, (150 << 20) + memory.surfaceBytes(points: points)))
            let seconds = limits.map { costs.texture($0) }
            let places = job.texturePages.enumerated().filter { $0.element > 1 }.map { (model: $0.offset, pages: $0.element) }
            let pages = places.flatMap { place in (0..<place.pages).map { (model: place.model, page: $0) } }
            if !pages.isEmpty {
                let paged = places.reduce(0) { $0 + seconds[$1.model] }
                add(
                    .texturePlan, places.count, after: [.surface], writes: { ["results/texture-plan-\(levels[places[$0].model]).bin"] },
                    seconds: 0.4 * paged, memory: block)
                add(
                    .texturePage, pages.count, after: [.texturePlan],
                    writes: { ["results/texture-page-\(levels[pages[$0].model])-\(pages[$0].page).bin"] }, seconds: 0.5 * paged,
                    memory: block)
            }
            let joined = places.reduce(0) { $0 + 0.9 * seconds[$1.model] }
            add(
                .texture, groups.count, after: [.surface, .texturePage], writes: { ["results/texture-\(levels[$0]).bin"] },
                seconds: seconds.reduce(0, +) - joined, memory: block)
            last = [.texture]
        }
        let writing = job.modelLimits.values.reduce(1) { $0 + costs.write($1) }
        add(.write, after: last, reads: { _ in ["inputs/*"] }, writes: { _ in outputs }, seconds: writing, memory: block)
        return tasks
    }

    /// The kinds that use the configuration's GPU. Their seconds are those of a processor: no hardware GPU was measured.
    private static let onGPU: Set<JobTask.Kind> = [.matches, .depthFirst, .depth]
    /// Seconds to start a process and to read the facts of the photos.
    private static let start = 0.3
}

extension PhotoMatcher.Options {
    /// The largest number of pairs that are selected.
    func largestPairCount(photos: Int, ordering: PhotoOrdering) -> Int {
        let all = photos * (photos - 1) / 2
        if ordering == .sequential { return min(all, photos * (sequentialNeighbours + loopCandidates)) }
        return photos <= exhaustiveCount ? all : min(all, photos * (3 + similarPhotos))
    }
}
