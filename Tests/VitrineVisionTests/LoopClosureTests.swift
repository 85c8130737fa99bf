import Testing
import VitrineMath

@testable import VitrineVision

@Suite struct LoopClosureTests {
    /// A map of a ring whose second half is rotated around the object and has no points in common with the first half: both are consistent.
    private static func opened(_ scene: SyntheticScene, by angle: Double) -> SparseModel {
        let count = scene.cameras.count
        let moves = [RigidTransform.identity, RigidTransform(rotation: .rotation(Vector3d(0, angle, 0)), translation: .zero)]
        func half(_ photo: Int) -> Int { photo * 2 / count }
        let cameras = scene.cameras.enumerated().map { photo, camera in
            PosedCamera(intrinsics: camera.intrinsics, cameraFromWorld: camera.cameraFromWorld * moves[half(photo)].inverse)
        }
        var tracks = [[[SIMD2<UInt32>]]](repeating: [[], []], count: scene.points.count)
        for photo in 0..<count {
            for (feature, point) in scene.pointOfFeature[photo].enumerated() {
                tracks[point][half(photo)].append(SIMD2(UInt32(photo), UInt32(feature)))
            }
        }
        let points = scene.points.indices.flatMap { point in
            (0..<2).filter { tracks[point][$0].count > 1 }.map { half in
                SparsePoint(position: moves[half] * scene.points[point], observations: tracks[point][half])
            }
        }
        let group = CameraGroup(intrinsics: scene.options.intrinsics, lens: .simpleRadial, photos: Array(0..<count))
        return SparseModel(cameras: cameras, groups: [group], points: points, fits: cameras.map { _ in PhotoFit() }, leftOut: [])
    }

    /// With outliers, matches of a part of each pair are wrong too.
    @Test(arguments: [0, 0.15]) func openRingsAreClosed(outliers: Double) throws {
        var options = SyntheticScene.Options()
        (options.cameras, options.outliers) = (24, outliers)
        let scene = SyntheticScene(options)
        let open = Self.opened(scene, by: 6 * .pi / 180)
        func mapped(_ closesLoops: Bool) throws -> SparseModel {
            var mapper = Mapper()
            mapper.options.closesLoops = closesLoops
            return try mapper.map(
                graph: scene.graph(), photos: MapperTests.photos(scene, isFocalKnown: true), submaps: [open],
                parallel: Parallel(threads: 1))
        }
        // The photos at both gaps contradict their cameras, although the reprojection error is small.
        let left = try mapped(false)
        #expect(left.registered.count == 24 && left.meanReprojectionError < 0.6)
        #expect(scene.errors(of: left.cameras).map { $0.rotation > 2 } == true)
        let shares = left.fits.map(\.contradictedShare)
        #expect([0, 11, 12, 23].allSatisfy { shares[$0] > 0.2 } && shares[6] < 0.1 && shares[18] < 0.1, "\(shares)")

        let closed = try mapped(true)
        #expect(closed.registered.count == 24 && closed.meanReprojectionError < 0.6)
        #expect(scene.errors(of: closed.cameras).map { $0.rotation < 0.15 && $0.position < 0.02 } == true)
        #expect(closed.fits.allSatisfy { $0.contradictedShare < 0.05 }, "\(closed.fits.map(\.contradictedShare))")
    }

    /// Matches of repeated texture, whose relative pose is far from the model's, neither open nor bend a ring.
    @Test func repeatedTextureOpensNothing() throws {
        let scene = SyntheticScene()
        var graph = scene.graph()
        let index = try #require(graph.pairs.firstIndex { $0.first == 0 && $0.second == 1 })
        // Photo 8 is opposite of photo 0, and has the matches of photo 1.
        var positions = scene.features
        positions[8] += scene.features[1]
        let shift = UInt32(scene.features[8].count)
        var wrong = graph.pairs[index]
        (wrong.second, wrong.matches) = (8, wrong.matches.map { SIMD2($0.x, $0.y + shift) })
        graph.replace([wrong])
        var photos = MapperTests.photos(scene, isFocalKnown: true)
        for photo in photos.indices { photos[photo].positions = positions[photo] }
        let model = try Mapper().map(graph: graph, photos: photos, parallel: Parallel(threads: 1))
        #expect(scene.errors(of: model.cameras).map { $0.rotation < 0.15 } == true)
        #expect(model.fits.allSatisfy { $0.contradictedShare < 0.05 })
    }
}
