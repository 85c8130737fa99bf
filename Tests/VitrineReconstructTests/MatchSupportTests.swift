import Testing
import VitrineGeometry
import VitrineMath
import VitrineVision

@testable import VitrineReconstruct

@Suite struct MatchSupportTests {
    /// Five photos with 50 matches in each pair; the model has no common points of the last photo with others, or only a part of them.
    @Test(arguments: [(shared: 0, contradicted: [4]), (10, [4]), (45, [])])
    func photosThatContradictTheirMatchesAreFound(_ last: (shared: Int, contradicted: [Int])) {
        let lens = CameraIntrinsics(width: 10, height: 8, focal: Vector2d(9, 9), center: Vector2d(5, 4), radial: .zero)
        let camera = PosedCamera(intrinsics: lens, cameraFromWorld: .identity)
        let matches = (0..<50).map { SIMD2(UInt32($0), UInt32($0)) }
        let geometry = TwoViewGeometry(kind: .general, fundamental: .identity)
        var graph = MatchGraph(photoCount: 6)
        for second in 1..<6 {
            for first in 0..<second { graph.pairs.append(PhotoPair(first: first, second: second, matches: matches, geometry: geometry)) }
        }
        let points = (0..<50).map { index in
            SparsePoint(
                position: .zero, color: .zero, observations: (0..<(index < last.shared ? 5 : 4)).map { SIMD2(UInt32($0), UInt32(index)) },
                error: 0)
        }
        // The sixth photo is not registered.
        let model = SparseModel(
            cameras: Array(repeating: camera, count: 5) + [nil], groups: [], points: points, fits: [], leftOut: [])
        let support = MatchSupport(of: model, in: graph)
        #expect(support.contradicted == last.contradicted && support.shares[5] == nil, "\(support.shares)")
        #expect(graph.without([4]).pairs.count == 10)
    }

    @Test func contradictedPhotosGiveAWarning() {
        let lens = CameraIntrinsics(width: 10, height: 8, focal: Vector2d(9, 9), center: Vector2d(5, 4), radial: .zero)
        let camera = PosedCamera(intrinsics: lens, cameraFromWorld: .identity)
        let names = ["a.jpg", "b.jpg", "c.jpg"]
        var model = SparseModel(
            cameras: [camera, camera, nil], groups: [], points: [], fits: names.map { _ in PhotoFit() }, leftOut: [])
        #expect(model.contradictionWarning(names: names) == nil)
        // A photo without camera contradicts nothing.
        for (photo, share) in [0.1, 0.3, 0.5].enumerated() { model.fits[photo].contradictedShare = share }
        #expect(model.contradictionWarning(names: names)?.hasPrefix("The matches of b.jpg contradict the cameras") == true)
    }
}
