import Testing
import VitrineGeometry
import VitrineMath
import VitrineVision

@testable import VitrineReconstruct

/// Three photos of each of two sides of an object, of which two pairs across the edge are strong, and many are weak.
@Suite struct FalseJointTests {
    /// - Parameter offset: The distance between the points of the second side and their true positions; 0: both sides observe the same points.
    private func model(offset: Double) -> SparseModel {
        let lens = CameraIntrinsics(width: 10, height: 8, focal: Vector2d(9, 9), center: Vector2d(5, 4), radial: .zero)
        let camera = PosedCamera(intrinsics: lens, cameraFromWorld: .identity)
        func points(_ photos: Range<Int>, x: Double) -> [SparsePoint] {
            (0..<100).map { index in
                SparsePoint(
                    position: Vector3d(x + 0.01 * Double(index), 0, 5), color: .zero,
                    observations: photos.map { SIMD2(UInt32($0), UInt32(index)) }, error: 0)
            }
        }
        return SparseModel(
            cameras: Array(repeating: camera, count: 6), groups: [],
            points: offset == 0 ? points(0..<6, x: 0) : points(0..<3, x: 0) + points(3..<6, x: offset), fits: [], leftOut: [])
    }

    private var graph: MatchGraph {
        let geometry = TwoViewGeometry(kind: .general, fundamental: .identity)
        func pair(_ first: Int, _ second: Int, _ count: Int) -> PhotoPair {
            PhotoPair(first: first, second: second, matches: (0..<count).map { SIMD2(UInt32($0), UInt32($0)) }, geometry: geometry)
        }
        return MatchGraph(
            photoCount: 6,
            pairs: [
                pair(0, 1, 100), pair(0, 2, 100), pair(0, 3, 15), pair(0, 4, 12), pair(0, 5, 10), pair(1, 2, 100), pair(1, 3, 60),
                pair(1, 4, 12), pair(2, 3, 90), pair(2, 5, 10), pair(3, 4, 100), pair(3, 5, 100), pair(4, 5, 100),
            ])
    }

    @Test func strongPairsShowAFalseJoint() {
        let strong = graph.strong
        #expect(strong.pairs.count == 8 && strong.pairs.allSatisfy { $0.matches.count >= 60 })
        let wrong = FalseJoint(of: model(offset: 3), in: strong)
        #expect(wrong.isProbable && wrong.deniedPairs == 2 && wrong.denied == 150 && wrong.explained == 600, "\(wrong)")
        let right = FalseJoint(of: model(offset: 0), in: strong)
        #expect(!right.isProbable && right.denied == 0 && right.explained == 750, "\(right)")
        #expect(wrong.isSolved(by: right) && !right.isSolved(by: wrong) && !wrong.isSolved(by: wrong))
    }

    /// Points that are doubled by errors along a ring are near each other: loops are closed elsewhere.
    @Test func openRingsAreNotFalseJoints() {
        #expect(!FalseJoint(of: model(offset: 0.2), in: graph.strong).isProbable)
    }
}
