import Foundation
import Synchronization
import Testing
import VitrineTestSupport
import VitrineVision

@testable import VitrineReconstruct

/// Jobs: the tasks of a reconstruction, run apart and in any allowed order, give the bytes of one run.
@Suite(.serialized) struct JobTests {
    private static func requests(_ model: URL) -> [PhotogrammetrySession.Request] {
        [.poses, .bounds, .modelFile(url: model, detail: .custom)]
    }

    private static func configuration(_ checkpoint: URL, blocks: Int?) -> PhotogrammetrySession.Configuration {
        var configuration = TinyCapture.configuration(checkpoint: checkpoint)
        (configuration.fusionBlockCount, configuration.texturePageCount) = (blocks, blocks)
        return configuration
    }

    /// Runs a whole reconstruction on this thread.
    private func reconstruct(_ photos: URL, to model: URL, checkpoint: URL, blocks: Int?) throws {
        let errors = Mutex<[String]>([])
        let job = ReconstructionJob(
            input: .folder(photos), configuration: Self.configuration(checkpoint, blocks: blocks), requests: Self.requests(model),
            cancellation: CancellationFlag(),
            emit: { output in if case .requestError(_, let error) = output { errors.withLock { $0.append("\(error)") } } },
            summarize: { _ in })
        try ReconstructionPipeline(job).run()
        try #require(errors.withLock { $0 }.isEmpty, "\(errors.withLock { $0 })")
    }

    /// A job's folder with the photos.
    private func job(in folder: URL) throws -> JobFolder {
        let job = JobFolder(folder.appendingPathComponent("job"))
        for inner in [job.inputs, job.results, job.outputs] {
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        }
        _ = try TinyCapture.write(to: job.inputs)
        return job
    }

    private func plan(
        _ job: JobFolder, blocks: Int? = nil, device: PhotogrammetrySession.Configuration.ComputeDevice = .cpu
    ) throws -> JobPlan {
        var configuration = Self.configuration(job.results, blocks: blocks)
        configuration.computeDevice = device
        return try JobPlanner(
            photos: job.photos, configuration: configuration,
            requests: Self.requests(job.outputs.appendingPathComponent("model.glb")), photosPerBlock: 4, pairBlocks: 3
        ).plan(models: ["model.glb"], options: [], outputs: ["outputs/model.glb"], groupSeconds: 0, program: "test")
    }

    /// - Parameter threads: With eight, two photos' depth is estimated at once.
    private func runner(_ plan: JobPlan, _ job: JobFolder, blocks: Int? = nil, threads: Int = 2) -> JobRunner {
        var configuration = Self.configuration(job.results, blocks: blocks)
        configuration.threads = threads
        return JobRunner(
            plan, in: job, configuration: configuration,
            requests: Self.requests(job.outputs.appendingPathComponent("model.glb")))
    }

    private func files(_ folder: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            files[name] = try Data(contentsOf: folder.appendingPathComponent(name))
        }
        return files
    }

    @Test func plansNameTasksAfterThoseThatTheyNeed() throws {
        try withTemporaryDirectory { folder in
            let plan = try plan(try job(in: folder))
            var known: Set<String> = []
            for task in plan.tasks {
                #expect(task.needs.allSatisfy { known.contains($0) }, "\(task.name)")
                #expect(known.insert(task.name).inserted)
                #expect(task.seconds > 0 && task.memoryMb > 0 && task.threads == 2 && !task.outputs.isEmpty)
                #expect((task.inputs + task.outputs).allSatisfy { !$0.hasPrefix("/") })
            }
            #expect(plan.photoBlocks == 3)
            #expect(plan.tasks.map(\.kind).count { $0 == .features } == 3)
            #expect(plan.tasks.map(\.kind).count { $0 == .matches } == 3)
            // So few photos have no submaps: scripts/test-jobs.py runs them.
            #expect(
                Set(plan.tasks.map(\.kind))
                    == Set(JobTask.Kind.allCases).subtracting([.submaps, .submap, .fusion, .texturePlan, .texturePage]))
            #expect(try JSONDecoder().decode(JobPlan.self, from: try JSONEncoder().encode(plan)) == plan)
            #expect(plan.groups.map(\.tasks) == plan.tasks.map { [$0.name] })
            #expect(plan.tasks.allSatisfy { $0.gpus == 0 })
        }
    }

    /// Only tasks that use the GPU request one; the surface requests the memory of all points.
    @Test func plansRequestWhatTasksNeed() throws {
        try withTemporaryDirectory { folder in
            let plan = try plan(try job(in: folder), device: .gpu)
            #expect(Set(plan.tasks.filter { $0.gpus == 1 }.map(\.kind)) == [.matches, .depthFirst, .depth])
            #expect(plan.groups.map(\.gpus) == plan.tasks.map(\.gpus))
        }
        try withTemporaryDirectory { folder in
            let job = try job(in: folder)
            let photo = job.photos.appendingPathComponent("photo-0.png")
            for number in 9..<120 {
                try FileManager.default.linkItem(at: photo, to: job.photos.appendingPathComponent("photo-\(number).png"))
            }
            let tasks = try plan(job).tasks
            func memory(_ kind: JobTask.Kind) -> Int { tasks.first { $0.kind == kind }?.memoryMb ?? 0 }
            // Half of the 7.5 million pixels may become points.
            #expect(!tasks.contains { $0.kind == .fusion })
            #expect(memory(.depth) < 600 && memory(.points) > 650 && memory(.surface) > 1_000)
            // Of eight photos at once.
            var configuration = Self.configuration(job.results, blocks: nil)
            configuration.threads = 32
            let wide = try JobPlanner(
                photos: job.photos, configuration: configuration, requests: Self.requests(job.outputs.appendingPathComponent("model.glb")),
                photosPerBlock: 4, pairBlocks: 3
            ).plan(models: [], options: [], outputs: [], groupSeconds: 0, program: "test").tasks
            func wideMemory(_ kind: JobTask.Kind) -> Int { wide.first { $0.kind == kind }?.memoryMb ?? 0 }
            #expect(wideMemory(.depth) > wideMemory(.views) && wideMemory(.depthFirst) == wideMemory(.depth))
        }
    }

    @Test func groupsRunEachTaskOnceAfterThoseThatItNeeds() throws {
        try withTemporaryDirectory { folder in
            let tasks = try plan(try job(in: folder)).tasks
            let total = tasks.reduce(0) { $0 + $1.seconds }
            for seconds in [0.5, 2, 5, total + 1] {
                var done: Set<String> = []
                for group in JobTask.groups(tasks, seconds: seconds) {
                    #expect(group.needs.allSatisfy { done.contains($0) })
                    for name in group.tasks {
                        let task = try #require(tasks.first { $0.name == name })
                        #expect(task.needs.allSatisfy { done.contains($0) || group.needs.contains($0) }, "\(name) at \(seconds)")
                        #expect(done.insert(name).inserted)
                        #expect(group.memoryMb >= task.memoryMb && group.threads >= task.threads)
                    }
                }
                #expect(done.count == tasks.count)
            }
            #expect(JobTask.groups(tasks, seconds: total + 1).map(\.tasks) == [tasks.map(\.name)])
            // Blocks of photos and pairs that take long stay apart.
            let long = JobTask.groups(tasks, seconds: 0.01)
            #expect(long.count { $0.tasks.allSatisfy { $0.hasPrefix("depth-first-") } && $0.tasks.count == 1 } == 3)
            #expect(JobTask.groups([], seconds: 5).isEmpty)
        }
    }

    /// Tasks in a random order that the plan allows, some of them stopped at random moments, in a folder that is moved in between.
    @Test(arguments: [(3, nil, 8), (11, 3, 2)]) func tasksGiveTheBytesOfOneRun(_ seed: UInt64, blocks: Int?, threads: Int) throws {
        try withTemporaryDirectory { folder in
            var job = try job(in: folder)
            let whole = folder.appendingPathComponent("whole")
            try FileManager.default.createDirectory(at: whole, withIntermediateDirectories: true)
            try reconstruct(
                job.photos, to: whole.appendingPathComponent("model.glb"), checkpoint: whole.appendingPathComponent("results"),
                blocks: blocks)

            let plan = try plan(job, blocks: blocks)
            #expect(plan.tasks.count { [.fusion, .texturePage].contains($0.kind) } == 2 * (blocks ?? 0))
            var random = SplitMix64(seed: seed)
            var done: Set<String> = []
            var (stopped, isMoved) = (0, false)
            while done.count < plan.tasks.count {
                let ready = plan.tasks.filter { task in !done.contains(task.name) && task.needs.allSatisfy { done.contains($0) } }
                let task = ready[Int(random.next() % UInt64(ready.count))]
                if !isMoved, done.count == plan.tasks.count / 2 {
                    let destination = folder.appendingPathComponent("moved")
                    try FileManager.default.moveItem(at: job.url, to: destination)
                    (job, isMoved) = (JobFolder(destination), true)
                }
                if task.kind == .write {
                    try reconstruct(
                        job.photos, to: job.outputs.appendingPathComponent("model.glb"), checkpoint: job.results, blocks: blocks)
                    done.insert(task.name)
                    continue
                }
                // Every third attempt is stopped after a few checks.
                let checks = Counter()
                let limit = random.next() % 3 == 0 ? 1 + Int(random.next() % 12) : Int.max
                do {
                    try runner(plan, job, blocks: blocks, threads: threads).run(task, isCancelled: { checks.next() > limit })
                    done.insert(task.name)
                    // A task that is done only checks its results.
                    if random.next() % 4 == 0 { try runner(plan, job, blocks: blocks).run(task) }
                } catch is CancellationError {
                    stopped += 1
                }
            }
            #expect(stopped > 2)
            #expect(
                try Data(contentsOf: job.outputs.appendingPathComponent("model.glb"))
                    == Data(
                        contentsOf: whole.appendingPathComponent("model.glb")))
            // The job has files of its own; all others have the same bytes.
            let (own, expected) = (try files(job.results), try files(whole.appendingPathComponent("results")))
            for (name, bytes) in expected { #expect(own[name] == bytes, "\(name)") }
            let more = Set(own.keys).subtracting(expected.keys)
            var expectedMore: Set = [
                "digests-0.bin", "digests-1.bin", "digests-2.bin", "pairs.bin", "matches-0.bin", "matches-1.bin", "matches-2.bin",
            ]
            for page in 0..<(blocks ?? 0) { expectedMore.formUnion(["texture-plan-custom.bin", "texture-page-custom-\(page).bin"]) }
            #expect(more == expectedMore)
            // No file names a place outside of the job.
            for (name, bytes) in own { #expect(bytes.range(of: Data(folder.path.utf8)) == nil, "\(name)") }
        }
    }

    @Test func tasksDontDoTheWorkOfOthers() throws {
        try withTemporaryDirectory { folder in
            let job = try job(in: folder)
            let plan = try plan(job)
            for name in ["features-0", "matches-1", "depth-2", "texture-0"] {
                let task = try #require(plan.tasks.first { $0.name == name })
                #expect(throws: MissingArtifact.self, "\(name)") { try runner(plan, job).run(task) }
            }
            #expect(try files(job.results).isEmpty)
            // Photos of a block only.
            let task = try #require(plan.tasks.first { $0.name == "photos-1" })
            try runner(plan, job).run(task)
            #expect(Set(try files(job.results).keys) == ["photo-4.bin", "photo-5.bin", "photo-6.bin", "photo-7.bin", "digests-1.bin"])
        }
    }

    /// A file that changed its size is read again.
    @Test func digestsFollowTheFiles() throws {
        try withTemporaryDirectory { folder in
            let store = try CheckpointStore(folder: folder.appendingPathComponent("results"), isShared: true)
            let file = folder.appendingPathComponent("a.jpg")
            try Data([1, 2, 3]).write(to: file)
            let first = DigestList(root: folder)
            let digest = try first.digest(of: .file(file))
            #expect(digest == Digest(of: [1, 2, 3]))
            try first.save(block: 0, to: store)
            let second = DigestList(root: folder)
            second.load(blocks: 2, from: store)
            #expect(try second.digest(of: .file(file)) == digest)
            try Data([1, 2, 3, 4]).write(to: file)
            #expect(try second.digest(of: .file(file)) == Digest(of: [1, 2, 3, 4]))
            #expect(throws: (any Error).self) { try second.digest(of: .file(folder.appendingPathComponent("b.jpg"))) }
        }
    }

    /// A process that shares a folder doesn't remove the unfinished files of others.
    @Test func sharedFoldersKeepUnfinishedFilesOfOthers() throws {
        try withTemporaryDirectory { folder in
            let unfinished = folder.appendingPathComponent(".vitrine-7-1-0.tmp")
            try Data([1]).write(to: unfinished)
            _ = try CheckpointStore(folder: folder, isShared: true)
            #expect(FileManager.default.fileExists(atPath: unfinished.path))
            _ = try CheckpointStore(folder: folder)
            #expect(!FileManager.default.fileExists(atPath: unfinished.path))
        }
    }
}
