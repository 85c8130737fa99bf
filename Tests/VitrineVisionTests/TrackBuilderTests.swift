import Testing

@testable import VitrineVision

@Suite struct TrackBuilderTests {
    private func pair(_ first: Int, _ second: Int, _ matches: [(UInt32, UInt32)]) -> PhotoPair {
        PhotoPair(
            first: first, second: second, matches: matches.map { SIMD2($0.0, $0.1) },
            geometry: TwoViewGeometry(kind: .general, fundamental: .identity))
    }

    @Test func buildsTracksFromMatches() {
        let graph = MatchGraph(
            photoCount: 3, pairs: [pair(0, 1, [(0, 1), (2, 0)]), pair(0, 2, [(2, 3)]), pair(1, 2, [(1, 2)])])
        let tracks = TrackBuilder.tracks(of: graph, featureCounts: [3, 2, 4])
        #expect(tracks.map(\.observations) == [[SIMD2(0, 0), SIMD2(1, 1), SIMD2(2, 2)], [SIMD2(0, 2), SIMD2(1, 0), SIMD2(2, 3)]])
    }

    @Test func removesContradictingMatches() {
        // Photo 3 would have two features of one point; photos 0, 1, 2 agree.
        let graph = MatchGraph(
            photoCount: 4, pairs: [pair(0, 1, [(0, 0)]), pair(0, 3, [(0, 0)]), pair(1, 2, [(0, 0)]), pair(1, 3, [(0, 1)])])
        let tracks = TrackBuilder.tracks(of: graph, featureCounts: [1, 1, 1, 2])
        #expect(tracks.map(\.observations) == [[SIMD2(0, 0), SIMD2(1, 0), SIMD2(2, 0)]])
        // The two photos contradict each other: no track remains.
        let mixed = MatchGraph(photoCount: 2, pairs: [pair(0, 1, [(0, 0), (1, 0), (1, 1)])])
        #expect(TrackBuilder.tracks(of: mixed, featureCounts: [2, 2]).isEmpty)
    }

    @Test func ignoresInvalidFeatures() {
        let graph = MatchGraph(photoCount: 2, pairs: [pair(0, 1, [(5, 0), (0, 9)]), pair(0, 7, [(0, 0)])])
        #expect(TrackBuilder.tracks(of: graph, featureCounts: [1, 1]).isEmpty)
    }
}
