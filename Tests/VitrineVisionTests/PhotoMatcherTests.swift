import Testing
import VitrineMath

@testable import VitrineVision

@Suite struct PhotoMatcherTests {
    private func known(_ ball: TexturedBall) -> CameraGuess { CameraGuess(intrinsics: ball.intrinsics, isFocalKnown: true) }

    private func photos(_ ball: TexturedBall, _ cameras: [PosedCamera]) -> [FeatureSet] {
        Parallel().map(cameras.count) { FeatureDetector().detect(in: ball.photo(cameras[$0])) }
    }

    @Test func matchesABallFromAround() throws {
        let ball = TexturedBall()
        // The last one sees the other side.
        let cameras = [0, 0.2, 0.4, 3.3].map { ball.camera(angle: $0) }
        let features = photos(ball, cameras)
        let guesses = Array(repeating: known(ball), count: 4)
        var steps: [Double] = []
        let graph = try PhotoMatcher().match(
            features: features, guesses: guesses, parallel: Parallel(threads: 1), progress: { steps.append($0) })
        #expect(graph.pairs.map { [$0.first, $0.second] } == [[0, 1], [0, 2], [1, 2]])
        for pair in graph.pairs {
            let truth = TexturedBall.fundamental(cameras[pair.first], cameras[pair.second])
            let near = pair.matches.count {
                TexturedBall.distance(truth, features[pair.first].positions[Int($0.x)], features[pair.second].positions[Int($0.y)]) < 1
            }
            #expect(pair.matches.count > 60)
            #expect(near * 100 > pair.matches.count * 95)
            #expect(Set(pair.matches.map(\.x)).count == pair.matches.count)
            #expect(Set(pair.matches.map(\.y)).count == pair.matches.count)
            let relative = cameras[pair.second].cameraFromWorld * cameras[pair.first].cameraFromWorld.inverse
            let pose = try #require(pair.geometry.relativePose)
            #expect(dot(pose.translation, normalize(relative.translation)) > 0.98)
            #expect((pose.rotation.transpose * relative.rotation).trace > 2.998)
        }
        #expect(steps == steps.sorted() && steps.last == 1)

        let again = try PhotoMatcher().match(features: features, guesses: guesses, parallel: Parallel(threads: 3))
        #expect(again == graph)

        // Parts of the plan, each with the features of its photos only, give the same pairs.
        let plan = try PhotoMatcher().plan(
            features: features, guesses: guesses, ordering: .unordered, parallel: Parallel(threads: 1), isCancelled: { false })
        #expect(plan.pairs.count == 6)
        for parts in [[0..<6], [0..<1, 1..<4, 4..<4, 4..<6]] {
            let pairs = try parts.flatMap { part -> [PhotoPair] in
                let used = Set(plan.pairs[part].flatMap { [Int($0.x), Int($0.y)] })
                return try PhotoMatcher().match(
                    part, of: plan, features: features.indices.map { used.contains($0) ? features[$0] : nil }, guesses: guesses,
                    parallel: Parallel(threads: 2), progress: { _ in }, isCancelled: { false })
            }
            #expect(pairs == graph.pairs)
        }
        #expect(throws: MatchingError.self) {
            try PhotoMatcher().match(
                0..<1, of: plan, features: [nil, nil, nil, nil], guesses: guesses, parallel: Parallel(threads: 1), progress: { _ in },
                isCancelled: { false })
        }
    }

    @Test func removesAStaticBackground() throws {
        var ball = TexturedBall()
        ball.background = NoiseTexture(seed: 9, size: 24)
        let cameras = [0, 0.15, 0.3, 0.45].map { ball.camera(angle: $0) }
        let features = photos(ball, cameras)
        let guesses = Array(repeating: known(ball), count: cameras.count)
        func still(_ graph: MatchGraph) -> Int {
            graph.pairs.reduce(0) { sum, pair in
                sum
                    + pair.matches.count {
                        length(features[pair.first].positions[Int($0.x)] - features[pair.second].positions[Int($0.y)]) < 1
                    }
            }
        }
        let graph = try PhotoMatcher().match(features: features, guesses: guesses)
        #expect(still(graph) == 0)
        let neighbours = graph.pairs.filter { $0.second == $0.first + 1 }
        #expect(neighbours.count == 3)
        for pair in neighbours {
            let truth = TexturedBall.fundamental(cameras[pair.first], cameras[pair.second])
            let near = pair.matches.count {
                TexturedBall.distance(truth, features[pair.first].positions[Int($0.x)], features[pair.second].positions[Int($0.y)]) < 1.5
            }
            #expect(near * 10 > pair.matches.count * 8)
        }
        // Without the check the pairs agree on the background.
        var options = PhotoMatcher.Options()
        options.dropsStillBackground = false
        #expect(still(try PhotoMatcher(options).match(features: features, guesses: guesses)) > 100)
    }

    @Test func selectsSimilarPairs() {
        // Twelve views of three textures, in turn.
        let photos = Parallel().map(12) { index -> PreparedFeatures in
            let texture = NoiseTexture(seed: UInt64(index % 3) &+ 40, size: 24)
            let photo = texture.photo(width: 150, height: 150) { $0 + Double(index / 3) * Vector2d(9, 5) }
            return PreparedFeatures(FeatureDetector().detect(in: photo), width: 150, height: 150)
        }
        let similarity = PhotoSimilarity(photos, parallel: Parallel(threads: 2))
        for photo in 0..<12 {
            #expect(similarity.nearest(to: photo, count: 3).allSatisfy { $0 % 3 == photo % 3 })
        }

        var options = PhotoMatcher.Options()
        (options.exhaustiveCount, options.similarPhotos) = (5, 3)
        let pairs = PairSelection(options: options, ordering: .unordered).pairs(photos, parallel: Parallel())
        for i in 0..<12 { for j in stride(from: i + 3, to: 12, by: 3) { #expect(pairs.contains { $0 == (i, j) }) } }
        #expect(pairs.count < 66)
        (options.sequentialNeighbours, options.loopCandidates) = (1, 1)
        let ordered = PairSelection(options: options, ordering: .sequential).pairs(photos, parallel: Parallel())
        for i in 0..<11 { #expect(ordered.contains { $0 == (i, i + 1) }) }
        #expect(ordered.count <= 11 + 12)
        #expect(PairSelection(options: options, ordering: .unordered).pairs([], parallel: Parallel()).isEmpty)
    }

    @Test func rejectsInconsistentInput() throws {
        #expect(throws: MatchingError.self) { try PhotoMatcher().match(features: [FeatureSet()], guesses: []) }
        let broken = FeatureSet(positions: [.zero], scales: [1], orientations: [0], descriptors: [1, 2, 3])
        #expect(throws: MatchingError.self) { try PhotoMatcher().match(features: [broken], guesses: [CameraGuess(width: 8, height: 8)]) }
        let guesses = Array(repeating: CameraGuess(width: 8, height: 8), count: 3)
        #expect(throws: MatchingError.cancelled) {
            try PhotoMatcher().match(features: Array(repeating: FeatureSet(), count: 3), guesses: guesses, isCancelled: { true })
        }
        #expect(try PhotoMatcher().match(features: Array(repeating: FeatureSet(), count: 3), guesses: guesses).pairs.isEmpty)
        #expect(try PhotoMatcher().match(features: [], guesses: []).pairs.isEmpty)
    }
}
