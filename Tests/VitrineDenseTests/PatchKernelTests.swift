import Testing
import VitrineVision

@testable import VitrineDense

struct PatchKernelTests {
    private func value(_ x: Double, _ y: Double) -> Double {
        SyntheticScene.texture(Vector3d(x / 40, y / 40, 0.3)) * 200 + 20
    }

    private func image(_ value: (Double, Double) -> Double) -> StereoImage {
        var gray = GrayPlane(width: 60, height: 50, repeating: 0)
        for y in 0..<50 { for x in 0..<60 { gray[x, y] = Float(value(Double(x), Double(y))) } }
        return StereoImage(gray: gray)
    }

    /// The cost of the patch around (30, 25) against another image, with its centre at (x, y) and the given axes.
    private func cost(
        _ reference: StereoImage, _ source: StereoImage, x: Float = 30, y: Float = 25,
        _ jacobian: (Float, Float, Float, Float) = (1, 0, 0, 1), curvature: SIMD4<Float> = .zero
    ) -> Float {
        let memory = UnsafeMutablePointer<SIMD8<Float>>.allocate(capacity: ReferencePatch.vectorCount)
        defer { memory.deallocate() }
        let patch = ReferencePatch(memory)
        let border = StereoImage.border
        patch.load(
            reference.words + (25 + border) * reference.stride + 30 + border, stride: reference.stride,
            curvature: curvature)
        return patch.cost(
            source.words, stride: Float(source.stride), x: x + Float(border), y: y + Float(border), jxx: jacobian.0, jxy: jacobian.1,
            jyx: jacobian.2, jyy: jacobian.3, bx: 2, by: -1)
    }

    @Test func identicalPatchHasNoCost() {
        let reference = image(value)
        #expect(cost(reference, reference) < 0.01)
        #expect(cost(reference, reference, x: 33) > 0.1)
        #expect(cost(reference, reference, y: 22) > 0.1)
    }

    @Test func costIgnoresExposureButNotInversion() {
        let reference = image(value)
        #expect(cost(reference, image { 0.6 * value($0, $1) + 30 }) < 0.02)
        #expect(cost(reference, image { 240 - value($0, $1) }) > 1.9)
    }

    @Test func costFollowsTheWarp() {
        // The source image is the reference image under this map.
        let (a, b, c, d) = (1.2, 0.15, -0.1, 0.9)
        let det = a * d - b * c
        let source = image { x, y in
            let (u, v) = (x - 31.4, y - 24.7)
            return value(30 + (d * u - b * v) / det, 25 + (a * v - c * u) / det)
        }
        let reference = image(value)
        let right = cost(reference, source, x: 31.4, y: 24.7, (Float(a), Float(b), Float(c), Float(d)))
        #expect(right < 0.02)
        #expect(cost(reference, source, x: 31.4, y: 24.7) > 3 * right)
    }

    @Test func costFollowsTheCurvature() {
        // The source image shows a paraboloid: its pixels move by its height times (2, −1).
        let curvature = SIMD4<Float>(0.012, -0.006, 0.02, 0)
        func height(_ x: Double, _ y: Double) -> Double {
            0.5 * Double(curvature.x) * x * x + Double(curvature.y) * x * y + 0.5 * Double(curvature.z) * y * y
        }
        let source = image { x, y in
            // The point that moves to (x, y), by iteration.
            var (u, v) = (x - 30, y - 25)
            for _ in 0..<30 { (u, v) = (x - 30 - 2 * height(u, v), y - 25 + height(u, v)) }
            return abs(u) < 15 && abs(v) < 15 ? value(30 + u, 25 + v) : 0
        }
        let reference = image(value)
        let right = cost(reference, source, curvature: curvature)
        #expect(right < 0.01)
        #expect(cost(reference, source) > 2 * right)
    }

    @Test func curvaturesAreThoseOfTheSurface() throws {
        // Around the middle of the ball's image 1/z is nearly quadratic.
        let scene = SyntheticScene()
        let cameras = [0.0, 10].map { SyntheticScene.camera(angle: $0) }
        let photos = cameras.enumerated().map { LeveledPhoto.pyramid(scene.view($1, photo: $0), maximumSide: 160, levels: 1)[0] }
        let level = StereoLevel(reference: photos[0], sources: [photos[1]], mask: nil, depths: 2...12, viewsPerPixel: 1, seed: 1)
        level.start(from: scene.perfectMap(cameras[0], photo: 0))
        try level.bendPatches(after: nil, in: StageContext())
        let truth = scene.depths(cameras[0])
        func w(_ x: Int, _ y: Int) -> Float { 1 / truth[(60 + y) * 160 + 80 + x] }
        let xx = (w(6, 0) + w(-6, 0) - 2 * w(0, 0)) / 36
        let found = level.solver.curvatures[60 * 160 + 80]
        #expect(xx < 0 && abs(found.x / xx - 1) < 0.2 && abs(found.z / xx - 1) < 0.2 && abs(found.y) < 0.1 * abs(xx), "\(found) \(xx)")
    }

    @Test func uniformPatchHasTheNeutralCost() {
        let plain = image { _, _ in 100 }
        let cost = cost(plain, plain)
        #expect(cost > 0.99 && cost < 1.01)
    }
}
