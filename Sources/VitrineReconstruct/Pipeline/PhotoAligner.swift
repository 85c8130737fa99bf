import VitrineDenseGPU
import VitrineFiles
import VitrineMath
import VitrineVision

/// The passes of an alignment, in the placed frame.
struct AlignedPasses: Sendable {
    /// The pass of each photo; −1 for photos of none.
    let passOfPhoto: [Int]
    /// The plane on which the object lies in each pass, with its normal up; nil if it was not found.
    let supportPlanes: [Plane3<Float>?]

    /// The tables of some photos.
    func tables(of photos: [Int]) -> [Plane3<Float>?] {
        photos.map { photo in supportPlanes[safe: passOfPhoto[photo]] ?? nil }
    }
}

/// Matches the photos, maps them and segments the object; joins passes between which the object was moved or turned over.
struct PhotoAligner {
    let photos: [Photo]
    /// The features of each photo.
    let features: [Artifact<PhotoFeatures>]
    /// Whether nearly all photos have given masks or a static background.
    let isMasked: Bool
    /// The static background that made all masks; nil if there is none.
    let background: Artifact<BackgroundModel?>?
    let job: ReconstructionJob
    let runner: StepRunner
    let record: RunRecord
    /// Called with the photos that the matches connect, in ascending order: others are hardly ever registered.
    var whenMatched: ([Int]) -> Void = { _ in }

    struct Aligned {
        /// The model in the mapper's frame.
        let model: SparseModel
        let placement: Placement
        let passes: AlignedPasses?
    }

    private var configuration: PhotogrammetrySession.Configuration { job.configuration }
    private var cameras: [CameraGuess] { LensGroups.guesses(of: photos) }
    private var cameraKeys: [String] { LensGroups.keys(of: photos) }

    func align() throws -> Aligned {
        let pairs = try match()
        report(pairs)
        whenMatched(MatchGraph(photoCount: photos.count, pairs: pairs.pairs).connectedPhotos(byPairsOf: Mapper.Options().minimumPoints))
        let matches = MatchingStage.artifact(for: matchingInput())
        let (model, mapping) = try map(matches)
        let placing = placementInput(MappingStage.artifact(for: mapping))
        let placement: Placement
        do {
            placement = try runner.run(PlacementStage.self, placing, as: .placement)
        } catch {
            report(model)
            throw error
        }
        if let joined = try joinPasses(matches, placing) { return joined }
        report(model)
        warn(placement)
        try warnAboutMotion(model, matches, placement)
        return Aligned(model: model, placement: placement, passes: nil)
    }

    /// Matches the photos on the configuration's device.
    private func match() throws -> StoredPairs {
        try runner.step(.matching) { context, wasRestored in
            do {
                return try runner.resources.matchingGPU.run(configuration.computeDevice, in: context) { isOnGPU in
                    let output = try runner.resources.output(of: MatchingStage.self, matchingInput(isOnGPU: isOnGPU), in: context)
                    wasRestored = output.wasRestored
                    return output.value
                }
            } catch let error as DenseGPUError {
                throw ReconstructionError.notAligned(error.description)
            }
        }
    }

    /// Maps the photos, in submaps, which are then merged, if the configuration asks for them.
    private func map(_ matches: Artifact<StoredPairs>) throws -> (SparseModel, MappingStage.Input) {
        try runner.step(.mapping) { context, wasRestored in
            let count = largestSubmapCount == 0 ? 0 : try divide(matches, context).count
            var submaps: [Artifact<SparseModel>] = []
            for number in 0..<count {
                let part = context.part(from: 0.5 * Double(number) / Double(count), to: 0.5 * Double(number + 1) / Double(count))
                if let submap = try mapSubmap(number, matches, part) { submaps.append(submap) }
            }
            var mapping = mappingInput(matches)
            mapping.submaps = submaps
            let output = try runner.resources.output(of: MappingStage.self, mapping, in: context.part(from: count == 0 ? 0 : 0.5, to: 1))
            wasRestored = output.wasRestored
            return (output.value, mapping)
        }
    }

    /// The number of submaps at most; 0: all photos are mapped at once.
    private var largestSubmapCount: Int {
        // Known cameras need no order.
        photos.contains { $0.known != nil } ? 0 : SubmapStage.largestCount(photos: photos.count, size: configuration.submapPhotoCount)
    }

    /// The photos of each submap.
    func divide(_ matches: Artifact<StoredPairs>, _ context: StageContext) throws -> [[Int]] {
        guard largestSubmapCount > 0, let size = configuration.submapPhotoCount else { return [] }
        let input = SubmapStage.Input(matches: matches, count: photos.count, size: size)
        return try runner.resources.output(of: SubmapStage.self, input, in: context).value
    }

    /// Maps the photos of a submap. Returns nil if there is no such submap, or no initial pair in it.
    func mapSubmap(_ number: Int, _ matches: Artifact<StoredPairs>, _ context: StageContext) throws -> Artifact<SparseModel>? {
        let groups = try divide(matches, context)
        guard groups.indices.contains(number) else { return nil }
        let input = mappingInput(matches, pass: MappingStage.Input.Pass(isSubmap: true, number: number, photos: groups[number]))
        do {
            _ = try runner.resources.output(of: MappingStage.self, input, in: context)
        } catch is ReconstructionError {
            return nil
        }
        return MappingStage.artifact(for: input)
    }

    func matchingInput(isOnGPU: Bool = false) -> MatchingStage.Input {
        MatchingStage.Input(
            features: features, cameras: cameras, isSequential: configuration.sampleOrdering == .sequential, isOnGPU: isOnGPU)
    }

    private func mappingInput(_ matches: Artifact<StoredPairs>, pass: MappingStage.Input.Pass? = nil) -> MappingStage.Input {
        MappingStage.Input(
            features: features, matches: matches, cameras: cameras, cameraKeys: cameraKeys,
            known: photos.contains { $0.known != nil } ? photos.map(\.known) : [], pass: pass,
            deviation: configuration.cameraDeviation.map { KnownCameraDeviation($0) })
    }

    private func placementInput(
        _ model: Artifact<SparseModel>, joined: Artifact<JoinedPasses?>? = nil, pass: Int? = nil
    ) -> PlacementStage.Input {
        let clues = photos.map { photo in
            PlacementStage.Input.Clues(
                name: photo.name, orientation: photo.facts.orientation, upInCamera: photo.upInCamera, depth: photo.depth,
                isKnown: photo.known != nil, boundingBox: photo.boundingBox, tracked: photo.tracked)
        }
        // The scale of a pass is not the model's.
        let scale = pass == nil ? configuration.scale : .unit
        return PlacementStage.Input(
            model: model, joined: joined, pass: pass, photos: clues, scale: scale, keepsScene: configuration.ignoreBoundingBox,
            isMasked: isMasked, background: background)
    }

    /// Warns if the object was moved between the photos, by too little for separate passes.
    private func warnAboutMotion(_ model: SparseModel, _ matches: Artifact<StoredPairs>, _ placement: Placement) throws {
        guard !configuration.ignoreBoundingBox, placement.object.supportPlane != nil else { return }
        let motion = ObjectMotion.find(in: model, pairs: try runner.resources.load(matches).pairs, object: placement.object)
        if let motion { record.warn(motion.warning(names: photos.map(\.name))) }
    }

    private func warn(_ placement: Placement) {
        for warning in placement.object.warnings + placement.depthWarnings(hasDepth: photos.contains { $0.depth != nil })
        where warning != ObjectFinder.noSupportWarning {
            // The surface points may show the support plane: see `ReconstructionPipeline.settle`.
            record.warn(warning)
        }
    }
}

// MARK: Passes

extension PhotoAligner {
    /// A pass that was mapped separately.
    private struct Part {
        let number: Int
        let model: SparseModel
        let placing: PlacementStage.Input
        let placement: Placement
    }

    /// nil if one rigid scene explains the photos, or all of it is kept.
    private func joinPasses(_ matches: Artifact<StoredPairs>, _ placing: PlacementStage.Input) throws -> Aligned? {
        // Given cameras say where each photo was taken.
        guard !configuration.ignoreBoundingBox, !photos.contains(where: { $0.known != nil }) else { return nil }
        let finding = PassStage.Input(
            model: placing.model, placement: PlacementStage.artifact(for: placing), names: photos.map(\.passName))
        let passes = try runner.run(PassStage.self, finding, as: .placement, name: "passes")
        guard passes.isSeveral else { return nil }
        let parts = try (0..<passes.count).compactMap { try map($0, passes, matches) }
        guard let largest = parts.max(by: { ($0.model.points.count, -$0.number) < ($1.model.points.count, -$1.number) }) else { return nil }
        let joining = JoiningStage.Input(
            features: features, matches: matches, cameras: cameras, cameraKeys: cameraKeys,
            passes: parts.map {
                JoiningStage.Input.Pass(model: $0.placing.model, placement: PlacementStage.artifact(for: $0.placing))
            })
        guard let joined = try runner.run(JoiningStage.self, joining, as: .mapping, name: "joining passes") else {
            describe(passes, [largest])
            report(largest.model)
            // With its scale.
            let alone = try runner.run(
                PlacementStage.self, placementInput(largest.placing.model), as: .placement, name: "placement, pass \(largest.number + 1)")
            warn(alone)
            return Aligned(model: largest.model, placement: alone, passes: nil)
        }
        let placed = try runner.run(
            PlacementStage.self, placementInput(placing.model, joined: JoiningStage.artifact(for: joining)), as: .placement,
            name: "placement of all passes")
        describe(passes, zip(parts, joined.isJoined).filter(\.1).map(\.0))
        report(joined.model)
        warn(placed)
        let move = placed.placedFromMapper.similarity
        let planes = joined.supportPlanes.map { plane in
            plane.map { Plane3<Float>(normal: Vector3($0.normal), offset: Float($0.offset)).moved(by: move) }
        }
        return Aligned(
            model: joined.model, placement: placed, passes: AlignedPasses(passOfPhoto: joined.passOfPhoto, supportPlanes: planes))
    }

    /// nil if the photos of the pass cannot be aligned.
    private func map(_ number: Int, _ passes: PhotoPasses, _ matches: Artifact<StoredPairs>) throws -> Part? {
        let pass = MappingStage.Input.Pass(number: number, photos: passes.photos(of: number))
        let mapping = mappingInput(matches, pass: pass)
        let placing = placementInput(MappingStage.artifact(for: mapping), pass: number)
        do {
            let model = try runner.run(MappingStage.self, mapping, as: .mapping, name: "cameras, pass \(number + 1)")
            let placement = try runner.run(PlacementStage.self, placing, as: .placement, name: "placement, pass \(number + 1)")
            return Part(number: number, model: model, placing: placing, placement: placement)
        } catch is ReconstructionError {
            return nil
        }
    }

    /// Reports the passes, and those that are not in the model.
    private func describe(_ passes: PhotoPasses, _ joined: [Part]) {
        let sizes = (0..<passes.count).map { "\(passes.photos(of: $0).count)" }.joined(separator: " + ")
        record.update { $0.settings.append(("passes", "\(sizes) photos: the object was moved or turned over between them")) }
        let lost = (0..<passes.count).filter { number in !joined.contains { $0.number == number } }
        guard !lost.isEmpty else { return }
        let groups = lost.map { pass in
            let own = passes.photos(of: pass)
            return own.count == 1 ? photos[own[0]].name : "\(photos[own[0]].name) … \(photos[own[own.count - 1]].name)"
        }
        record.warn(
            "The object was moved or turned over between \(passes.count) groups of photos; \(groups.joined(separator: ", ")) could not be "
                + "joined with the others and \(lost.count == 1 ? "is" : "are") not in the model: take photos of sides that two poses share."
        )
    }
}

// MARK: Reports

extension PhotoAligner {
    private func report(_ matches: StoredPairs) {
        var partners = [Int](repeating: 0, count: photos.count)
        for pair in matches.pairs {
            partners[pair.first] += 1
            partners[pair.second] += 1
        }
        for (photo, count) in zip(photos, partners) { record.updatePhoto(photo.id) { $0.matchedPhotos = count } }
    }

    private func report(_ model: SparseModel) {
        for photo in model.registered {
            let fit = model.fits[photo]
            record.updatePhoto(photos[photo].id) { record in
                record.state = .used
                (record.observations, record.reprojectionError) = (fit.observationCount, fit.meanError)
            }
        }
        for left in model.leftOut {
            record.updatePhoto(photos[left.photo].id) { $0.state = .leftOut(left.reason.text) }
            job.emit(.skippedSample(id: photos[left.photo].id))
        }
        if !model.leftOut.isEmpty {
            let names = model.leftOut.map { photos[$0.photo].name }
            record.warn("\(names.count) of \(photos.count) photos could not be aligned with the others: \(names.joined(separator: ", "))")
            job.emit(.stitchingIncomplete)
        }
        if let warning = model.contradictionWarning(names: photos.map(\.name)) { record.warn(warning) }
        record.update { summary in
            summary.sparsePoints = model.points.count
            summary.cameras = model.groups.map(\.text)
        }
    }
}
