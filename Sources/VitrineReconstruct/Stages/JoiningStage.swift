import VitrineFiles
import VitrineMath
import VitrineVision

/// Passes in one frame, without their tables: the output of `JoiningStage`.
struct JoinedPasses: Sendable {
    /// Points of the object only; photos of passes that could not be joined have no camera.
    let model: SparseModel
    /// The pass of each photo; −1 for photos of a pass that was not joined.
    let passOfPhoto: [Int]
    /// The plane that the object lies on in each pass, its normal up, in the model's frame; nil if it was not found, or the pass was not
    /// joined.
    let supportPlanes: [Plane3<Double>?]
    /// Whether each pass was joined.
    let isJoined: [Bool]
    /// The unit vector up in the pass with most of the object, in the model's frame.
    let up: Vector3d
}

/// Joins separately mapped passes by the points of the object.
enum JoiningStage: Stage {
    struct Input: Sendable {
        /// A pass that was mapped separately.
        struct Pass: Sendable {
            let model: Artifact<SparseModel>
            let placement: Artifact<Placement>
        }

        /// The features of each photo, as in `MatchingStage.Input`.
        let features: [Artifact<PhotoFeatures>]
        let matches: Artifact<StoredPairs>
        let cameras: [CameraGuess]
        /// Photos with the same key share a lens.
        let cameraKeys: [String]
        let passes: [Pass]
    }

    /// nil if no two passes can be joined.
    typealias Output = JoinedPasses?

    static let name = "joined"
    static let version = 2

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("features", input.features)
        key.add("matches", input.matches)
        key.add("cameras", input.cameras)
        key.add("camera keys", input.cameraKeys)
        for pass in input.passes {
            key.add("model", pass.model)
            key.add("placement", pass.placement)
        }
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> JoinedPasses? {
        let features = try input.features.map { try resources.load($0) }
        let photos = features.indices.map {
            MapperPhoto(positions: features[$0].features.positions, guess: input.cameras[$0], groupKey: input.cameraKeys[$0])
        }
        let objects = try input.passes.map { try resources.load($0.placement).object }
        let passes = try zip(input.passes, objects).map { pass, object in
            let model = try resources.load(pass.model)
            return MappedPass(model: model, isObject: model.points.map { object.holds($0.position) })
        }
        let graph = MatchGraph(photoCount: photos.count, pairs: try resources.load(input.matches).pairs)
        let joiner = PassJoiner(passes, features: features.map(\.features), photos: photos)
        do throws(MappingError) {
            let joined = try joiner.join(
                graph, parallel: context.parallel, progress: { context.report($0) }, isCancelled: { context.isCancelled })
            return joined.map { result($0, passes, objects, features) }
        } catch {
            if case .cancelled = error { throw CancellationError() }
            return nil
        }
    }

    private static func result(
        _ joined: JoinedModel, _ passes: [MappedPass], _ objects: [ObjectPlacement], _ features: [PhotoFeatures]
    ) -> JoinedPasses {
        var model = joined.model
        model.color(by: features.map(\.colors))
        var passOfPhoto = [Int](repeating: -1, count: model.cameras.count)
        for (index, pass) in passes.enumerated() where joined.modelFromPass[index] != nil {
            for photo in pass.model.registered where model.cameras[photo] != nil { passOfPhoto[photo] = index }
        }
        let planes = passes.indices.map { pass in
            joined.modelFromPass[pass].flatMap { move in objects[pass].supportPlane.map { $0.moved(by: move) } }
        }
        let up = joined.modelFromPass[joined.reference].map { $0.rotation * objects[joined.reference].up } ?? objects[joined.reference].up
        return JoinedPasses(
            model: model, passOfPhoto: passOfPhoto, supportPlanes: planes, isJoined: joined.modelFromPass.map { $0 != nil }, up: up)
    }
}

extension ObjectPlacement {
    /// Whether a point belongs to the object: in its box, above the noise of its support plane.
    fileprivate func holds(_ point: Vector3d) -> Bool {
        let foot = 0.015 * box.longestSide
        guard box.scaled(by: 1.05).contains(point) else { return false }
        return supportPlane.map { $0.signedDistance(to: point) > foot } ?? true
    }
}

extension JoiningStage.Input.Pass: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(model)
        writer.encode(placement)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(model: try reader.decode(), placement: try reader.decode())
    }
}

extension JoiningStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(features)
        writer.encode(matches)
        writer.encode(cameras)
        writer.encode(cameraKeys)
        writer.encode(passes)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        let input = Self(
            features: try reader.decode(), matches: try reader.decode(), cameras: try reader.decode(), cameraKeys: try reader.decode(),
            passes: try reader.decode())
        guard input.cameras.count == input.features.count, input.cameraKeys.count == input.features.count else { throw DamagedCheckpoint() }
        return input
    }
}

extension JoinedPasses: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(model)
        writer.write(passOfPhoto)
        writer.writeList(supportPlanes) { writer, plane in writer.write(plane) { $1.write(to: &$0) } }
        writer.writeList(isJoined) { $0.write($1) }
        writer.write(up)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> JoinedPasses {
        let joined = JoinedPasses(
            model: try reader.decode(), passOfPhoto: try reader.array(of: Int.self),
            supportPlanes: try reader.list { (reader) throws(DamagedCheckpoint) in
                try reader.optional { (reader) throws(DamagedCheckpoint) in try Plane3<Double>.read(from: &reader) }
            },
            isJoined: try reader.list { (reader) throws(DamagedCheckpoint) in try reader.bool() }, up: try reader.vector3())
        let passes = -1..<joined.supportPlanes.count
        guard joined.passOfPhoto.count == joined.model.cameras.count, joined.passOfPhoto.allSatisfy({ passes.contains($0) }) else {
            throw DamagedCheckpoint()
        }
        return joined
    }
}
