import Foundation
import VitrineFiles
import VitrineVision

/// One `process` call: what is asked for, and where answers go.
struct ReconstructionJob: Sendable {
    let input: PhotogrammetrySession.Input
    let configuration: PhotogrammetrySession.Configuration
    let requests: [PhotogrammetrySession.Request]
    let cancellation: CancellationFlag
    let emit: @Sendable (PhotogrammetrySession.Output) -> Void
    let summarize: @Sendable (ReconstructionSummary) -> Void

    /// Does all the work on the calling thread.
    ///
    /// - Returns: false when it was cancelled.
    func run() -> Bool {
        do {
            let worker = try ReconstructionWorker(self)
            defer { worker.finish() }
            do {
                try worker.run()
            } catch {
                // What stops the work is the error of every request that still waits.
                if cancellation.isRaised { return false }
                worker.failRemaining(error)
            }
            return !cancellation.isRaised
        } catch {
            for request in requests { emit(.requestError(request, error)) }
            return !cancellation.isRaised
        }
    }
}

/// The state of a job while it runs. Lives on one thread.
final class ReconstructionWorker {
    let job: ReconstructionJob
    let parallel: Parallel
    let store: CheckpointStore
    let tracker: StepTracker
    let began = ContinuousClock.now
    var summary = ReconstructionSummary()
    /// Requests that have neither result nor error; indices into `job.requests`.
    var waiting: [Int]
    /// By photo and feature, pixels of the working size.
    var featurePositions: [[SIMD2<Float>]] = []
    /// Settled once the photos' sizes are known.
    var memory: MemoryPlan
    /// Set by a step's body when its result came out of the checkpoint.
    var stepWasRestored = false

    var configuration: PhotogrammetrySession.Configuration { job.configuration }
    var cancellation: CancellationFlag { job.cancellation }

    init(_ job: ReconstructionJob) throws {
        self.job = job
        parallel = Parallel(threads: job.configuration.threads)
        store = try CheckpointStore(folder: job.configuration.checkpointDirectory)
        waiting = Array(job.requests.indices)
        let limits = ReconstructionWorker.modelLimits(job)
        memory = MemoryPlan(sizes: [], budget: .max, threads: parallel.threads, depthDimension: 0, textureDimension: 0)
        let guessed = Array(repeating: PhotoSize(width: 1600, height: 1200), count: ReconstructionWorker.sampleCount(job.input))
        tracker = StepTracker(
            plan: .plan(for: job.requests, sizes: guessed, limits: limits, threads: parallel.threads), requests: job.requests,
            emit: job.emit)
        summary.settings = SettingsDescription(job).lines
    }

    private static func sampleCount(_ input: PhotogrammetrySession.Input) -> Int {
        switch input {
        case .folder(let url): (try? PhotoFolder(url, masks: nil).entries.count) ?? 0
        case .samples(let samples): samples.count
        }
    }

    /// The limits of each request that wants a model, by its index.
    static func modelLimits(_ job: ReconstructionJob) -> [Int: DetailLimits] {
        var result: [Int: DetailLimits] = [:]
        for (index, request) in job.requests.enumerated() {
            guard let detail = request.detail else { continue }
            result[index] = .limits(of: detail, custom: job.configuration.customDetailSpecification)
        }
        return result
    }

    // MARK: Steps

    /// Runs `body` as a step: timed, its memory measured, its progress told.
    func step<Result>(
        _ step: WorkPlan.Step, name: String? = nil, _ body: (_ progress: @escaping @Sendable (Double) -> Void) throws -> Result
    ) throws -> Result {
        try cancellation.check()
        ProcessMemory.resetPeak()
        stepWasRestored = false
        tracker.begin(step)
        let tracker = self.tracker
        let result = try body { tracker.progress(step, $0) }
        let seconds = tracker.finish(step, wasRestored: stepWasRestored)
        summary.steps.append(
            .init(
                name: name ?? step.name, stage: step.stage, seconds: seconds, peakMemory: ProcessMemory.peak, wasRestored: stepWasRestored))
        publish()
        try cancellation.check()
        return result
    }

    /// The result of an earlier run, else that of `body`, which is then kept.
    func restored<Value: CheckpointValue>(_ name: String, key: Digest, _ body: () throws -> Value) throws -> Value {
        if let value: Value = store.load(name, key: key) {
            stepWasRestored = true
            return value
        }
        let value = try body()
        try cancellation.check()
        try store.save(value, as: name, key: key)
        return value
    }

    func publish() {
        summary.seconds = (ContinuousClock.now - began).seconds
        job.summarize(summary)
    }

    /// Says it once: models of one session share most of what there is to say.
    func warn(_ text: String) { if !summary.warnings.contains(text) { summary.warnings.append(text) } }

    // MARK: Requests

    func complete(_ index: Int, _ result: PhotogrammetrySession.Result) {
        tracker.close(index)
        waiting.removeAll { $0 == index }
        publish()
        job.emit(.requestComplete(job.requests[index], result))
    }

    func fail(_ index: Int, _ error: any Error) {
        tracker.close(index)
        waiting.removeAll { $0 == index }
        publish()
        job.emit(.requestError(job.requests[index], error))
    }

    func failRemaining(_ error: any Error) { for index in waiting { fail(index, error) } }

    /// Those of the waiting requests that `matches` takes.
    func waiting(_ matches: (PhotogrammetrySession.Request) -> Bool) -> [Int] { waiting.filter { matches(job.requests[$0]) } }

    func finish() {
        publish()
        store.removeIfTemporary()
    }
}

extension WorkPlan {
    /// - Parameter depthShare: see `CostModel.depthShare`; before it is known, what is usual.
    static func plan(
        for requests: [PhotogrammetrySession.Request], sizes: [PhotoSize], limits: [Int: DetailLimits], depthShare: Double = 0.75,
        threads: Int
    ) -> WorkPlan {
        let depthDimension = PipelineSettings.depthDimension(requests: requests, limits: limits)
        let costs = CostModel(
            sizes: sizes, featureDimension: PipelineSettings.featureDimension, depthDimension: depthDimension, depthShare: depthShare,
            threads: threads)
        let all = Set(requests.indices)
        let dense = Set(requests.indices.filter { requests[$0].needsDepth })
        var items: [Item] = [
            Item(step: .intake, cost: costs.intake, requests: all), Item(step: .features, cost: costs.features, requests: all),
            Item(step: .matching, cost: costs.matching, requests: all), Item(step: .mapping, cost: costs.mapping, requests: all),
            Item(step: .placement, cost: costs.placement, requests: all),
        ]
        if !dense.isEmpty {
            items.append(Item(step: .depth, cost: costs.depth, requests: dense))
            items.append(Item(step: .fusion, cost: costs.fusion, requests: dense))
        }
        for group in modelGroups(requests) {
            guard let first = group.first, let limits = limits[first] else { continue }
            items.append(Item(step: .surface(first), cost: costs.surface, requests: Set(group)))
            items.append(Item(step: .texture(first), cost: costs.texture(limits), requests: Set(group)))
            for index in group { items.append(Item(step: .write(index), cost: costs.write(limits), requests: [index])) }
        }
        return WorkPlan(items: items)
    }

    /// Requests for the same model in several files: indices, in the order of the first of each.
    static func modelGroups(_ requests: [PhotogrammetrySession.Request]) -> [[Int]] {
        var groups: [[Int]] = []
        for (index, request) in requests.enumerated() {
            guard let detail = request.detail else { continue }
            let place = groups.firstIndex { group in
                let other = requests[group[0]]
                return other.detail == detail && other.geometry?.orientedBounds == request.geometry?.orientedBounds
            }
            if let place { groups[place].append(index) } else { groups.append([index]) }
        }
        return groups
    }
}

extension PhotogrammetrySession.Request {
    /// Whether depth has to be measured for it.
    var needsDepth: Bool {
        switch self {
        case .modelFile, .modelEntity, .pointCloud: true
        case .bounds, .poses: false
        }
    }
}

/// Choices that follow from what is asked for.
enum PipelineSettings {
    /// Features are looked for at most at this size, pixels on the longer side.
    static let featureDimension = 2_400

    /// How finely depth is measured for all requests together: as the most detailed asks.
    static func depthDimension(requests: [PhotogrammetrySession.Request], limits: [Int: DetailLimits]) -> Int {
        let wanted = requests.indices.compactMap { limits[$0]?.depthDimension }
        return wanted.max() ?? 640
    }
}
