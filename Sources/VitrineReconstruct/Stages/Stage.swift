import VitrineFiles
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A step of a reconstruction: a pure function of its input.
///
/// Inputs and outputs have a byte coding, so that a stage runs in this process or alone, from files, on another machine: the same input gives
/// the same bytes. Large values are not part of an input: an input names the `Artifact`s of earlier stages, which the stage loads.
protocol Stage {
    associatedtype Input: ByteCodable
    associatedtype Output: ByteCodable

    /// Identifies the stage in keys, files and tasks.
    static var name: String { get }
    /// Raised when the output changes for the same input, also by a change of options that are not part of the input.
    static var version: Int { get }
    /// Whether no other stage reads the output: then only a lasting checkpoint keeps it.
    static var isFinal: Bool { get }

    /// The name of the output's file; stages that run once per photo add its index.
    static func fileName(for input: Input) -> String
    /// Adds every field of the input that the output depends on. The location of a photo's file and the memory limit are not part of it.
    static func describe(_ input: Input, in key: inout StageKey)
    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> Output
    /// Whether a checkpoint may keep the output; false for one that lacks something that a later run may have.
    static func isComplete(_ output: Output) -> Bool
}

extension Stage {
    static var isFinal: Bool { false }
    static func fileName(for input: Input) -> String { name }
    static func isComplete(_ output: Output) -> Bool { true }

    /// The output's entry in a checkpoint.
    static func artifact(for input: Input) -> Artifact<Output> {
        var key = StageKey(stage: name, version: version)
        describe(input, in: &key)
        return Artifact(name: fileName(for: input), key: key.digest)
    }
}

/// The key of a stage's output: a digest of the stage's name and version and of named fields of its input.
struct StageKey {
    private var hasher = Hasher128()

    init(stage: String, version: Int) {
        hasher.combine(stage)
        hasher.combine(version)
    }

    mutating func add(_ field: String, _ value: some ByteCodable) {
        hasher.combine(field)
        hasher.combine(value.encoded)
    }

    /// Adds the key of an earlier stage's output.
    mutating func add<Value>(_ field: String, _ artifact: Artifact<Value>) { add(field, artifact.key) }

    mutating func add<Value>(_ field: String, _ artifacts: [Artifact<Value>]) { add(field, artifacts.map(\.key)) }

    var digest: Digest { hasher.digest }
}

/// The resources that stages share: the checkpoint, decoded photos, and undistorted photos.
struct StageResources: Sendable {
    let store: CheckpointStore
    let pixels: PhotoPixels
    let views: ViewCache
    /// Records each stage that is run, to run it again from files; nil in most runs.
    var tasks: TaskFolder?
    /// The names of the stages that may run, if the process has only a part of the work: outputs of others must be in the checkpoint. nil: all.
    var runnable: Set<String>?
    /// The digests of files that were read before; nil: each file is read.
    var digests: DigestList?
    var depthGPU = DepthGPU()
    var matchingGPU = MatchingGPU()

    func digest(of source: PixelSource) throws(FileError) -> Digest {
        guard let digests else { return try source.digest() }
        return try digests.digest(of: source)
    }

    /// The output of an earlier stage.
    ///
    /// - Throws: `MissingArtifact`.
    func load<Value: ByteCodable>(_ artifact: Artifact<Value>) throws(MissingArtifact) -> Value {
        guard let value = store.load(artifact) else { throw MissingArtifact(name: artifact.name) }
        return value
    }

    /// The stage's output: from the checkpoint, otherwise from running the stage, whose output the checkpoint then stores.
    func output<S: Stage>(
        of stage: S.Type, _ input: S.Input, in context: StageContext
    ) throws -> (value: S.Output, wasRestored: Bool) {
        let artifact = S.artifact(for: input)
        if let value = store.load(artifact) { return (value, true) }
        if let runnable, !runnable.contains(S.name) { throw MissingArtifact(name: artifact.name) }
        try context.checkCancellation()
        try tasks?.record(S.self, input)
        let value = try S.run(input, with: self, in: context)
        try context.checkCancellation()
        if S.isComplete(value), !(S.isFinal && store.isTemporary) { try store.save(value, as: artifact) }
        return (value, false)
    }
}

/// An output that a stage needs is not in the checkpoint folder.
struct MissingArtifact: Error, Equatable, CustomStringConvertible {
    let name: String

    var description: String { "\(name).bin is missing in the checkpoint folder, or was made from other inputs" }
}

extension MissingArtifact: LocalizedError {
    var errorDescription: String? { description }
}
