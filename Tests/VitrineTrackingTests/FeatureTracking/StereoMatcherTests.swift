import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// Depths of features in the images of two cameras of a painted wall.
@Suite struct StereoMatcherTests {
    /// Two different cameras that diverge by 1.7 degrees, 11 cm apart.
    private static let rig: SensorRig = {
        var rig = SensorRig(camera: .pinhole(320, 240, focal: 260), hasInertialUnit: false)
        rig.secondCamera = CameraIntrinsics(
            width: 336, height: 244, focal: Vector2d(270, 268), center: Vector2d(165, 126),
            distortion: .brownConrady(SIMD4(-0.1, 0.02, 0, 0)))
        rig.secondFromCamera = RigidTransform(rotation: .rotation(Vector3d(0.01, 0.03, -0.005)), translation: Vector3d(-0.11, 0.004, 0.002))
        return rig
    }()

    private static func secondImage(_ wall: PaintedWall, _ worldFromCamera: RigidTransform = .identity, noise: Double = 0) -> Plane<UInt8> {
        wall.image(rig.secondCamera!, worldFromCamera * rig.secondFromCamera.inverse, gain: 0.9, offset: 8, noise: noise, seed: 77)
    }

    private static func depths(_ tracker: FeatureTracker, _ image: Plane<UInt8>) throws -> [Int: MeasuredDepth] {
        var matcher = try #require(StereoMatcher(rig))
        return matcher.depths(of: tracker, in: image)
    }

    /// The errors of inverse depths in standard deviations, ascending, and the number of features.
    private static func errors(_ distance: Double, noise: Double) throws -> (normalized: [Double], features: Int) {
        let wall = PaintedWall(depth: distance, finest: 0.025 * distance)
        var tracker = FeatureTracker(camera: rig.camera)
        let features = tracker.track(wall.image(rig.camera, noise: noise), time: 0)
        let depths = try depths(tracker, secondImage(wall, noise: noise))
        return (depths.values.map { abs(1 / $0.metres - 1 / distance) / $0.inverseDeviation }.sorted(), features.count)
    }

    /// The depth of most features is measured, with errors as stated, from near to far.
    @Test(arguments: [0.6, 1.5, 4, 9]) func measuresTheDepthOfAWall(_ distance: Double) throws {
        let (errors, features) = try Self.errors(distance, noise: 2)
        // A part of the wall is outside of the second image: 18 % at 0.6 m.
        #expect(features > 60)
        #expect(errors.count > features * 7 / 10)
        #expect(errors[errors.count / 2] < 1)
        #expect(errors[errors.count * 95 / 100] < 3)
    }

    /// Known features are matched again from their last depth, also if the camera approaches quickly.
    @Test func followsFeatures() throws {
        let wall = PaintedWall(depth: 1.2, finest: 0.03)
        var tracker = FeatureTracker(camera: Self.rig.camera)
        var matcher = try #require(StereoMatcher(Self.rig))
        for index in 0..<4 {
            let pose = RigidTransform(rotation: .identity, translation: Vector3d(0, 0, 0.05 * Double(index)))
            _ = tracker.track(wall.image(Self.rig.camera, pose), time: Double(index) / 20)
            let depths = matcher.depths(of: tracker, in: Self.secondImage(wall, pose))
            #expect(depths.count > tracker.tracks.count * 7 / 10, "\(index)")
            let errors = depths.values.map { abs($0.metres - 1.2 + 0.05 * Double(index)) / $0.deviation }.sorted()
            #expect(errors[errors.count * 95 / 100] < 3, "\(index)")
        }
    }

    /// Of a pattern that repeats along the epipolar line no depth is measured: each repetition would be another one.
    @Test func repetitionsHaveNoDepth() throws {
        var rig = Self.rig
        rig.secondCamera = rig.camera
        rig.secondFromCamera = RigidTransform(rotation: .identity, translation: Vector3d(-0.11, 0, 0))
        func image(_ shift: Double) -> Plane<UInt8> {
            var image = Plane<UInt8>(width: 320, height: 240, repeating: 0)
            for y in 0..<240 {
                for x in 0..<320 {
                    let wave = sin(2 * .pi * (Double(x) + shift) / 24) * sin(2 * .pi * Double(y) / 31)
                    image[x, y] = UInt8(128 + 90 * wave)
                }
            }
            return image
        }
        var tracker = FeatureTracker(camera: rig.camera)
        let features = tracker.track(image(0), time: 0)
        #expect(features.count > 60)
        var matcher = try #require(StereoMatcher(rig))
        // All match 9, 33 and 57 pixels away, except at the left edge, where the others are outside.
        let depths = matcher.depths(of: tracker, in: image(9))
        #expect(tracker.tracks.allSatisfy { $0.position.x < 48 || depths[$0.id] == nil })
    }

    @Test func anotherSceneHasNoDepth() throws {
        var tracker = FeatureTracker(camera: Self.rig.camera)
        let count = tracker.track(PaintedWall().image(Self.rig.camera), time: 0).count
        let depths = try Self.depths(tracker, Self.secondImage(PaintedWall(seed: 9)))
        #expect(depths.count * 25 < count)
        #expect(try Self.depths(tracker, Plane(width: 336, height: 244, repeating: 30)).isEmpty)
        #expect(try Self.depths(tracker, Plane(width: 8, height: 8, repeating: 30)).isEmpty)
    }

    /// Points beyond the range have no depth instead of a biased one.
    @Test func distantPointsHaveNoDepth() throws {
        let (errors, _) = try Self.errors(60, noise: 1)
        #expect(errors.isEmpty)
    }

    @Test func oneCameraMeasuresNothing() {
        var rig = Self.rig
        rig.secondCamera = nil
        #expect(StereoMatcher(rig) == nil)
        rig = Self.rig
        rig.secondFromCamera.translation = .zero
        #expect(StereoMatcher(rig) == nil)
    }

    /// Without an IMU, tracking starts with the first frame, in metres, also if the hand only turns.
    @Test func startsPureRotationInMetres() throws {
        let tracker = VisualTracker(rig: Self.rig)
        let wall = PaintedWall(depth: 1.6, finest: 0.05)
        for index in 0..<20 {
            let angle = 0.012 * Double(index)
            let truth = RigidTransform(rotation: .rotation(Vector3d(0.2 * angle, angle, 0)), translation: .zero)
            let result = tracker.track(
                wall.image(Self.rig.camera, truth), depth: nil, second: Self.secondImage(wall, truth), time: Double(index) / 12)
            #expect(result.state == .normal, "\(index)")
            #expect(length(try #require(result.worldFromCamera).translation) < 0.02, "\(index)")
        }
        #expect(tracker.diagnostics.initializations == 1 && tracker.diagnostics.losses == 0)
    }

    /// A motion is measured in metres.
    @Test func measuresMotionInMetres() throws {
        let tracker = VisualTracker(rig: Self.rig)
        let wall = PaintedWall(depth: 1.6, finest: 0.05)
        var results: [TrackingResult] = []
        for index in 0..<24 {
            let truth = RigidTransform(rotation: .identity, translation: Vector3d(0.02 * Double(index), 0, 0))
            results.append(
                tracker.track(
                    wall.image(Self.rig.camera, truth), depth: nil, second: Self.secondImage(wall, truth), time: Double(index) / 12))
        }
        let (first, last) = (try #require(results[0].worldFromCamera), try #require(results[23].worldFromCamera))
        #expect(results[23].state == .normal)
        #expect(abs(length(last.translation - first.translation) - 0.46) < 0.02)
    }
}
