import Testing
import VitrineMath
import VitrineVision

@testable import VitrineMapping

/// Triangulation of landmarks, and the index of their descriptors.
@Suite struct LandmarkTests {
    private static let point = Vector3d(0.4, -0.2, 3)

    /// The ray from a position to the point, with an error of direction.
    private static func ray(from center: Vector3d, error: Vector3d = .zero) -> LandmarkRay {
        LandmarkRay(center: center, direction: normalize(normalize(point - center) + error), noise: 0.002)
    }

    @Test func triangulatesTwoRays() throws {
        let landmark = try #require(
            Landmark(Self.ray(from: .zero), Self.ray(from: Vector3d(0.5, 0, 0)), depthDeviation: 0.2))
        #expect(length(Vector3d(landmark.position) - Self.point) < 1e-5)
        // Least certain along the rays: 0.002 · √2 · 3 m / (0.5 m / 3 m) across the baseline.
        let uncertainty = landmark.uncertainty
        #expect(abs(dot(normalize(uncertainty), normalize(Self.point - Vector3d(0.25, 0, 0)))) > 0.99)
        #expect(length(uncertainty) > 0.03 && length(uncertainty) < 0.08)
    }

    @Test func furtherRaysReduceTheUncertainty() throws {
        var random = SplitMix64(seed: 4)
        func number() -> Double { Double(random.next() >> 11) * 0x1p-53 * 2 - 1 }
        func error() -> Vector3d { Vector3d(number(), number(), number()) * 0.002 }
        var landmark = try #require(
            Landmark(
                Self.ray(from: .zero, error: error()), Self.ray(from: Vector3d(0.4, 0, 0), error: error()), depthDeviation: 0.2))
        let before = length(landmark.uncertainty)
        for k in 0..<30 { landmark.add(Self.ray(from: Vector3d(0.1 * Double(k % 7) - 0.3, 0.1 * Double(k % 5), 0), error: error())) }
        #expect(length(landmark.uncertainty) < 0.5 * before)
        #expect(length(Vector3d(landmark.position) - Self.point) < 3 * length(landmark.uncertainty))
    }

    @Test func rejectsRaysThatDoNotIntersect() {
        let first = Self.ray(from: .zero)
        // No baseline; a baseline too small for the depth; a contradiction; a point behind the camera.
        #expect(Landmark(first, first, depthDeviation: 0.2) == nil)
        #expect(Landmark(first, Self.ray(from: Vector3d(0.02, 0, 0)), depthDeviation: 0.2) == nil)
        #expect(Landmark(first, Self.ray(from: Vector3d(0.5, 0, 0), error: Vector3d(0, 0.03, 0)), depthDeviation: 0.2) == nil)
        #expect(
            Landmark(
                first, LandmarkRay(center: Vector3d(-1, 0, 4), direction: normalize(Vector3d(-0.9, 0, 0.435)), noise: 0.002),
                depthDeviation: 0.2)
                == nil)
    }

    /// Corners of a rolling shutter are moved by the camera's rotation since the middle row.
    @Test func correctsTheReadout() {
        let camera = CameraIntrinsics(width: 320, height: 240, focal: Vector2d(230, 230), center: Vector2d(160, 120))
        var image = Plane<UInt8>(width: 320, height: 240, repeating: 60)
        for (x, y) in [(60, 40), (200, 120), (140, 190)] {
            for row in y..<(y + 12) { for column in x..<(x + 12) { image[column, row] = 200 } }
        }
        var pyramid = ImagePyramid()
        pyramid.build(image, maximumWidth: 640, levels: 4)
        var frame = CapturedFrame([], pyramid, time: 0, isKeyframe: true, isQuery: false)
        func features() -> FrameFeatures { FrameFeatures(frame, at: .identity, camera: camera, count: 100, isQuery: false) }
        let still = features()
        // A pan of 0.04 rad during the readout.
        frame.readoutTurn = Vector3d(0, 0.04, 0)
        let moved = features()
        #expect(still.corners.count == moved.corners.count && still.corners.count >= 8)
        #expect(still.descriptors == moved.descriptors)
        for (a, b) in zip(still.corners, moved.corners) {
            let share = Double(a.position.y) / 240 - 0.5
            let angle = atan2(Double(a.position.x) - 160, 230) + 0.04 * share
            // Near the middle column; a pan hardly moves corners up or down.
            #expect(abs(Double(b.position.x) - 160 - 230 * sin(angle) / cos(angle)) < 0.2)
            #expect(abs(a.position.y - b.position.y) < 1)
        }
    }

    @Test func indexFindsSimilarCodes() {
        var random = SplitMix64(seed: 5)
        func code() -> SIMD2<UInt64> { SIMD2(random.next(), random.next()) }
        let codes = (0..<12).map { _ in (0..<200).map { _ in code() } }
        var index = DescriptorIndex()
        for (number, keyframe) in codes.enumerated() { index.add(keyframe, of: number) }
        // A tenth of the bits differs.
        let query = codes[7].map { code -> SIMD2<UInt64> in
            var changed = code
            for _ in 0..<13 {
                let bit = random.below(128)
                changed[bit / 64] ^= 1 << UInt64(bit % 64)
            }
            return changed
        }
        let votes = index.votes(query, owners: (0..<200).map { Int32($0) }, keyframes: 12)
        #expect(votes[7] > 100)
        for number in 0..<12 where number != 7 { #expect(votes[number] <= 2) }
    }
}
