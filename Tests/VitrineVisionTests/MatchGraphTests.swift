import Testing

@testable import VitrineVision

@Suite struct MatchGraphTests {
    private func pair(_ first: Int, _ second: Int, _ count: UInt32) -> PhotoPair {
        PhotoPair(
            first: first, second: second, matches: (0..<count).map { SIMD2($0, $0) },
            geometry: TwoViewGeometry(kind: .general, fundamental: .identity))
    }

    @Test func theLargestGroupIsConnected() {
        let graph = MatchGraph(photoCount: 7, pairs: [pair(0, 4, 20), pair(1, 2, 30), pair(2, 5, 15), pair(4, 5, 14)])
        #expect(graph.connectedPhotos(byPairsOf: 15) == [1, 2, 5])
        #expect(graph.connectedPhotos(byPairsOf: 14) == [0, 1, 2, 4, 5])
        #expect(graph.connectedPhotos(byPairsOf: 31).count == 1)
        #expect(MatchGraph(photoCount: 0).connectedPhotos(byPairsOf: 1).isEmpty)
    }
}
