import Testing
import VitrineMath

@testable import VitrineVision

/// Photos that ordinary matching or registration leaves out.
@Suite struct WideBaselineTests {
    private static func photos(_ scene: SyntheticScene) -> [MapperPhoto] {
        scene.features.map { MapperPhoto(positions: $0, guess: CameraGuess(intrinsics: scene.options.intrinsics, isFocalKnown: true)) }
    }

    /// Matches of neighbours only, with ten points in each three photos: too few for a resection.
    private static func chain(_ scene: SyntheticScene) -> MatchGraph {
        var graph = scene.graph()
        graph.pairs.removeAll { $0.second != $0.first + 1 }
        let points = scene.pointOfFeature.map { Set($0) }
        func shared(_ photo: Int) -> [Int] {
            guard photo > 0, photo + 1 < points.count else { return [] }
            return Array(points[photo - 1].intersection(points[photo]).intersection(points[photo + 1]).sorted().prefix(10))
        }
        let all = Set(points.indices.flatMap(shared))
        for index in graph.pairs.indices {
            let first = graph.pairs[index].first
            let common = Set(shared(first) + shared(first + 1))
            graph.pairs[index].matches.removeAll { match in
                let point = scene.pointOfFeature[first][Int(match.x)]
                return all.contains(point) ? !common.contains(point) : point % 2 != first % 2
            }
        }
        return graph
    }

    private static func scene() -> SyntheticScene {
        var options = SyntheticScene.Options()
        (options.cameras, options.roll) = (12, 0)
        return SyntheticScene(options)
    }

    @Test func photosOfAChainAreRegisteredByRelativePoses() throws {
        let scene = Self.scene()
        let graph = Self.chain(scene)
        let model = try Mapper().map(graph: graph, photos: Self.photos(scene), parallel: Parallel(threads: 1))
        #expect(model.registered.count == 12)
        #expect(scene.errors(of: model.cameras).map { $0.rotation < 1 } == true)
    }

    @Test func aRelativePoseThatOtherMatchesContradictIsRefused() throws {
        let scene = Self.scene()
        var graph = Self.chain(scene)
        // Photo 11 has a good pair with photo 10, and a larger one with photo 0 that shows something else.
        let count = scene.features[0].count
        let wrong = (0..<min(count, scene.features[11].count)).map { SIMD2(UInt32($0), UInt32((7 * $0 + 3) % scene.features[11].count)) }
        graph.pairs.append(PhotoPair(first: 0, second: 11, matches: wrong, geometry: scene.geometry(0, 11)))
        graph.pairs.sort { ($0.first, $0.second) < ($1.first, $1.second) }
        let model = try Mapper().map(graph: graph, photos: Self.photos(scene), parallel: Parallel(threads: 1))
        #expect(model.registered == Array(0..<11))
    }

    /// Features whose descriptors resemble each other in all photos of a point.
    private static func features(_ scene: SyntheticScene, seed: UInt64 = 5) -> [FeatureSet] {
        var numbers = SeededNumbers(seed: seed)
        let points = scene.points.map { _ in (0..<FeatureSet.descriptorLength).map { _ in numbers.below(80) } }
        return scene.features.indices.map { photo in
            var set = FeatureSet(positions: scene.features[photo])
            for point in scene.pointOfFeature[photo] {
                set.scales.append(2)
                set.orientations.append(0)
                set.descriptors += points[point].map { UInt8(max(0, min(255, $0 + numbers.below(21) - 10))) }
            }
            return set
        }
    }

    @Test func aPhotoIsMatchedWithThePointsOfAMap() throws {
        let scene = Self.scene()
        let features = Self.features(scene)
        let photos = Self.photos(scene)
        var graph = scene.graph()
        graph.pairs.removeAll { $0.first == 5 || $0.second == 5 }
        let model = try Mapper().map(graph: graph, photos: photos, parallel: Parallel(threads: 1))
        #expect(model.leftOut.map(\.photo) == [5])
        let matcher = MapMatcher(model, guesses: photos.map(\.guess)) { features[$0] }
        let pairs = matcher.pairs(of: 5, parallel: Parallel(threads: 2)) { features[$0] }
        #expect(pairs.contains { $0.first == 4 && $0.second == 5 && $0.matches.count > 50 })
        #expect(pairs == matcher.pairs(of: 5, parallel: Parallel(threads: 1)) { features[$0] })
        graph.replace(pairs)
        let next = try Mapper().map(graph: graph, photos: photos, submaps: [model], parallel: Parallel(threads: 1))
        #expect(next.registered.count == 12)
        #expect(scene.errors(of: next.cameras).map { $0.rotation < 0.3 } == true)
    }

    @Test func aPhotoOfSomethingElseIsMatchedWithNothing() throws {
        let scene = Self.scene()
        var features = Self.features(scene)
        features[5] = Self.features(scene, seed: 6)[5]
        let photos = Self.photos(scene)
        var graph = scene.graph()
        graph.pairs.removeAll { $0.first == 5 || $0.second == 5 }
        let model = try Mapper().map(graph: graph, photos: photos, parallel: Parallel(threads: 1))
        let matcher = MapMatcher(model, guesses: photos.map(\.guess)) { features[$0] }
        #expect(matcher.pairs(of: 5) { features[$0] }.isEmpty)
    }
}
