import Testing
import VitrineMath
import VitrineVision

@testable import VitrineReconstruct

/// An object that lies differently on one patterned table in each pass: exact cameras, points and features.
private struct TurnedObject {
    /// tableFromObject of each pass.
    let poses: [RigidTransform]
    let photosPerPass = 14
    /// The camera of each photo in the table's frame.
    var cameras: [PosedCamera] = []
    var features: [FeatureSet] = []
    /// The object's point of each feature of each photo, or −1 − the table's point.
    private var owners: [[Int]] = []
    private var objectPoints: [Vector3d] = []
    private var tablePoints: [Vector3d] = []

    static let upright = RigidTransform(rotation: .identity, translation: Vector3d(0, 0.7, 0))
    static let lying = RigidTransform(
        rotation: .rotation(Vector3d(-.pi / 2, 0, 0)) * .rotation(Vector3d(0, 0.7, 0)), translation: Vector3d(0.05, 0.4, -0.1))

    init(_ poses: [RigidTransform]) {
        self.poses = poses
        var random = SplitMix64(seed: 11)
        func signed() -> Double { Double(random.next() >> 11) / Double(1 << 52) - 1 }
        let directions = (0..<700).map { _ in normalize(Vector3d(signed(), signed(), signed())) }
        objectPoints = directions.map { $0 * Vector3d(0.45, 0.7, 0.4) * (1 + 0.05 * signed()) }
        tablePoints = (0..<500).map { _ in Vector3d(1.4 * signed(), 0.002 * signed(), 1.4 * signed()) }
        func descriptors(_ count: Int) -> [[UInt8]] {
            (0..<count).map { _ in (0..<128).map { _ in UInt8(truncatingIfNeeded: random.next() >> 58) } }
        }
        let (objectDescriptors, tableDescriptors) = (descriptors(objectPoints.count), descriptors(tablePoints.count))
        for pose in poses {
            for index in 0..<photosPerPass {
                let camera = Self.camera(index, of: photosPerPass)
                var (set, owner) = (FeatureSet(), [Int]())
                func add(_ point: Vector3d, _ descriptor: [UInt8], _ name: Int) {
                    let pixel = camera.project(point)
                    guard pixel.x > 0, pixel.y > 0, pixel.x < 480, pixel.y < 360 else { return }
                    set.positions.append(SIMD2<Float>(pixel + Vector2d(0.1 * signed(), 0.1 * signed())))
                    set.scales.append(2)
                    set.orientations.append(0)
                    set.descriptors += descriptor
                    owner.append(name)
                }
                for (number, point) in objectPoints.enumerated() {
                    let (position, normal) = (pose * point, pose.rotation * normalize(point / Vector3d(0.2, 0.49, 0.16)))
                    guard dot(normal, normalize(camera.centerInWorld - position)) > 0.2 else { continue }
                    add(position, objectDescriptors[number], number)
                }
                for (number, point) in tablePoints.enumerated() { add(point, tableDescriptors[number], -1 - number) }
                cameras.append(camera)
                features.append(set)
                owners.append(owner)
            }
        }
    }

    private static func camera(_ index: Int, of count: Int) -> PosedCamera {
        let (azimuth, elevation) = (2 * .pi * Double(index) / Double(count), (index % 2 == 0 ? 25.0 : 48.0) * .pi / 180)
        let eye = Vector3d(cos(elevation) * sin(azimuth), sin(elevation), cos(elevation) * cos(azimuth)) * 3 + Vector3d(0, 0.5, 0)
        let forward = normalize(Vector3d(0, 0.5, 0) - eye)
        let right = normalize(cross(forward, Vector3d(0, 1, 0)))
        let rotation = Matrix3d(rows: right, cross(forward, right), forward)
        let intrinsics = CameraIntrinsics(width: 480, height: 360, focal: Vector2d(480, 480), center: Vector2d(240, 180))
        return PosedCamera(intrinsics: intrinsics, cameraFromWorld: RigidTransform(rotation: rotation, translation: -(rotation * eye)))
    }

    var photos: [MapperPhoto] {
        features.indices.map {
            MapperPhoto(positions: features[$0].positions, guess: CameraGuess(intrinsics: cameras[$0].intrinsics, isFocalKnown: true))
        }
    }

    func pass(of photo: Int) -> Int { photo / photosPerPass }

    /// The map of some photos, right about the table.
    ///
    /// - Parameter moves: Changes the frame.
    func map(_ included: [Int], _ move: SimilarityTransform = .identity) -> (model: SparseModel, isObject: [Bool]) {
        var observers: [SIMD2<Int>: [SIMD2<UInt32>]] = [:]
        for photo in included {
            for (feature, owner) in owners[photo].enumerated() {
                // A point of the object has another place in each pass.
                let key = owner < 0 ? SIMD2(-1, -1 - owner) : SIMD2(pass(of: photo), owner)
                observers[key, default: []].append(SIMD2(UInt32(photo), UInt32(feature)))
            }
        }
        let keys = observers.keys.sorted { ($0.x, $0.y) < ($1.x, $1.y) }.filter { observers[$0]!.count > 1 }
        let points = keys.map { key in
            SparsePoint(
                position: move * (key.x < 0 ? tablePoints[key.y] : poses[key.x] * objectPoints[key.y]),
                observations: observers[key]!.sorted { $0.x < $1.x })
        }
        let placed: [PosedCamera?] = cameras.indices.map { photo in
            guard included.contains(photo) else { return nil }
            return PosedCamera(intrinsics: cameras[photo].intrinsics, cameraFromWorld: move.moved(cameras[photo].cameraFromWorld))
        }
        let model = SparseModel(
            cameras: placed, groups: [], points: points, fits: cameras.map { _ in PhotoFit() }, leftOut: [])
        return (model, keys.map { $0.x >= 0 })
    }

    /// The matches of features of the same point, within passes.
    var graph: MatchGraph {
        var pairs: [PhotoPair] = []
        for a in cameras.indices {
            let features = Dictionary(uniqueKeysWithValues: owners[a].enumerated().map { ($0.element, $0.offset) })
            for b in cameras.indices where b > a && pass(of: a) == pass(of: b) {
                var matches = owners[b].enumerated().compactMap { feature, owner in
                    features[owner].map { SIMD2(UInt32($0), UInt32(feature)) }
                }
                matches.sort { $0.x < $1.x }
                guard matches.count >= 15 else { continue }
                pairs.append(
                    PhotoPair(first: a, second: b, matches: matches, geometry: TwoViewGeometry(kind: .general, fundamental: .identity)))
            }
        }
        return MatchGraph(photoCount: cameras.count, pairs: pairs)
    }

    func placement(of model: SparseModel) throws -> ObjectPlacement { try ObjectFinder().find(ObjectEvidence(model)) }
}

@Suite struct PassTests {
    @Test func aTurnedObjectGivesTwoPasses() throws {
        let scene = TurnedObject([TurnedObject.upright, TurnedObject.lying])
        let all = scene.map(Array(scene.cameras.indices)).model
        let object = try scene.placement(of: all)
        #expect(object.supportPlane != nil)
        let found = PassFinder(model: all, object: object).find()
        let passes = try #require(found)
        for photo in scene.cameras.indices { #expect(passes[photo] == scene.pass(of: photo)) }
    }

    @Test func anObjectThatStaysGivesOne() throws {
        let scene = TurnedObject([TurnedObject.upright])
        let all = scene.map(Array(scene.cameras.indices)).model
        let object = try scene.placement(of: all)
        let unnamed = PassFinder(model: all, object: object).find()
        #expect(unnamed == nil)
        // Names of passes alone don't separate them.
        let names = scene.cameras.indices.map { $0 < 7 ? "first" : "second" }
        let named = PassFinder(model: all, object: object, names: names).find()
        #expect(named == nil)
    }

    @Test func passesJoinByTheirObject() throws {
        let scene = TurnedObject([TurnedObject.upright, TurnedObject.lying])
        let move = SimilarityTransform(scale: 2.5, rotation: .rotation(Vector3d(0.3, 1.1, -0.4)), translation: Vector3d(4, -2, 1))
        var (first, second) = (scene.map(Array(0..<14)), scene.map(Array(14..<28), move))
        (first.model.fits[3].contradictedShare, second.model.fits[20].contradictedShare) = (0.3, 0.4)
        let joiner = PassJoiner(
            [MappedPass(model: first.model, isObject: first.isObject), MappedPass(model: second.model, isObject: second.isObject)],
            features: scene.features, photos: scene.photos)
        let found = try joiner.join(scene.graph)
        let joined = try #require(found)
        #expect(joined.modelFromPass.allSatisfy { $0 != nil })
        #expect(joined.model.registered.count == 28)
        let shares = joined.model.fits.map(\.contradictedShare)
        #expect(shares[3] == 0.3 && shares[20] == 0.4 && shares.count { $0 == 0 } == 26)
        // In the object's frame all cameras are where they were.
        let truth = scene.cameras.indices.map { photo in
            scene.poses[scene.pass(of: photo)].inverse * scene.cameras[photo].centerInWorld
        }
        let centers = joined.model.cameras.compactMap { $0?.centerInWorld }
        let fit = try #require(SimilarityTransform.aligning(centers, to: truth))
        for (center, exact) in zip(centers, truth) { #expect(length(fit * center - exact) < 0.01) }
        // Points that both passes observe are one.
        let shared = joined.model.points.count { point in Set(point.observations.map { scene.pass(of: Int($0.x)) }).count == 2 }
        #expect(shared > 100)
    }

    @Test func passesOfDifferentObjectsStayApart() throws {
        let other = TurnedObject([TurnedObject.upright, TurnedObject.lying])
        let (first, second) = (other.map(Array(0..<14)), other.map(Array(14..<28)))
        var features = other.features
        var random = SplitMix64(seed: 3)
        for photo in 14..<28 {
            for byte in features[photo].descriptors.indices {
                features[photo].descriptors[byte] = UInt8(truncatingIfNeeded: random.next() >> 58)
            }
        }
        let joiner = PassJoiner(
            [MappedPass(model: first.model, isObject: first.isObject), MappedPass(model: second.model, isObject: second.isObject)],
            features: features, photos: other.photos)
        let joined = try joiner.join(other.graph)
        #expect(joined.map(\.reference) == nil)
    }
}
