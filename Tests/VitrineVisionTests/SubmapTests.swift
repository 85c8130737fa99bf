import Testing
import VitrineMath

@testable import VitrineVision

@Suite struct SubmapTests {
    /// The photos of a meander with their matches, and the true cameras.
    private static func input(cameras: Int) -> (photos: [MapperPhoto], graph: MatchGraph, truth: SyntheticScene) {
        let problem = MeanderScene(cameras: cameras, pointsPerCamera: 40).problem
        var options = SyntheticScene.Options()
        (options.cameras, options.points) = (0, 0)
        var truth = SyntheticScene(options)
        truth.cameras = problem.cameras.map { PosedCamera(intrinsics: MeanderScene.intrinsics, cameraFromWorld: $0.cameraFromWorld) }
        var positions = [[SIMD2<Float>]](repeating: [], count: cameras)
        var matches: [SIMD2<Int>: [SIMD2<UInt32>]] = [:]
        for point in problem.points.indices {
            var features: [(photo: Int, feature: UInt32)] = []
            for o in problem.pointStarts[point]..<problem.pointStarts[point + 1] {
                let photo = Int(problem.observedCameras[o])
                for other in features {
                    matches[SIMD2(other.photo, photo), default: []].append(SIMD2(other.feature, UInt32(positions[photo].count)))
                }
                features.append((photo, UInt32(positions[photo].count)))
                positions[photo].append(SIMD2<Float>(problem.observedPixels[o]))
            }
        }
        var graph = MatchGraph(photoCount: cameras)
        for (pair, list) in matches.sorted(by: { ($0.key.x, $0.key.y) < ($1.key.x, $1.key.y) }) where list.count >= 20 {
            graph.pairs.append(PhotoPair(first: pair.x, second: pair.y, matches: list, geometry: truth.geometry(pair.x, pair.y)))
        }
        var guess = CameraGuess(width: 640, height: 480)
        (guess.intrinsics.focal, guess.isFocalKnown) = (Vector2d(545, 545), true)
        return (positions.map { MapperPhoto(positions: $0, guess: guess) }, graph, truth)
    }

    private static func part(_ graph: MatchGraph, _ photos: [Int]) -> MatchGraph {
        MatchGraph(photoCount: graph.photoCount, pairs: graph.pairs.filter { photos.contains($0.first) && photos.contains($0.second) })
    }

    @Test func mergedSubmapsAreAsAccurateAsOneMap() throws {
        let (photos, graph, truth) = Self.input(cameras: 72)
        let groups = Submaps.divided(graph, size: 24)
        #expect(groups.count == 3 && groups.allSatisfy { $0.count >= 15 } && groups.flatMap { $0 }.sorted() == Array(0..<72))
        let submaps = try groups.map { try Mapper().map(graph: Self.part(graph, $0), photos: photos, parallel: Parallel(threads: 2)) }
        for (group, submap) in zip(groups, submaps) { #expect(submap.registered == group) }
        var reported = 0.0
        let merged = try Mapper().map(graph: graph, photos: photos, submaps: submaps, parallel: Parallel(threads: 2)) { fraction in
            #expect(fraction >= reported && fraction <= 1)
            reported = fraction
        }
        let whole = try Mapper().map(graph: graph, photos: photos, parallel: Parallel(threads: 2))
        #expect(merged.registered.count == 72 && whole.registered.count == 72)
        let (a, b) = (try #require(truth.errors(of: merged.cameras)), try #require(truth.errors(of: whole.cameras)))
        #expect(b.rotation < 0.15 && a.rotation < 1.1 * b.rotation)
        #expect(b.position < 0.02 && a.position < 1.1 * b.position)
        // Points on both sides of a border are one point.
        #expect(abs(merged.points.count - whole.points.count) * 50 < whole.points.count)
        #expect(abs(merged.groups[0].intrinsics.focal.x / whole.groups[0].intrinsics.focal.x - 1) < 1e-3)
    }

    @Test func photosOfFailedSubmapsAreRegisteredOneByOne() throws {
        let (photos, graph, _) = Self.input(cameras: 40)
        let groups = Submaps.divided(graph, size: 20)
        try #require(groups.count == 2)
        let submap = try Mapper().map(graph: Self.part(graph, groups[0]), photos: photos, parallel: Parallel(threads: 2))
        let merged = try Mapper().map(graph: graph, photos: photos, submaps: [submap], parallel: Parallel(threads: 2))
        #expect(merged.registered.count == 40)
    }

    @Test func divisionCoversSeparateGroupsAndOmitsPhotosWithoutMatches() {
        // Two chains of 30 and 10 photos, and one photo alone.
        var graph = MatchGraph(photoCount: 41)
        let match = [SIMD2<UInt32>](repeating: SIMD2(0, 0), count: 20)
        let geometry = TwoViewGeometry(kind: .general, fundamental: .identity)
        for first in 0..<40 where first != 29 && first != 39 {
            graph.pairs.append(PhotoPair(first: first, second: first + 1, matches: match, geometry: geometry))
        }
        let groups = Submaps.divided(graph, size: 15)
        #expect(groups.count <= 3 && groups.allSatisfy { $0 == $0.sorted() && $0.count >= 12 })
        let photos = groups.flatMap { $0 }
        #expect(Set(photos).count == photos.count && Set(photos).isSuperset(of: 0..<30) && !photos.contains(40))
        #expect(Submaps.divided(MatchGraph(photoCount: 5), size: 2).isEmpty)
    }
}
