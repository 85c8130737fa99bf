import Testing
import VitrineMath

@testable import VitrineVision

@Suite struct MapperTests {
    static func photos(_ scene: SyntheticScene, isFocalKnown: Bool = false) -> [MapperPhoto] {
        scene.features.map { positions in
            var guess = CameraGuess(width: scene.options.intrinsics.width, height: scene.options.intrinsics.height)
            if isFocalKnown {
                guess.isFocalKnown = true
                guess.intrinsics.focal = scene.options.intrinsics.focal
            }
            return MapperPhoto(positions: positions, guess: guess)
        }
    }

    @Test(arguments: [0.7, 1.15, 2.5]) func findsCamerasOfAnyFocalLength(ratio: Double) throws {
        var options = SyntheticScene.Options()
        options.intrinsics.focal = Vector2d(1000, 1000) * ratio
        options.distance = 3.5 * ratio
        options.outliers = 0.1
        let scene = SyntheticScene(options)
        let model = try Mapper().map(graph: scene.graph(), photos: Self.photos(scene), parallel: Parallel(threads: 1))
        #expect(model.registered.count == 16 && model.leftOut.isEmpty)
        #expect(abs(model.groups[0].intrinsics.focal.x / (1000 * ratio) - 1) < 0.01)
        let errors = scene.errors(of: model.cameras)
        #expect(errors.map { $0.rotation < 0.1 && $0.position < 0.01 * options.distance } == true)
        #expect(model.points.count > 700 && model.meanReprojectionError < 0.6)
        #expect(model.groups[0].focalDeviation > 0 && model.groups[0].focalDeviation < 0.01)
        // Each track is of one point.
        let mixed = model.points.filter { point in
            Set(point.observations.map { scene.pointOfFeature[Int($0.x)][Int($0.y)] }).count > 1
        }
        #expect(mixed.count * 50 < model.points.count)
    }

    @Test func selectsTheLensModelByTheData() throws {
        var options = SyntheticScene.Options()
        options.points = 2500
        let plain = SyntheticScene(options)
        let simple = try Mapper().map(graph: plain.graph(), photos: Self.photos(plain), parallel: Parallel(threads: 1))
        #expect(simple.groups[0].lens == .simpleRadial)
        #expect(simple.groups[0].intrinsics.center == Vector2d(500, 400))

        options.intrinsics.center = Vector2d(520, 385)
        options.intrinsics.distortion = .radial(-0.15, 0.05)
        options.distance = 3
        let bent = SyntheticScene(options)
        let rich = try Mapper().map(graph: bent.graph(), photos: Self.photos(bent), parallel: Parallel(threads: 1))
        #expect(rich.groups[0].lens == .brownConrady)
        #expect(length(rich.groups[0].intrinsics.center - Vector2d(520, 385)) < 4)
        #expect(bent.errors(of: rich.cameras).map { $0.rotation < 0.15 } == true)

        var mapper = Mapper()
        mapper.options.richestLens = .pinhole
        let pinhole = try mapper.map(graph: plain.graph(), photos: Self.photos(plain), parallel: Parallel(threads: 1))
        #expect(pinhole.groups[0].lens == .pinhole && !pinhole.groups[0].intrinsics.isDistorted)
    }

    @Test func isDeterministicForAnyNumberOfThreads() throws {
        var options = SyntheticScene.Options()
        (options.cameras, options.points, options.outliers) = (10, 600, 0.1)
        options.arc = 3
        let scene = SyntheticScene(options)
        let models = try [1, 3].map { threads in
            try Mapper().map(graph: scene.graph(), photos: Self.photos(scene), parallel: Parallel(threads: threads))
        }
        #expect(models[0].cameras == models[1].cameras)
        #expect(models[0].points == models[1].points)
        #expect(models[0].groups == models[1].groups)
    }

    @Test func keepsGivenCameras() throws {
        let scene = SyntheticScene()
        var known: [PosedCamera?] = scene.cameras
        // Two lenses must be estimated.
        (known[3], known[9]) = (nil, nil)
        let model = try Mapper().map(graph: scene.graph(), photos: Self.photos(scene), known: known, parallel: Parallel(threads: 1))
        for photo in known.indices where known[photo] != nil { #expect(model.cameras[photo] == known[photo]) }
        for photo in [3, 9] {
            let difference = (model.cameras[photo]?.centerInWorld ?? .zero) - scene.cameras[photo].centerInWorld
            #expect(length(difference) < 0.02)
        }
        let errors = model.points.map { point -> Double in
            let first = point.observations[0]
            return length(point.position - scene.points[scene.pointOfFeature[Int(first.x)][Int(first.y)]])
        }.sorted()
        #expect(errors.count > 800 && errors[errors.count / 2] < 0.003)
    }

    @Test func givenCamerasCanBeRefined() throws {
        let scene = SyntheticScene()
        var numbers = SeededNumbers(seed: 12)
        let rough = scene.cameras.map { camera in
            var moved = camera
            moved.cameraFromWorld.translation += numbers.direction() * 0.01
            moved.cameraFromWorld.rotation = Matrix3d.rotation(numbers.direction() * 0.003) * camera.cameraFromWorld.rotation
            return moved
        }
        var mapper = Mapper()
        mapper.options.knownCameraDeviation = KnownCameraDeviation()
        let model = try mapper.map(graph: scene.graph(), photos: Self.photos(scene), known: rough, parallel: Parallel(threads: 1))
        #expect(scene.errors(of: model.cameras).map { $0.rotation < 0.05 && $0.position < 0.005 } == true)
        // Still in the given world.
        let middle = model.cameras.map { $0?.centerInWorld ?? .zero }.reduce(Vector3d.zero, +) / 16
        #expect(length(middle - rough.map(\.centerInWorld).reduce(Vector3d.zero, +) / 16) < 1e-3)
    }

    /// Cameras wrong by 0.3° and 0.5 % of their distance, with a focal length wrong by 0.5 %, come back to a tenth of it.
    @Test(arguments: [1, 2, 3] as [UInt64]) func refinedCamerasMatchTheGroundTruth(seed: UInt64) throws {
        var options = SyntheticScene.Options()
        (options.seed, options.points) = (seed, 4000)
        let scene = SyntheticScene(options)
        var numbers = SeededNumbers(seed: seed + 20)
        let rough = scene.cameras.map { camera in
            var moved = camera
            let center = camera.centerInWorld + numbers.direction() * (0.005 * options.distance)
            let rotation = Matrix3d.rotation(numbers.direction() * (0.3 * .pi / 180)) * camera.cameraFromWorld.rotation
            moved.cameraFromWorld = RigidTransform(rotation: rotation, translation: -(rotation * center))
            moved.intrinsics.focal *= 1.005
            return moved
        }
        let before = try #require(scene.errors(of: rough))
        var mapper = Mapper()
        let fixed = try mapper.map(graph: scene.graph(), photos: Self.photos(scene), known: rough, parallel: Parallel(threads: 1))
        mapper.options.knownCameraDeviation = KnownCameraDeviation()
        let model = try mapper.map(graph: scene.graph(), photos: Self.photos(scene), known: rough, parallel: Parallel(threads: 1))
        let after = try #require(scene.errors(of: model.cameras))
        #expect(before.rotation > 0.2)
        #expect(after.rotation < 0.03 && after.position < 0.0005 * options.distance, "\(before), \(after)")
        #expect(model.meanReprojectionError < 0.5 * fixed.meanReprojectionError)
        #expect(abs(model.groups[0].intrinsics.focal.x / options.intrinsics.focal.x - 1) < 0.002)
    }

    /// Without contradicting observations, a camera stays at its prior: cost and gradient vanish there.
    @Test func priorsMeasureRotationAndCentre() {
        let scene = SyntheticScene()
        let pose = scene.cameras[0].cameraFromWorld
        let prior = BundleProblem.PosePrior(cameraFromWorld: pose, rotationInformation: 4, positionInformation: 9)
        #expect(prior.cost(of: pose) < 1e-20)
        let turned = RigidTransform(rotation: .rotation(Vector3d(0, 0.1, 0)) * pose.rotation, translation: .zero)
        let residual = prior.residual(of: RigidTransform(rotation: turned.rotation, translation: -(turned.rotation * prior.expectedCenter)))
        #expect(length(residual.rotation - Vector3d(0, 0.1, 0)) < 1e-9 && length(residual.center) < 1e-9)
        let moved = RigidTransform(rotation: pose.rotation, translation: pose.translation + Vector3d(0.2, 0, 0))
        #expect(abs(prior.cost(of: moved) - 9 * 0.04) < 1e-9)
    }

    @Test func twoKindsOfCamerasGetSeparateLenses() throws {
        let scene = SyntheticScene()
        var photos = Self.photos(scene)
        for index in photos.indices where index % 3 == 0 {
            photos[index].guess = CameraGuess(width: 500, height: 400)
            photos[index].positions = photos[index].positions.map { $0 / 2 }
            photos[index].groupKey = "small"
        }
        let model = try Mapper().map(graph: scene.graph(), photos: photos, parallel: Parallel(threads: 1))
        #expect(model.registered.count == 16 && model.groups.count == 2)
        #expect(model.groups[0].photos == [0, 3, 6, 9, 12, 15])
        #expect(abs(model.groups[0].intrinsics.focal.x / 575 - 1) < 0.01)
        #expect(abs(model.groups[1].intrinsics.focal.x / 1150 - 1) < 0.01)
        #expect(scene.errors(of: model.cameras).map { $0.rotation < 0.1 } == true)
    }

    @Test func lensesWithFewPhotosAreAdjustedTogether() throws {
        var options = SyntheticScene.Options()
        options.intrinsics.distortion = .radial(-0.1)
        let scene = SyntheticScene(options)
        var photos = Self.photos(scene)
        for index in photos.indices { photos[index].groupKey = "camera \(index % 5)" }
        let model = try Mapper().map(graph: scene.graph(), photos: photos, parallel: Parallel(threads: 1))
        #expect(model.groups.count == 5 && model.registered.count == 16)
        #expect(
            model.groups.allSatisfy { abs($0.intrinsics.focal.x / 1150 - 1) < 0.01 && abs($0.intrinsics.distortion.radial.x + 0.1) < 0.03 })
        #expect(scene.errors(of: model.cameras).map { $0.rotation < 0.1 } == true)
    }

    @Test func aWrongPoseContradictsItsMatches() throws {
        let scene = SyntheticScene()
        let lens = MapState.LensState(
            intrinsics: scene.options.intrinsics, guess: scene.options.intrinsics, isFocalKnown: true, isHeld: true)
        var state = MapState(
            graph: try CorrespondenceGraph(scene.graph(), Self.photos(scene)), lensOfPhoto: Array(repeating: 0, count: 16), lenses: [lens],
            photos: Self.photos(scene))
        for photo in 0..<16 { state.poses[photo] = scene.cameras[photo].cameraFromWorld }
        let parallel = Parallel(threads: 1)
        let right = state.agreement(with: scene.graph(), parallel: parallel)
        #expect(right.share == 1 && right.matches == scene.graph().pairs.reduce(0) { $0 + $1.matches.count })
        // A third of the way round the ring.
        state.poses[4] = scene.cameras[9].cameraFromWorld
        let wrong = state.agreement(with: scene.graph(), parallel: parallel)
        #expect(wrong.matches == right.matches && wrong.share < 0.95)
        for photo in 1..<16 { state.poses[photo] = nil }
        #expect(state.agreement(with: scene.graph(), parallel: parallel).share == 1)
    }

    @Test func omitsUnrelatedPhotos() throws {
        let scene = SyntheticScene()
        var graph = scene.graph()
        // Photo 5 matches nothing; photo 11's matches are all wrong.
        graph.pairs.removeAll { $0.first == 5 || $0.second == 5 }
        var numbers = SeededNumbers(seed: 8)
        for index in graph.pairs.indices where graph.pairs[index].first == 11 || graph.pairs[index].second == 11 {
            let count = scene.features[11].count
            for match in graph.pairs[index].matches.indices {
                if graph.pairs[index].first == 11 {
                    graph.pairs[index].matches[match].x = UInt32(numbers.below(count))
                } else {
                    graph.pairs[index].matches[match].y = UInt32(numbers.below(count))
                }
            }
        }
        let model = try Mapper().map(graph: graph, photos: Self.photos(scene), parallel: Parallel(threads: 1))
        #expect(model.leftOut == [LeftOutPhoto(photo: 5, reason: .noMatches), LeftOutPhoto(photo: 11, reason: .noPose)])
        #expect(scene.errors(of: model.cameras).map { $0.rotation < 0.1 } == true)
    }

    @Test func keepsTheLargerOfTwoParts() throws {
        let scene = SyntheticScene()
        var graph = scene.graph()
        graph.pairs.removeAll { ($0.first < 5) != ($0.second < 5) }
        let model = try Mapper().map(graph: graph, photos: Self.photos(scene), parallel: Parallel(threads: 1))
        #expect(model.registered == Array(5..<16))
        #expect(model.leftOut.map(\.reason) == Array(repeating: .separatePart, count: 5))
    }

    @Test func mergesModelsByCommonPoints() throws {
        let scene = SyntheticScene()
        let graph = try CorrespondenceGraph(scene.graph(), Self.photos(scene))
        let lens = MapState.LensState(
            intrinsics: scene.options.intrinsics, guess: scene.options.intrinsics, isFocalKnown: true, isHeld: true)
        var model = MapState(graph: graph, lensOfPhoto: Array(repeating: 0, count: 16), lenses: [lens], photos: Self.photos(scene))
        var part = model
        let away = SimilarityTransform(scale: 0.3, rotation: .rotation(Vector3d(1, 0.5, -1)), translation: Vector3d(3, 2, 1))
        for photo in 0..<9 { model.poses[photo] = scene.cameras[photo].cameraFromWorld }
        for photo in 9..<16 { part.poses[photo] = away.moved(scene.cameras[photo].cameraFromWorld) }
        for photo in 0..<9 { model.triangulate(photo: photo, MapState.TriangulationLimits()) }
        for photo in 9..<16 { part.triangulate(photo: photo, MapState.TriangulationLimits()) }
        let mapping = IncrementalMapping(
            options: Mapper.Options(), parallel: Parallel(threads: 1), isCancelled: { false }, registered: { _ in })
        #expect(mapping.join(part, to: &model))
        #expect(model.registeredCount == 16)
        #expect(scene.errors(of: (0..<16).map { model.camera($0) }).map { $0.rotation < 0.3 && $0.position < 0.02 } == true)
    }

    @Test func detectsAStaticBackground() throws {
        // A turntable: in the object's frame the cameras move around it; spots of the wall stay at the same pixels in all photos.
        let scene = SyntheticScene()
        var numbers = SeededNumbers(seed: 21)
        let spots = (0..<150).map { _ in SIMD2<Float>(Float(numbers.uniform(0...1000)), Float(numbers.uniform(0...800))) }
        var photos = Self.photos(scene)
        let starts = photos.map { UInt32($0.positions.count) }
        for photo in photos.indices {
            photos[photo].positions += spots.map { $0 + SIMD2(Float(0.2 * numbers.normal()), Float(0.2 * numbers.normal())) }
        }
        var graph = MatchGraph(photoCount: 16)
        let moving = scene.graph(minimum: 1)
        for first in 0..<16 {
            for second in first + 1..<max(first + 1, 16) {
                var matches = moving.pairs.first { $0.first == first && $0.second == second }?.matches ?? []
                matches += (0..<150).map { SIMD2(starts[first] + $0, starts[second] + $0) }
                graph.pairs.append(PhotoPair(first: first, second: second, matches: matches, geometry: scene.geometry(first, second)))
            }
        }
        let model = try Mapper().map(graph: graph, photos: photos, parallel: Parallel(threads: 1))
        #expect(model.registered.count == 16)
        #expect(scene.errors(of: model.cameras).map { $0.rotation < 0.1 } == true)
        #expect(model.points.allSatisfy { point in point.observations.allSatisfy { $0.y < starts[Int($0.x)] } })
    }

    @Test func reportsWhyThereIsNoModel() {
        #expect(throws: MappingError.noInitialPair) { try Mapper().map(graph: MatchGraph(photoCount: 0), photos: []) }
        let photo = MapperPhoto(positions: [SIMD2(1, 2), SIMD2(.nan, 1)], guess: CameraGuess(width: 100, height: 100))
        #expect(throws: MappingError.noInitialPair) { try Mapper().map(graph: MatchGraph(photoCount: 2), photos: [photo, photo]) }
        #expect(throws: MappingError.self) { try Mapper().map(graph: MatchGraph(photoCount: 1), photos: []) }
        var graph = MatchGraph(photoCount: 2)
        let geometry = TwoViewGeometry(kind: .general, fundamental: .identity)
        graph.pairs = [PhotoPair(first: 0, second: 1, matches: [SIMD2(0, 9)], geometry: geometry)]
        #expect(throws: MappingError.self) { try Mapper().map(graph: graph, photos: [photo, photo]) }
        graph.pairs[0].matches = [SIMD2(0, 1)]
        #expect(throws: MappingError.noInitialPair) { try Mapper().map(graph: graph, photos: [photo, photo]) }
        do {
            var odd = photo
            odd.guess.intrinsics.focal.x = .nan
            #expect(throws: MappingError.self) { try Mapper().map(graph: MatchGraph(photoCount: 1), photos: [odd]) }
            let flipped = PosedCamera(
                intrinsics: photo.guess.intrinsics,
                cameraFromWorld: RigidTransform(rotation: .identity * -1, translation: .zero))
            #expect(throws: MappingError.self) {
                try Mapper().map(graph: MatchGraph(photoCount: 1), photos: [photo], known: [flipped])
            }
        }
        let scene = SyntheticScene()
        #expect(throws: MappingError.cancelled) {
            try Mapper().map(graph: scene.graph(), photos: Self.photos(scene), isCancelled: { true })
        }
    }

    @Test func progressRisesToOne() throws {
        var options = SyntheticScene.Options()
        (options.cameras, options.arc, options.points) = (5, 1.2, 400)
        let scene = SyntheticScene(options)
        var seen: [Double] = []
        _ = try Mapper().map(
            graph: scene.graph(), photos: Self.photos(scene), parallel: Parallel(threads: 1), progress: { seen.append($0) })
        #expect(seen.count > 4 && seen.last == 1)
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test func correctsAWrongFocalLength() throws {
        let scene = SyntheticScene()
        var photos = Self.photos(scene, isFocalKnown: true)
        for photo in photos.indices { photos[photo].guess.intrinsics.focal *= 2.2 }
        let model = try Mapper().map(graph: scene.graph(), photos: photos, parallel: Parallel(threads: 1))
        #expect(model.registered.count == 16)
        #expect(abs(model.groups[0].intrinsics.focal.x / 1150 - 1) < 0.02)
    }

    @Test func threePhotosAreEnough() throws {
        var options = SyntheticScene.Options()
        (options.cameras, options.arc) = (3, 0.8)
        let scene = SyntheticScene(options)
        let model = try Mapper().map(graph: scene.graph(), photos: Self.photos(scene, isFocalKnown: true), parallel: Parallel(threads: 1))
        #expect(model.registered.count == 3)
        #expect(scene.errors(of: model.cameras).map { $0.rotation < 0.5 } == true)
    }
}
