import VitrineDense
import VitrineFiles
import VitrineMath
import VitrineVision

/// A sensor's depth map for a photo.
struct DepthPriorSource: Sendable {
    let depth: SensorDepthMap
    let unitsPerMetre: Double
    /// The camera of the photo, with its lens distortion.
    let camera: PosedCamera

    /// Returns the prior in the unit of the placed frame, in the undistorted photo's camera.
    func prior(dimension: Int) throws -> DepthPrior {
        var depths = try depth.depths()
        for pixel in depths.values.indices { depths.values[pixel] *= Float(unitsPerMetre) }
        return DepthPrior(depths: Undistorter(camera: camera, maximumSide: dimension).depths(depths))
    }

    func describe(in key: inout StageKey) {
        key.add("prior", depth)
        key.add("prior.unit", unitsPerMetre)
        key.add("prior.camera", camera)
    }
}

extension DepthPriorSource: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(depth)
        writer.write(unitsPerMetre)
        writer.encode(camera)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> DepthPriorSource {
        DepthPriorSource(depth: try reader.decode(), unitsPerMetre: try reader.double(), camera: try reader.decode())
    }
}

/// Estimates a photo's depth from its sources: the first pass, at a part of the size.
enum DepthStage: Stage {
    struct Input: Sendable {
        let view: PhotoViewReference<PlacedFrame>
        /// The best first.
        let sources: [PhotoViewReference<PlacedFrame>]
        let prior: DepthPriorSource?
        /// The longer side of the finished map, pixels.
        let dimension: Int
        /// Whether a GPU estimates the depth.
        let isOnGPU: Bool

        /// Creates the estimator of both passes.
        ///
        /// - Throws: `DenseGPUError` if there is no GPU.
        func estimator(_ resources: StageResources, in context: StageContext) throws -> DepthEstimator {
            let options = DepthEstimator.Options(dimension: dimension)
            return DepthEstimator(options: options, sweepRunner: isOnGPU ? try resources.depthGPU.open(in: context) : nil)
        }
    }

    typealias Output = DepthMap

    static let name = "depth-first"
    static let version = 3

    static func fileName(for input: Input) -> String { "depth-first-\(input.view.view.index)" }

    static func describe(_ input: Input, in key: inout StageKey) {
        input.view.describe("view", in: &key)
        for source in input.sources { source.describe("source", in: &key) }
        input.prior?.describe(in: &key)
        key.add("dimension", input.dimension)
        // The maps of the processor keep the key that they had before there was a choice.
        if input.isOnGPU { key.add("gpu", true) }
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> DepthMap {
        try DenseError.reported {
            try input.estimator(resources, in: context).estimate(
                reference: try input.view.load(resources, in: context),
                sources: try input.sources.map { try $0.load(resources, in: context) },
                priorDepth: try input.prior?.prior(dimension: input.dimension), in: context)
        }
    }
}

/// Refines a photo's depth map to its full size, consistent with its sources' maps: the second pass.
enum ConsistentDepthStage: Stage {
    struct Input: Sendable {
        let first: DepthStage.Input
        /// The maps of the first pass, one per source.
        let sourceMaps: [Artifact<DepthMap>]
    }

    typealias Output = DepthMap

    static let name = "depth"
    static let version = 3

    static func fileName(for input: Input) -> String { "depth-\(input.first.view.view.index)" }

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("first pass", DepthStage.artifact(for: input.first))
        key.add("source maps", input.sourceMaps)
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> DepthMap {
        let first = input.first
        let own = try resources.load(DepthStage.artifact(for: first))
        let sources = try zip(first.sources, input.sourceMaps).map { view, map in
            (view: try view.load(resources, in: context), map: DepthMap?.some(try resources.load(map)))
        }
        return try DenseError.reported {
            try first.estimator(resources, in: context).refineConsistently(
                reference: try first.view.load(resources, in: context), map: own, sources: sources,
                priorDepth: try first.prior?.prior(dimension: first.dimension), in: context)
        }
    }
}

extension DenseError {
    /// Runs a part of a stage; its `DenseError` becomes `ReconstructionError.noSurface`.
    static func reported<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as DenseError {
            throw ReconstructionError.noSurface(error.description)
        }
    }
}

extension DepthEstimator.Options {
    /// The options for maps whose longer side is `dimension` pixels.
    init(dimension: Int) {
        self = dimension <= 800 ? .preview : dimension <= 1_100 ? .reduced : dimension <= 1_600 ? .medium : .full
        maximumSide = min(3_840, dimension)
    }
}

extension DepthStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(view)
        writer.encode(sources)
        writer.encode(prior)
        writer.write(dimension)
        writer.write(isOnGPU)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(
            view: try reader.decode(), sources: try reader.decode(), prior: try reader.decode(), dimension: try reader.int(),
            isOnGPU: try reader.decode())
    }
}

extension ConsistentDepthStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(first)
        writer.encode(sourceMaps)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        let input = Self(first: try reader.decode(), sourceMaps: try reader.decode())
        guard input.sourceMaps.count == input.first.sources.count else { throw DamagedCheckpoint() }
        return input
    }
}
