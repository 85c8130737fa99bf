import Testing
import VitrineMath
import VitrineVision

@testable import VitrineDense

struct NeighborSelectionTests {
    private let ring = (0..<24).map { SyntheticScene.camera(angle: Double($0) * 15) }

    @Test func withoutPointsTheNearestCamerasAreSelected() {
        let sources = NeighborSelection().sources(cameras: ring, depthRanges: Array(repeating: 4...6, count: 24))
        for (index, chosen) in sources.enumerated() {
            #expect(chosen.count >= 2 && chosen.count <= 6)
            #expect(!chosen.contains(index))
            #expect(Set(chosen.prefix(2)) == [(index + 1) % 24, (index + 23) % 24])
        }
    }

    @Test func sharedPointsDetermineTheNeighbours() {
        // Cameras 0 and 1 share points, 0 and 2 as many with little parallax; camera 3 observes none.
        let cameras = [0.0, 12, 0.5, 8].map { SyntheticScene.camera(angle: $0) }
        let points = (0..<50).map { Vector3d(Double($0 % 7) / 7 - 0.5, Double($0 % 11) / 11 - 0.5, 0) }
        let all = Array(points.indices)
        let sources = NeighborSelection().sources(cameras: cameras, points: points, observations: [all, all, all, []])
        #expect(sources[0].first == 1)
        #expect(sources[3].isEmpty)
        #expect(!sources[0].contains(3))
    }

    @Test func singleCameraHasNoNeighbour() {
        #expect(NeighborSelection().sources(cameras: [ring[0]], depthRanges: [4...6]) == [[]])
        #expect(NeighborSelection().sources(cameras: [], points: [], observations: []) == [])
        // Skips observations of points that don't exist.
        #expect(NeighborSelection().sources(cameras: [ring[0], ring[1]], points: [], observations: [[5], [5]]) == [[], []])
    }
}
