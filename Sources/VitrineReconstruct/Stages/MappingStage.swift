import VitrineFiles
import VitrineVision

/// Reconstructs the cameras and a sparse, coloured point cloud, in the mapper's frame.
enum MappingStage: Stage {
    struct Input: Sendable {
        /// One per photo, as in `MatchingStage.Input`.
        let features: [Artifact<PhotoFeatures>]
        let matches: Artifact<StoredPairs>
        let cameras: [CameraGuess]
        /// Photos with the same key share a lens.
        let cameraKeys: [String]
        /// Cameras that are known before; empty if none is.
        let known: [PosedCamera?]
        /// How far these may be wrong; nil: they are kept.
        var deviation: KnownCameraDeviation?
    }

    typealias Output = SparseModel

    static let name = "cameras"
    static let version = 2

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("features", input.features)
        key.add("matches", input.matches)
        key.add("cameras", input.cameras)
        key.add("camera keys", input.cameraKeys)
        key.add("known", input.known)
        if let deviation = input.deviation { key.add("known deviation", deviation) }
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> SparseModel {
        let features = try input.features.map { try resources.load($0) }
        let pairs = try resources.load(input.matches).pairs
        let photos = features.indices.map {
            MapperPhoto(positions: features[$0].features.positions, guess: input.cameras[$0], groupKey: input.cameraKeys[$0])
        }
        var model = try map(input, photos, MatchGraph(photoCount: photos.count, pairs: pairs), context)
        color(&model, features)
        return model
    }

    private static func map(
        _ input: Input, _ photos: [MapperPhoto], _ graph: MatchGraph, _ context: StageContext
    ) throws -> SparseModel {
        var options = Mapper.Options()
        options.knownCameraDeviation = input.deviation
        do throws(MappingError) {
            return try Mapper(options: options).map(
                graph: graph, photos: photos, known: input.known, parallel: context.parallel, progress: { context.report($0) },
                isCancelled: { context.isCancelled })
        } catch {
            switch error {
            case .noInitialPair:
                throw ReconstructionError.notAligned(
                    "no two of them show the same \(graph.pairs.isEmpty ? "things" : "things from viewpoints that are far enough apart")")
            case .cancelled: throw CancellationError()
            case .invalidInput(let reason): throw ReconstructionError.notAligned(reason)
            }
        }
    }

    /// Each point gets the colour of its feature in the first photo that observes it.
    private static func color(_ model: inout SparseModel, _ features: [PhotoFeatures]) {
        for index in model.points.indices {
            guard let first = model.points[index].observations.first else { continue }
            let (photo, feature) = (Int(first.x), Int(first.y))
            guard features[photo].colors.indices.contains(feature) else { continue }
            model.points[index].color = features[photo].colors[feature]
        }
    }
}

extension MappingStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(features)
        writer.encode(matches)
        writer.encode(cameras)
        writer.encode(cameraKeys)
        writer.encode(known)
        writer.encode(deviation)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        let input = Self(
            features: try reader.decode(), matches: try reader.decode(), cameras: try reader.decode(), cameraKeys: try reader.decode(),
            known: try reader.decode(), deviation: try reader.decode())
        let count = input.features.count
        guard input.cameras.count == count, input.cameraKeys.count == count else { throw DamagedCheckpoint() }
        return input
    }
}

extension KnownCameraDeviation: ByteCodable {
    func write(to writer: inout ByteWriter) { for number in [rotation, position, focalLength] { writer.write(number) } }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        var result = Self()
        (result.rotation, result.position, result.focalLength) = (try reader.double(), try reader.double(), try reader.double())
        return result
    }

    init(_ deviation: PhotogrammetrySession.Configuration.CameraDeviation) {
        self.init()
        (rotation, position, focalLength) = (deviation.rotation, deviation.position, deviation.focalLength)
    }
}
