import VitrineFiles
import VitrineVision

/// Reconstructs the cameras and a sparse, coloured point cloud, in the mapper's frame.
enum MappingStage: Stage {
    struct Input: Sendable {
        /// The features of each photo, as in `MatchingStage.Input`.
        let features: [Artifact<PhotoFeatures>]
        let matches: Artifact<StoredPairs>
        let cameras: [CameraGuess]
        /// Photos with the same key share a lens.
        let cameraKeys: [String]
        /// Cameras that are known before the reconstruction; may be empty.
        let known: [PosedCamera?]
        /// The photos of one pass or submap, which are mapped alone; nil: all photos.
        var pass: Pass?
        /// The models of submaps, to be merged.
        var submaps: [Artifact<SparseModel>] = []

        /// One of several passes or submaps.
        struct Pass: Sendable {
            var isSubmap = false
            let number: Int
            /// The photos in ascending order.
            let photos: [Int]
        }
        /// The deviations of these cameras; nil: they are kept.
        var deviation: KnownCameraDeviation?
    }

    typealias Output = SparseModel

    static let name = "cameras"
    static let version = 6

    static func fileName(for input: Input) -> String {
        input.pass.map { "cameras-\($0.isSubmap ? "submap" : "pass")-\($0.number)" } ?? name
    }

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("features", input.features)
        key.add("matches", input.matches)
        key.add("cameras", input.cameras)
        key.add("camera keys", input.cameraKeys)
        key.add("known", input.known)
        if let pass = input.pass { key.add("pass", pass.photos) }
        if !input.submaps.isEmpty { key.add("submaps", input.submaps) }
        if let deviation = input.deviation { key.add("known deviation", deviation) }
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> SparseModel {
        let isIncluded = input.pass.map { pass in Set(pass.photos) }
        // Mapping needs no descriptors: one photo's are in memory at a time.
        let features = try input.features.enumerated().map { photo, artifact -> (positions: [SIMD2<Float>], colors: [SIMD3<UInt8>]) in
            guard isIncluded?.contains(photo) ?? true else { return ([], []) }
            let loaded = try resources.load(artifact)
            return (loaded.features.positions, loaded.colors)
        }
        ProcessMemory.releaseUnused()
        var pairs = try resources.load(input.matches).pairs
        if let isIncluded {
            pairs.removeAll { !isIncluded.contains($0.first) || !isIncluded.contains($0.second) }
        }
        let photos = features.indices.map {
            MapperPhoto(positions: features[$0].positions, guess: input.cameras[$0], groupKey: input.cameraKeys[$0])
        }
        let submaps = try input.submaps.map { try resources.load($0) }
        let graph = MatchGraph(photoCount: photos.count, pairs: pairs)
        var model = try map(input, photos, graph, submaps, context.part(from: 0, to: leftOutStart))
        if input.known.isEmpty, submaps.isEmpty { model = try withoutFalseJoint(model, input, photos, graph, context) }
        if input.known.isEmpty { model = try withoutContradicted(model, input, photos, graph, submaps, context) }
        if input.pass == nil, input.known.isEmpty { model = try registerLeftOut(model, input, photos, graph, resources, context) }
        if input.known.isEmpty { model.markContradicted(MatchSupport(of: model, in: graph)) }
        context.report(1)
        model.color(by: features.map(\.colors))
        return model
    }

    /// The progress before left-out photos are matched with the map: most sets have none.
    private static let leftOutStart = 0.97
    /// The number of times that photos are mapped again without those that contradict their matches.
    private static let contradictionRounds = 4

    /// Maps again by strong pairs only if repeated texture probably joined a part of the model at a wrong position; then continues with all pairs.
    private static func withoutFalseJoint(
        _ model: SparseModel, _ input: Input, _ photos: [MapperPhoto], _ graph: MatchGraph, _ context: StageContext
    ) throws -> SparseModel {
        let strong = graph.strong
        let joint = FalseJoint(of: model, in: strong)
        guard joint.isProbable else { return model }
        let part = context.part(from: leftOutStart, to: leftOutStart)
        let rest = try map(input, photos, strong, [], part)
        let whole = try map(input, photos, graph, [rest], part)
        let isWhole = 20 * whole.registered.count >= 19 * model.registered.count
        return isWhole && joint.isSolved(by: FalseJoint(of: whole, in: strong)) ? whole : model
    }

    /// Maps again without the photos whose matches contradict their cameras, which also bend the cameras around them, and then registers these photos
    /// in the new map. Photos that contradict their matches in every map stay unregistered.
    private static func withoutContradicted(
        _ model: SparseModel, _ input: Input, _ photos: [MapperPhoto], _ graph: MatchGraph, _ submaps: [SparseModel],
        _ context: StageContext
    ) throws -> SparseModel {
        var excluded = Set(MatchSupport(of: model, in: graph).contradicted)
        guard !excluded.isEmpty else { return model }
        let part = context.part(from: leftOutStart, to: leftOutStart)
        for _ in 0..<contradictionRounds where excluded.count * 5 <= model.registered.count {
            let rest = try map(input, photos, graph.without(excluded), submaps, part)
            guard rest.registered.count >= model.registered.count - excluded.count else { break }
            let wrong = MatchSupport(of: rest, in: graph).contradicted
            guard wrong.isEmpty else {
                excluded.formUnion(wrong)
                continue
            }
            let whole = try map(input, photos, graph, [rest], part)
            let still = MatchSupport(of: whole, in: graph).contradicted
            if still.isEmpty { return whole }
            guard !excluded.isSuperset(of: still) else { return rest }
            excluded.formUnion(still)
        }
        return model
    }

    /// The number of times that left-out photos are matched with the growing map.
    private static let leftOutRounds = 4

    /// Matches photos that could not be registered with the points of the map, and continues the map with these matches.
    private static func registerLeftOut(
        _ model: SparseModel, _ input: Input, _ photos: [MapperPhoto], _ graph: MatchGraph, _ resources: StageResources,
        _ context: StageContext
    ) throws -> SparseModel {
        var (model, graph) = (model, graph)
        for round in 0..<leftOutRounds where !model.leftOut.isEmpty && model.registered.count >= 3 {
            let each = (1 - leftOutStart) / Double(leftOutRounds)
            let part = context.part(from: leftOutStart + each * Double(round), to: leftOutStart + each * Double(round + 1))
            let features = { (photo: Int) throws in try resources.load(input.features[photo]).features }
            let matcher = try MapMatcher(model, guesses: input.cameras, features: features)
            var found: [PhotoPair] = []
            for left in model.leftOut {
                try context.checkCancellation()
                found += try matcher.pairs(of: left.photo, parallel: context.parallel, features: features)
            }
            guard !found.isEmpty else { break }
            graph.replace(found)
            let next = try map(input, photos, graph, [model], part)
            guard next.registered.count > model.registered.count else { break }
            model = next
        }
        return model
    }

    private static func map(
        _ input: Input, _ photos: [MapperPhoto], _ graph: MatchGraph, _ submaps: [SparseModel], _ context: StageContext
    ) throws -> SparseModel {
        var options = Mapper.Options()
        options.knownCameraDeviation = input.deviation
        do throws(MappingError) {
            return try Mapper(options: options).map(
                graph: graph, photos: photos, known: input.known, submaps: submaps, parallel: context.parallel,
                progress: { context.report($0) }, isCancelled: { context.isCancelled })
        } catch {
            switch error {
            case .noInitialPair:
                throw ReconstructionError.notAligned(
                    "no two of them show the same \(graph.pairs.isEmpty ? "surfaces" : "surfaces from viewpoints that are far enough apart")"
                )
            case .cancelled: throw CancellationError()
            case .invalidInput(let reason): throw ReconstructionError.notAligned(reason)
            }
        }
    }
}

extension SparseModel {
    /// Gives each point the colour of its feature in the first photo that observes it.
    ///
    /// - Parameter colors: The colours of the features of each photo.
    mutating func color(by colors: [[SIMD3<UInt8>]]) {
        for index in points.indices {
            guard let first = points[index].observations.first else { continue }
            let (photo, feature) = (Int(first.x), Int(first.y))
            guard colors[photo].indices.contains(feature) else { continue }
            points[index].color = colors[photo][feature]
        }
    }
}

extension MappingStage.Input.Pass: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(isSubmap)
        writer.write(number)
        writer.write(photos)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(isSubmap: try reader.bool(), number: try reader.int(), photos: try reader.array(of: Int.self))
    }
}

extension MappingStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(features)
        writer.encode(matches)
        writer.encode(cameras)
        writer.encode(cameraKeys)
        writer.encode(known)
        writer.encode(pass)
        writer.encode(submaps)
        writer.encode(deviation)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        let input = Self(
            features: try reader.decode(), matches: try reader.decode(), cameras: try reader.decode(), cameraKeys: try reader.decode(),
            known: try reader.decode(), pass: try reader.decode(), submaps: try reader.decode(), deviation: try reader.decode())
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
