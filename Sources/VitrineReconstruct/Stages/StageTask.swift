import Synchronization
import VitrineFiles
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A stage with its input as a file, for a separate process or machine.
///
/// The file names the stage; a checkpoint folder has the outputs of earlier stages and receives the stage's output.
struct StageTask: Equatable, Sendable {
    /// The stage's `Stage.name`.
    let stage: String
    /// The input's byte coding.
    let input: [UInt8]

    static let fileExtension = "task"
    private static let header = "vitrine stage"
    private static let version = 2

    /// The stages that run from files.
    private static var stages: [any Stage.Type] {
        [
            VideoStage.self, PhotoReadingStage.self, BackgroundStage.self, FeatureStage.self, MatchingStage.self,
            PairSelectionStage.self, PairMatchingStage.self, SubmapStage.self, MappingStage.self,
            PlacementStage.self, PassStage.self, JoiningStage.self, ViewStage.self, DepthStage.self, ConsistentDepthStage.self,
            FusionBlockStage.self, FusionStage.self, FramingStage.self, SurfaceStage.self, TextureStage.self,
            TexturePlanStage.self, TexturePageStage.self,
        ]
    }

    init<S: Stage>(_ stage: S.Type, _ input: S.Input) { (self.stage, self.input) = (S.name, input.encoded) }

    /// Reads a task.
    ///
    /// - Throws: `FileError` if the file cannot be read, or is not a task of this version.
    init(contentsOf url: URL) throws(FileError) {
        var reader = ByteReader(try FileBytes.read(url))
        do throws(DamagedCheckpoint) {
            guard try reader.text() == StageTask.header, try reader.int() == StageTask.version else { throw DamagedCheckpoint() }
            stage = try reader.text()
            input = try reader.array(of: UInt8.self)
            guard try reader.decode(Digest.self) == Digest(of: input), reader.left == 0 else { throw DamagedCheckpoint() }
        } catch {
            throw FileError(path: url.path, reason: "is not a stage's task of this version")
        }
    }

    func write(to url: URL) throws(FileError) {
        var writer = ByteWriter()
        writer.write(StageTask.header)
        writer.write(StageTask.version)
        writer.write(stage)
        writer.write(input)
        writer.encode(Digest(of: input))
        try AtomicFile.write(writer.bytes, to: url)
    }

    /// Runs the stage and saves its output.
    ///
    /// - Parameter folder: The checkpoint folder.
    /// - Returns: The output's file.
    @discardableResult func run(in folder: URL, context: StageContext = StageContext()) throws -> URL {
        guard let stage = StageTask.stages.first(where: { $0.name == stage }) else { throw DamagedCheckpoint() }
        let store = try CheckpointStore(folder: folder)
        let resources = StageResources(store: store, pixels: PhotoPixels(store: store, budget: 0), views: ViewCache())
        return folder.appendingPathComponent(try run(stage, resources, context) + ".bin")
    }

    private func run<S: Stage>(_: S.Type, _ resources: StageResources, _ context: StageContext) throws -> String {
        let input = try S.Input(decoding: input)
        let output = try S.run(input, with: resources, in: context)
        let artifact = S.artifact(for: input)
        try resources.store.save(output, as: artifact)
        resources.pixels.discardKept()
        return artifact.name
    }
}

/// A folder that receives a task for each stage that runs, numbered in their order.
final class TaskFolder: Sendable {
    let folder: URL
    private let count = Mutex(0)

    init(_ folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func record<S: Stage>(_ stage: S.Type, _ input: S.Input) throws {
        let number = count.withLock { count -> Int in
            count += 1
            return count
        }
        let name = "\(number.padded(5))-" + S.fileName(for: input)
        try StageTask(stage, input).write(to: folder.appendingPathComponent(name).appendingPathExtension(StageTask.fileExtension))
    }
}
