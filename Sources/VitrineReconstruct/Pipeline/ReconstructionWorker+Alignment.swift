import Foundation
import VitrineMath
import VitrineVision

extension ReconstructionWorker {
    /// Finds where the photos were taken, and where the object is.
    func align(_ photos: [Photo], store photoStore: PhotoStore) throws -> Alignment {
        let features = try detect(photos, store: photoStore)
        let graph = try match(photos, features: features)
        note(features, graph, photos)
        var model = try map(photos, features: features, graph: graph)
        colour(&model, features: features, store: photoStore)
        report(model, photos)
        let placement = try step(.placement) { _ in try Placement(photos: photos, model: model, configuration: configuration).find() }
        for warning in placement.object.warnings + placement.depthWarnings(photos) { warn(warning) }
        var alignment = Alignment(photos: photos, model: model, placement: placement, keepsScene: configuration.ignoreBoundingBox)
        alignment.maskKeys = try maskKeys(photos, photoStore)
        featurePositions = features.map(\.positions)
        describe(alignment)
        summary.cloudSample = alignment.sparseSample(20_000)
        return alignment
    }

    // MARK: Features

    private func detect(_ photos: [Photo], store photoStore: PhotoStore) throws -> [FeatureSet] {
        let options = configuration.featureSensitivity == .high ? FeatureDetector.Options.highSensitivity : FeatureDetector.Options()
        let (checkpoint, cancellation, done) = (store, self.cancellation, Counter())
        @Sendable func search(
            _ photo: Photo, _ photoStore: PhotoStore, _ index: Int, _ options: FeatureDetector.Options
        ) throws -> FeatureSet {
            let color = try photoStore.color(index, maximumSide: PipelineSettings.featureDimension)
            var options = options
            // What was made smaller for the search isn't doubled again.
            if photo.size.longerSide > options.doublingSide { options.doublingSide = 0 }
            var found = FeatureDetector(options).detect(
                in: color.gray, mask: try photoStore.mask(index), isCancelled: { cancellation.isRaised })
            found.enlarge(
                by: SIMD2(Float(photo.size.width) / Float(color.width), Float(photo.size.height) / Float(color.height)))
            return found
        }
        let maskKeys = try self.maskKeys(photos, photoStore)
        return try step(.features) { progress in
            let results = parallel.map(photos.count) { index -> Result<(features: FeatureSet, wasRestored: Bool), any Error> in
                Result {
                    try cancellation.check()
                    defer { progress(Double(done.next()) / Double(photos.count)) }
                    let photo = photos[index]
                    let key = Digest { hasher in
                        hasher.combine("features \(options) \(photo.size)")
                        hasher.combine(photo.digest)
                        hasher.combine(maskKeys[index])
                    }
                    let name = "features-\(index)"
                    if let found: FeatureSet = checkpoint.load(name, key: key) { return (found, true) }
                    let found = try search(photo, photoStore, index, options)
                    try cancellation.check()
                    try checkpoint.save(found, as: name, key: key)
                    return (found, false)
                }
            }
            let features = try results.map { try $0.get() }
            stepWasRestored = features.contains { $0.wasRestored }
            return features.map(\.features)
        }
    }

    // MARK: Matches

    private func match(_ photos: [Photo], features: [FeatureSet]) throws -> MatchGraph {
        let cancellation = self.cancellation
        let key = matchKey(photos, features)
        return try step(.matching) { progress in
            let pairs = try restored("matches", key: key) {
                let matcher = PhotoMatcher()
                let graph = try matcher.match(
                    features: features, guesses: photos.map(\.cameraGuess), ordering: ordering, parallel: parallel, progress: progress,
                    isCancelled: { cancellation.isRaised })
                return StoredPairs(pairs: graph.pairs)
            }
            return MatchGraph(photoCount: photos.count, pairs: pairs.pairs)
        }
    }

    private func matchKey(_ photos: [Photo], _ features: [FeatureSet]) -> Digest {
        Digest { hasher in
            hasher.combine("matches \(configuration.sampleOrdering.rawValue)")
            for (photo, features) in zip(photos, features) {
                hasher.combine("\(photo.cameraGuess)")
                features.positions.withUnsafeBytes { hasher.combine($0) }
                features.descriptors.withUnsafeBytes { hasher.combine($0) }
            }
        }
    }

    private func note(_ features: [FeatureSet], _ graph: MatchGraph, _ photos: [Photo]) {
        var partners = [Int](repeating: 0, count: photos.count)
        for pair in graph.pairs {
            partners[pair.first] += 1
            partners[pair.second] += 1
        }
        for (index, photo) in photos.enumerated() {
            record(photo.id) { record in
                record.features = features[index].count
                record.matchedPhotos = partners[index]
            }
        }
    }

    // MARK: Cameras

    private func map(_ photos: [Photo], features: [FeatureSet], graph: MatchGraph) throws -> SparseModel {
        let inputs = photos.indices.map {
            MapperPhoto(positions: features[$0].positions, guess: photos[$0].cameraGuess, groupKey: photos[$0].cameraKey)
        }
        let known = photos.contains { $0.known != nil } ? photos.map(\.known) : []
        let mapper = Mapper()
        let key = Digest { hasher in
            hasher.combine("cameras \(mapper.options) \(known)")
            for photo in photos { hasher.combine("\(photo.cameraKey) \(photo.cameraGuess)") }
            var writer = ByteWriter()
            StoredPairs(pairs: graph.pairs).write(to: &writer)
            hasher.combine(writer.bytes)
            for features in features { features.positions.withUnsafeBytes { hasher.combine($0) } }
        }
        let cancellation = self.cancellation
        return try step(.mapping) { progress in
            try restored("cameras", key: key) {
                do {
                    return try mapper.map(
                        graph: graph, photos: inputs, known: known, parallel: parallel, progress: progress,
                        isCancelled: { cancellation.isRaised })
                } catch MappingError.noInitialPair {
                    throw ReconstructionError.notAligned(
                        "no two of them show the same \(graph.pairs.isEmpty ? "things" : "things from places far enough apart")")
                } catch MappingError.cancelled {
                    throw CancellationError()
                }
            }
        }
    }

    /// Each point gets the colour of the first photo that sees it.
    private func colour(_ model: inout SparseModel, features: [FeatureSet], store photoStore: PhotoStore) {
        var pointsOfPhoto: [Int: [(point: Int, feature: Int)]] = [:]
        for (index, point) in model.points.enumerated() {
            guard let first = point.observations.first else { continue }
            pointsOfPhoto[Int(first.x), default: []].append((index, Int(first.y)))
        }
        let (photos, asked, cancellation) = (pointsOfPhoto.keys.sorted(), pointsOfPhoto, self.cancellation)
        let colors = parallel.map(photos.count) { place -> [(point: Int, color: SIMD3<UInt8>)] in
            let photo = photos[place]
            // A quarter of a large photo costs little to decode.
            guard !cancellation.isRaised, let picture = try? photoStore.color(photo, maximumSide: 960) else { return [] }
            let size = photoStore.photos[photo].size
            let scale = SIMD2(Float(picture.width) / Float(size.width), Float(picture.height) / Float(size.height))
            return (asked[photo] ?? []).filter { features[photo].positions.indices.contains($0.feature) }.map { point, feature in
                let pixel = features[photo].positions[feature] * scale
                let (x, y) = (max(0, min(picture.width - 1, Int(pixel.x))), max(0, min(picture.height - 1, Int(pixel.y))))
                let offset = (y * picture.width + x) * 3
                return (point, SIMD3(picture.values[offset], picture.values[offset + 1], picture.values[offset + 2]))
            }
        }
        for (point, color) in colors.joined() { model.points[point].color = color }
    }

    private func report(_ model: SparseModel, _ photos: [Photo]) {
        for photo in model.registered {
            let fit = model.fits[photo]
            record(photos[photo].id) { record in
                record.state = .used
                (record.observations, record.reprojectionError) = (fit.observationCount, fit.meanError)
            }
        }
        for left in model.leftOut {
            let reason = left.reason.text
            record(photos[left.photo].id) { $0.state = .leftOut(reason) }
            job.emit(.skippedSample(id: photos[left.photo].id))
        }
        if !model.leftOut.isEmpty {
            let names = model.leftOut.map { photos[$0.photo].name }
            warn("\(names.count) of \(photos.count) photos could not be joined to the others: \(names.joined(separator: ", "))")
            job.emit(.stitchingIncomplete)
        }
        summary.sparsePoints = model.points.count
        summary.cameras = model.groups.map { group in
            let share = group.intrinsics.focal.x / Double(max(group.intrinsics.width, group.intrinsics.height))
            return
                "\(group.photos.count) photos, focal length \(Int((36 * share).rounded())) mm (on 36 mm film), lens model \(group.lens.rawValue)"
        }
    }

    /// Puts the cameras and the object's place into the summary.
    func describe(_ alignment: Alignment) {
        let stored = alignment.publicAlignment(features: featurePositions)
        for photo in alignment.used {
            guard let camera = stored.model.cameras[photo] else { continue }
            record(alignment.photos[photo].id) { $0.pose = PhotogrammetrySession.Pose(camera) }
        }
        summary.upSource = alignment.placement.object.upSource.text
        summary.scaleSource = alignment.placement.object.scaleSource.text
        summary.isMetric = alignment.placement.isMetric
        summary.bounds = alignment.publicBounds
        summary.alignment = stored
        publish()
    }

    // MARK: Helpers

    /// Changes what the summary says of a sample.
    func record(_ id: Int, _ change: (inout ReconstructionSummary.Photo) -> Void) {
        guard let place = summary.photos.firstIndex(where: { $0.id == id }) else { return }
        change(&summary.photos[place])
    }

    /// By photo: what its mask depends on.
    private func maskKeys(_ photos: [Photo], _ photoStore: PhotoStore) throws -> [Digest] {
        let background = photoStore.background.map { _ in
            Digest { hasher in
                hasher.combine("background 2")
                for photo in photos { hasher.combine(photo.digest) }
            }
        }
        return try photos.map { try $0.mask?.digest() ?? background ?? .zero }
    }
}

extension LeftOutPhoto.Reason {
    var text: String {
        switch self {
        case .noMatches: "it shares too little with any other photo"
        case .tooFewPoints: "too few of its features are points of the model"
        case .noPose: "no place explains what it shows"
        case .separatePart: "it belongs to a part of the photos that doesn't join the largest"
        }
    }
}

extension ObjectPlacement.UpSource {
    var text: String {
        switch self {
        case .gravity: "a gravity sensor"
        case .cameraRoll: "how the photos were held"
        case .supportPlane: "the plane that the object stands on"
        case .unknown: "nothing: it may be wrong"
        }
    }
}

extension ObjectPlacement.ScaleSource {
    var text: String {
        switch self {
        case .depthMaps: "metres, by depth maps"
        case .given: "metres, as given"
        case .cameras: "the given cameras' unit"
        case .unitSize: "none: the object's longest side is 1"
        }
    }
}

extension ReconstructionWorker {
    private var ordering: PhotoOrdering { configuration.sampleOrdering == .sequential ? .sequential : .unordered }
}
