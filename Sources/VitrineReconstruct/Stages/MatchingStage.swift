import VitrineFiles
import VitrineVision

/// Matches the features of photos and verifies the matches by two-view geometry.
enum MatchingStage: Stage {
    struct Input: Sendable {
        /// The features of each photo.
        let features: [Artifact<PhotoFeatures>]
        let cameras: [CameraGuess]
        /// Neighbours in the list are neighbours in space.
        let isSequential: Bool
        /// Whether a GPU searches neighbours among descriptors; the output does not depend on it.
        var isOnGPU = false

        /// Creates the matcher.
        ///
        /// - Throws: `DenseGPUError` if there is no GPU.
        func matcher(_ resources: StageResources, in context: StageContext) throws -> PhotoMatcher {
            PhotoMatcher(search: isOnGPU ? try resources.matchingGPU.open(in: context) : nil)
        }
    }

    typealias Output = StoredPairs

    static let name = "matches"
    static let version = 3

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("features", input.features)
        key.add("cameras", input.cameras)
        key.add("sequential", input.isSequential)
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> StoredPairs {
        let features = try input.features.map { try resources.load($0).features }
        let graph = try input.matcher(resources, in: context).match(
            features: features, guesses: input.cameras, ordering: input.isSequential ? .sequential : .unordered,
            parallel: context.parallel, progress: { context.report($0) }, isCancelled: { context.isCancelled })
        return StoredPairs(pairs: graph.pairs)
    }
}

extension MatchingStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(features)
        writer.encode(cameras)
        writer.write(isSequential)
        writer.write(isOnGPU)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(features: try reader.decode(), cameras: try reader.decode(), isSequential: try reader.bool(), isOnGPU: try reader.bool())
    }
}
