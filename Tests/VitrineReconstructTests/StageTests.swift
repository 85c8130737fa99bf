import Foundation
import Synchronization
import Testing
import VitrineTestSupport
import VitrineVision

@testable import VitrineReconstruct

/// Single stages: their keys, their inputs as files, and the number of times that they decode photos.
@Suite(.serialized) struct StageTests {
    /// The output of a whole run.
    private struct Run {
        let output: [UInt8]
        let decodeCounts: [Digest: Int]
        let errors: [String]
    }

    private func run(
        _ folder: URL, photos: URL, checkpoint: URL?, tasks: URL? = nil
    ) throws -> Run {
        let model = folder.appendingPathComponent("model.glb")
        // Three photos at once during depth estimation.
        let configuration = TinyCapture.configuration(checkpoint: checkpoint, threads: 12)
        let errors = Mutex<[String]>([])
        let job = ReconstructionJob(
            input: .folder(photos), configuration: configuration, requests: [.poses, .modelFile(url: model, detail: .custom)],
            cancellation: CancellationFlag(),
            emit: { output in if case .requestError(_, let error) = output { errors.withLock { $0.append("\(error)") } } },
            summarize: { _ in }, taskFolder: tasks)
        let pipeline = try ReconstructionPipeline(job)
        pipeline.run()
        let bytes = (try? Array(Data(contentsOf: model))) ?? []
        try? FileManager.default.removeItem(at: model)
        return Run(output: bytes, decodeCounts: pipeline.decodeCounts, errors: errors.withLock { $0 })
    }

    private func files(_ folder: URL, _ suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(suffix) }.sorted()
    }

    /// Each stage of a run, repeated alone from a task file with an empty checkpoint folder, gives the bytes of the whole run.
    @Test func eachStageRunsFromATaskFile() throws {
        try withTemporaryDirectory { folder in
            let photos = try TinyCapture.write(to: folder)
            let (whole, tasks) = (folder.appendingPathComponent("whole"), folder.appendingPathComponent("tasks"))
            let run = try run(folder, photos: photos, checkpoint: whole, tasks: tasks)
            try #require(run.errors.isEmpty, "\(run.errors)")
            let names = try files(tasks, ".task")
            let alone = folder.appendingPathComponent("alone")
            var stages: Set<String> = []
            for name in names {
                let task = try StageTask(contentsOf: tasks.appendingPathComponent(name))
                stages.insert(task.stage)
                let output = try task.run(in: alone, context: StageContext(parallel: Parallel(threads: 1)))
                // The session removes undistorted views at the end.
                guard task.stage != ViewStage.name else { continue }
                let expected = try Data(contentsOf: whole.appendingPathComponent(output.lastPathComponent))
                #expect(try Data(contentsOf: output) == expected, "\(name)")
            }
            #expect(
                stages == [
                    "photo", "background", "features", "matches", "cameras", "placement", "passes", "view", "depth-first", "depth",
                    "points",
                    "framing", "surface", "texture",
                ])
            #expect(try files(whole, ".bin").allSatisfy { !$0.hasPrefix("view") && !$0.hasPrefix("pixels") })
        }
    }

    /// A run decodes a photo at most twice; a run that resumes from a complete checkpoint decodes none.
    @Test func photosAreDecodedAtMostTwice() throws {
        try withTemporaryDirectory { folder in
            let photos = try TinyCapture.write(to: folder)
            let checkpoint = folder.appendingPathComponent("work")
            let first = try run(folder, photos: photos, checkpoint: checkpoint)
            try #require(first.errors.isEmpty, "\(first.errors)")
            #expect(first.decodeCounts.count == 9)
            #expect(first.decodeCounts.values.allSatisfy { $0 <= 2 })
            let second = try run(folder, photos: photos, checkpoint: checkpoint)
            #expect(second.decodeCounts.isEmpty)
            #expect(!second.output.isEmpty)
        }
    }

    /// Pixels beyond the memory budget are stored in the checkpoint folder until they are used.
    @Test func pixelsBeyondTheBudgetAreWrittenToTheCheckpoint() throws {
        try withTemporaryDirectory { folder in
            let photos = try TinyCapture.write(to: folder, count: 3)
            for budget in [0, 64 << 20] {
                let resources = try StageResources.temporary(budget: budget)
                defer { resources.store.removeIfTemporary() }
                let outcome = try PhotoIntake(try PhotoFolder(photos, masks: nil), usesMasks: false).run(
                    with: resources, in: StageContext())
                #expect(try files(resources.store.folder, ".bin").count { $0.hasPrefix("pixels") } == (budget == 0 ? 3 : 0))
                for photo in outcome.photos {
                    let side = photo.storedSize.longerSide
                    let taken = try resources.pixels.take(photo.reference, side: side)
                    #expect(taken.color.width == photo.size.width)
                }
                #expect(resources.pixels.decodeCounts.values.allSatisfy { $0 == 1 })
                #expect(try files(resources.store.folder, ".bin").allSatisfy { !$0.hasPrefix("pixels") })
            }
        }
    }

    /// The key depends on the fields that determine the output, and on no others.
    @Test func keysDependOnTheContentOnly() throws {
        typealias Sensitivity = PhotogrammetrySession.Configuration.FeatureSensitivity
        func input(_ name: String, _ digest: UInt8, size: Int = 100, sensitivity: Sensitivity = .normal, index: Int = 0)
            -> FeatureStage.Input
        {
            let size = PhotoSize(width: size, height: 80)
            let photo = PhotoReference(
                name: name, source: .file(URL(fileURLWithPath: "/\(name)")), digest: Digest(of: [digest]), storedSize: size, size: size,
                hasTransparency: false)
            return .init(index: index, photo: photo, mask: nil, background: nil, sensitivity: sensitivity)
        }
        let key = FeatureStage.artifact(for: input("a.png", 1)).key
        #expect(FeatureStage.artifact(for: input("moved.png", 1)).key == key)
        #expect(FeatureStage.artifact(for: input("a.png", 1, index: 7)).key == key)
        #expect(FeatureStage.artifact(for: input("a.png", 2)).key != key)
        #expect(FeatureStage.artifact(for: input("a.png", 1, size: 90)).key != key)
        #expect(FeatureStage.artifact(for: input("a.png", 1, sensitivity: .high)).key != key)
    }

    /// Checkpoint files of an earlier version are treated as missing.
    @Test func checkpointsOfEarlierVersionsAreIgnored() throws {
        try withTemporaryDirectory { folder in
            let store = try CheckpointStore(folder: folder)
            let artifact = Artifact<[Int]>(name: "numbers", key: Digest(of: [1]))
            try store.save([1, 2, 3], as: artifact)
            let file = folder.appendingPathComponent("numbers.bin")
            var bytes = try Data(contentsOf: file)
            #expect(store.load(artifact) == [1, 2, 3])
            bytes[8] = UInt8(CheckpointStore.version - 1)
            try bytes.write(to: file)
            #expect(store.load(artifact) == nil)
            #expect(throws: MissingArtifact(name: "numbers")) {
                _ = try StageResources(store: store, pixels: PhotoPixels(store: store, budget: 0), views: ViewCache()).load(artifact)
            }
        }
    }

    @Test func damagedTasksGiveErrors() throws {
        try withTemporaryDirectory { folder in
            let url = folder.appendingPathComponent("a.task")
            let task = StageTask(BackgroundStage.self, .init(thumbnails: [[1, 2], [3]], skies: [nil, nil]))
            try task.write(to: url)
            #expect(try StageTask(contentsOf: url) == task)
            let whole = try Data(contentsOf: url)
            for offset in whole.indices {
                var damaged = whole
                damaged[offset] ^= 0x10
                try damaged.write(to: url)
                let read = try? StageTask(contentsOf: url)
                #expect(read == nil || read != task, "byte \(offset)")
            }
        }
    }
}
