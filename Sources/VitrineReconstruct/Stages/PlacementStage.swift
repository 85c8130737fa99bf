import VitrineFiles
import VitrineMath
import VitrineVision

/// The object's position and the scale: the output of `PlacementStage`.
struct Placement: Sendable {
    /// The object in the mapper's frame.
    let object: ObjectPlacement
    /// The scale by depth maps, whether it is used or not; nil without depth maps that show it.
    let depthScale: DepthScale?

    var placedFromMapper: FrameTransform<MapperFrame, PlacedFrame> { FrameTransform(similarity: object.publicFromReconstruction) }
    var isMetric: Bool { object.scaleSource != .unitSize }

    /// Units of the placed frame in a metre of the depth maps; nil without any.
    var unitsPerDepthMetre: Double? { depthScale.map { object.publicFromReconstruction.scale / $0.metresPerUnit } }
}

/// Segments the object from its surroundings and finds gravity and scale.
enum PlacementStage: Stage {
    struct Input: Sendable {
        /// A photo's clues.
        struct Clues: Sendable {
            let name: String
            let orientation: PhotoOrientation
            let upInCamera: Vector3d?
            let depth: SensorDepthMap?
            /// Whether its camera is known before the reconstruction.
            let isKnown: Bool
            /// The object, in the frame of the known cameras.
            let boundingBox: BoundingBox?
            /// nil for photos that no capture session took.
            var tracked: TrackedShot?
        }

        let model: Artifact<SparseModel>
        /// Passes that replace the model; nil for photos of one rigid scene.
        var joined: Artifact<JoinedPasses?>?
        /// Names the placement of one of several passes; nil for that of all photos.
        var pass: Int?
        /// The clues of each photo.
        let photos: [Clues]
        let scale: PhotogrammetrySession.Configuration.Scale
        /// Keeps all of the scene, not only the object.
        let keepsScene: Bool
        /// Whether the photos have masks: see `ObjectFinder.Options.isMasked`.
        var isMasked = false
        /// The background that made all masks, if it is static: see `ObjectFinder.Options.backgrounds`.
        var background: Artifact<BackgroundModel?>?
    }

    typealias Output = Placement

    static let name = "placement"
    static let version = 5

    static func fileName(for input: Input) -> String { input.pass.map { "placement-pass-\($0)" } ?? name }

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("model", input.model)
        if let joined = input.joined { key.add("joined", joined) }
        key.add("scale", input.scale)
        key.add("keeps scene", input.keepsScene)
        key.add("masked", input.isMasked)
        if let background = input.background { key.add("background", background) }
        for photo in input.photos {
            key.add("name", photo.name)
            key.add("orientation", photo.orientation)
            key.add("up", photo.upInCamera.map { [$0.x, $0.y, $0.z] })
            key.add("depth", photo.depth)
            key.add("known", photo.isKnown)
            key.add("box", photo.boundingBox.map { StoredBounds($0) })
            if let tracked = photo.tracked { key.add("tracked", tracked) }
        }
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> Placement {
        let joined = try input.joined.flatMap { try resources.load($0) }
        let model = try joined?.model ?? resources.load(input.model)
        guard model.cameras.count == input.photos.count else { throw DamagedCheckpoint() }
        let background = try input.background.flatMap { try resources.load($0) }
        return try PlacementFinder(input: input, model: model, objectUp: joined?.up, background: background).find()
    }
}

private struct PlacementFinder {
    let input: PlacementStage.Input
    let model: SparseModel
    /// The up direction of the object: see `ObjectFinder.Options.objectUp`.
    let objectUp: Vector3d?
    let background: BackgroundModel?

    func find() throws -> Placement {
        var finder = ObjectFinder()
        finder.options.objectUp = objectUp
        finder.options.isMasked = input.isMasked
        finder.options.keepsEverything = input.keepsScene
        let evidence = ObjectEvidence(
            model, orientations: input.photos.map(\.orientation.rawValue), upsInCamera: input.photos.map(\.upInCamera))
        let placed = model.registered
        if let background { finder.options.backgrounds = placed.map { background.scene(of: $0) } }
        let depthScale = try DepthScale.estimate(evidence, depthMaps: { try input.photos[placed[$0]].depth?.depths() })
        finder.options.scale = try scale(depthScale)
        finder.options.box = givenBox
        // Joined passes have points of the object only.
        if objectUp == nil { finder.options.hint = OrientedBox(trackedIn: trackedPhotos) }
        do throws(ObjectFinder.Failure) {
            var object = try finder.find(evidence)
            if case .size(let metres) = input.scale, object.box.longestSide > 0 {
                finder.options.scale = (metres / object.box.longestSide, .given)
                object = try finder.find(evidence)
            }
            if let trackedScale, !trackedScale.isReliable {
                let share = Int((100 * trackedScale.residual).rounded())
                object.warnings.append("the capture's camera poses differ by \(share) % in scale: they are not used for the model's size")
            }
            object.warnings += trackingWarnings
            return Placement(object: object, depthScale: depthScale)
        } catch {
            switch error {
            case .noCameras: throw ReconstructionError.notAligned("no photo's camera is known")
            case .tooFewPoints(let count): throw ReconstructionError.notAligned("they share only \(count) points")
            }
        }
    }

    /// A sample's box, if all samples' cameras are known: the mapper keeps their frame.
    private var givenBox: OrientedBox? {
        guard !input.keepsScene, objectUp == nil, input.photos.allSatisfy(\.isKnown),
            let box = input.photos.compactMap(\.boundingBox).first(where: { !$0.isEmpty })
        else { return nil }
        return OrientedBox(center: Vector3d(box.center), axes: .identity, halfExtents: Vector3d(box.size) / 2)
    }

    private var trackedPhotos: [TrackedPhoto] {
        input.photos.indices.compactMap { photo in
            guard let tracked = input.photos[photo].tracked, let camera = model.cameras[photo] else { return nil }
            return (camera.centerInWorld, tracked)
        }
    }

    /// A warning that names the photos whose cameras and tracked poses contradict each other.
    private var trackingWarnings: [String] {
        let contradicted = trackedPhotos.contradicted
        guard let largest = contradicted.map(\.deviation).max() else { return [] }
        let photos = input.photos.indices.filter { input.photos[$0].tracked != nil && model.cameras[$0] != nil }
        let names = contradicted.map { input.photos[photos[$0.index]].name }
        let more = names.count > 4 ? " and \(names.count - 3) more" : ""
        let list = names.prefix(more.isEmpty ? 4 : 3).joined(separator: ", ") + more
        return [
            "the reconstructed cameras deviate from the capture's camera poses by up to \(Int((100 * largest).rounded())) % of their distance to the "
                + "centre (\(list)): one of the two is wrong, and the model can be bent there"
        ]
    }

    private var trackedScale: TrackedScale? { TrackedScale.estimate(trackedPhotos) }

    private func scale(_ depthScale: DepthScale?) throws -> (metresPerUnit: Double, source: ObjectPlacement.ScaleSource)? {
        switch input.scale {
        case .unit, .size: return nil
        case .baseline(let first, let second, let metres):
            let distance = length(try center(first) - center(second))
            guard distance > 0 else {
                throw ReconstructionError.invalidOption("scale: \(first) and \(second) were taken from the same position")
            }
            return (metres / distance, .given)
        case .automatic:
            if let depthScale { return (depthScale.metresPerUnit, .depthMaps) }
            if input.photos.contains(where: \.isKnown) { return (1, .cameras) }
            guard let trackedScale, trackedScale.isReliable else { return nil }
            return (trackedScale.metresPerUnit, .trackedCameras)
        }
    }

    private func center(_ name: String) throws -> Vector3d {
        let photo = input.photos.firstIndex { $0.name == name || $0.name.hasPrefix(name + ".") }
        guard let photo else { throw ReconstructionError.invalidOption("scale: there is no photo '\(name)'") }
        guard let camera = model.cameras[photo] else {
            throw ReconstructionError.invalidOption("scale: the camera of \(name) is not known")
        }
        return camera.centerInWorld
    }
}

extension Placement {
    /// Problems of the depth maps, one line each.
    func depthWarnings(hasDepth: Bool) -> [String] {
        guard hasDepth else { return [] }
        guard let depthScale else {
            return ["the depth maps are not used: no photo has enough points in them to estimate their scale"]
        }
        guard depthScale.residual > 0.05 else { return [] }
        let share = Int((100 * depthScale.residual).rounded())
        return ["the photos' depth maps differ by \(share) % in scale: are they in millimetres (PNG) or metres (EXR), and of these photos?"]
    }
}

// MARK: Byte coding

extension Placement: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(object)
        writer.encode(depthScale)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Placement {
        Placement(object: try reader.decode(), depthScale: try reader.decode())
    }
}

extension DepthScale: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(metresPerUnit)
        writer.write(residual)
        writer.write(photos)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> DepthScale {
        DepthScale(metresPerUnit: try reader.double(), residual: try reader.double(), photos: try reader.int())
    }
}

extension ObjectPlacement: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(up)
        writer.write(upSource.rawValue)
        writer.write(supportPlane) { $1.write(to: &$0) }
        writer.write(standsOnBottom)
        writer.write(observesGround)
        writer.encode(box)
        writer.write(subject.rawValue)
        writer.write(isSeenFromOneSide)
        writer.encode(publicFromReconstruction)
        writer.write(scaleSource.rawValue)
        writer.write(confidence)
        writer.encode(warnings)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> ObjectPlacement {
        let up = try reader.vector3()
        guard let upSource = UpSource(rawValue: try reader.text()) else { throw DamagedCheckpoint() }
        let plane = try reader.optional { (reader) throws(DamagedCheckpoint) in try Plane3<Double>.read(from: &reader) }
        let (standsOnBottom, observesGround) = (try reader.bool(), try reader.bool())
        let box: OrientedBox = try reader.decode()
        guard let subject = Subject(rawValue: try reader.text()) else { throw DamagedCheckpoint() }
        let isOneSided = try reader.bool()
        let transform: SimilarityTransform = try reader.decode()
        guard let scaleSource = ScaleSource(rawValue: try reader.text()) else { throw DamagedCheckpoint() }
        var placement = ObjectPlacement(
            up: up, upSource: upSource, supportPlane: plane, box: box, subject: subject, isSeenFromOneSide: isOneSided,
            publicFromReconstruction: transform, scaleSource: scaleSource, confidence: try reader.double(), warnings: try reader.decode())
        (placement.standsOnBottom, placement.observesGround) = (standsOnBottom, observesGround)
        return placement
    }
}

extension PhotogrammetrySession.Configuration.Scale: ByteCodable {
    func write(to writer: inout ByteWriter) {
        switch self {
        case .automatic: writer.write(0)
        case .unit: writer.write(1)
        case .size(let metres):
            writer.write(2)
            writer.write(metres)
        case .baseline(let first, let second, let metres):
            writer.write(3)
            writer.write(first)
            writer.write(second)
            writer.write(metres)
        }
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        switch try reader.int() {
        case 0: return .automatic
        case 1: return .unit
        case 2: return .size(try reader.double())
        case 3: return .baseline(try reader.text(), try reader.text(), try reader.double())
        default: throw DamagedCheckpoint()
        }
    }
}

/// The byte coding of a bounding box.
private struct StoredBounds: ByteCodable {
    let bounds: BoundingBox

    init(_ bounds: BoundingBox) { self.bounds = bounds }

    func write(to writer: inout ByteWriter) { writer.write([bounds.minimum, bounds.maximum]) }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> StoredBounds {
        let corners = try reader.vectors(of: Float.self)
        guard corners.count == 2 else { throw DamagedCheckpoint() }
        return StoredBounds(BoundingBox(minimum: corners[0], maximum: corners[1]))
    }
}

extension PlacementStage.Input.Clues: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(name)
        writer.encode(orientation)
        writer.write(upInCamera) { $0.write($1) }
        writer.encode(depth)
        writer.write(isKnown)
        writer.encode(boundingBox.map { StoredBounds($0) })
        writer.encode(tracked)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(
            name: try reader.text(), orientation: try reader.decode(),
            upInCamera: try reader.optional { (reader) throws(DamagedCheckpoint) in try reader.vector3() }, depth: try reader.decode(),
            isKnown: try reader.bool(), boundingBox: try reader.decode(StoredBounds?.self)?.bounds, tracked: try reader.decode())
    }
}

extension PlacementStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(model)
        writer.encode(joined)
        writer.encode(pass)
        writer.encode(photos)
        writer.encode(scale)
        writer.write(keepsScene)
        writer.write(isMasked)
        writer.encode(background)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(
            model: try reader.decode(), joined: try reader.decode(), pass: try reader.decode(), photos: try reader.decode(),
            scale: try reader.decode(), keepsScene: try reader.bool(), isMasked: try reader.bool(), background: try reader.decode())
    }
}
