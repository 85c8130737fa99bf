import Testing
import VitrineMath

@testable import VitrineVision

@Suite struct SparseModelTests {
    /// The synthetic scene's ground truth as a model.
    static func model(_ scene: SyntheticScene) -> SparseModel {
        var points = scene.points.map { SparsePoint(position: $0, observations: []) }
        for photo in scene.cameras.indices {
            for (feature, point) in scene.pointOfFeature[photo].enumerated() {
                points[point].observations.append(SIMD2(UInt32(photo), UInt32(feature)))
            }
        }
        points.removeAll { $0.observations.count < 2 }
        let group = CameraGroup(intrinsics: scene.options.intrinsics, lens: .pinhole, photos: Array(scene.cameras.indices))
        return SparseModel(
            cameras: scene.cameras, groups: [group], points: points, fits: scene.cameras.map { _ in PhotoFit() }, leftOut: [])
    }

    @Test func depthRangesContainVisiblePoints() {
        let scene = SyntheticScene()
        var model = Self.model(scene)
        // Points at absurd depths don't widen them.
        model.points[0].position = Vector3d(1e6, 0, 0)
        let ranges = model.depthRanges()
        let seen = model.pointsByPhoto()
        for (photo, range) in ranges.enumerated() {
            guard let range else {
                Issue.record("photo \(photo) has no range")
                continue
            }
            let depths = seen[photo].map { (scene.cameras[photo].cameraFromWorld * model.points[$0].position).z }
            let inside = depths.filter { range.contains(Float($0)) }.count
            #expect(Double(inside) > 0.97 * Double(depths.count))
            #expect(range.lowerBound > 1 && range.upperBound < 7)
        }
        model.cameras[2] = nil
        #expect(model.depthRanges()[2] == nil)
        #expect(SparseModel(cameras: [nil], groups: [], points: [], fits: [], leftOut: []).depthRanges().count == 1)
    }

    @Test func neighboursHaveUsefulAngles() {
        let scene = SyntheticScene()
        let model = Self.model(scene)
        for (photo, views) in model.neighbours().enumerated() {
            // 16 cameras on a ring: those beside are 22.5° apart.
            let best = views.prefix(2).map { min(abs($0.photo - photo), 16 - abs($0.photo - photo)) }
            #expect(best == [1, 1])
            #expect(abs(views[0].medianAngle - .pi / 8) < 0.15)
            #expect(zip(views, views.dropFirst()).allSatisfy { $0.score >= $1.score })
        }
    }

    @Test func similarityTransformsKeepProjections() {
        let scene = SyntheticScene()
        var model = Self.model(scene)
        let before = model.cameras[3]!.project(model.points[7].position)
        model.move(by: SimilarityTransform(scale: 2.5, rotation: .rotation(Vector3d(0.2, 1, -0.4)), translation: Vector3d(1, -2, 3)))
        #expect(length(model.cameras[3]!.project(model.points[7].position) - before) < 1e-9)
    }

    @Test func alignsBySimilarity() {
        var numbers = SeededNumbers(seed: 4)
        let truth = SimilarityTransform(scale: 0.37, rotation: .rotation(Vector3d(2, -1, 0.5)), translation: Vector3d(3, 1, -8))
        for planar in [false, true] {
            let points = (0..<20).map { _ in
                Vector3d(numbers.uniform(-1...1), numbers.uniform(-1...1), planar ? 0 : numbers.uniform(-1...1))
            }
            let found = SimilarityTransform.aligning(points, to: points.map { truth * $0 })
            #expect(found.map { abs($0.scale - 0.37) < 1e-9 && length($0.translation - truth.translation) < 1e-7 } == true)
            #expect(found.map { ($0.rotation.transpose * truth.rotation).trace > 3 - 1e-9 } == true)
        }
        let line = [0.0, 1, 2, 3].map { Vector3d($0, 0, 0) }
        #expect(SimilarityTransform.aligning(line, to: line) == nil)
        #expect(SimilarityTransform.aligning([.zero], to: [.zero]) == nil)
    }
}
