import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// Accuracy of feature tracking, and detection of lost features.
struct FeatureTrackerTests {
    private let camera = CameraIntrinsics.pinhole(320, 240, focal: 260)
    private let wall = PaintedWall()

    /// Errors in pixels, ascending: distances of tracked features from the projections of the wall's points.
    private func errors(
        _ first: [ObservedFeature], _ second: [ObservedFeature], _ a: RigidTransform, _ b: RigidTransform, camera: CameraIntrinsics? = nil
    ) -> [Double] {
        let camera = camera ?? self.camera
        let before = Dictionary(uniqueKeysWithValues: first.map { ($0.id, $0.pixel) })
        return second.compactMap { feature in
            guard let pixel = before[feature.id] else { return nil }
            return length(camera.project(b.inverse * wall.point(pixel, camera, a)) - feature.pixel)
        }.sorted()
    }

    private func shift(_ x: Double, _ y: Double, _ z: Double = 0) -> RigidTransform {
        RigidTransform(rotation: .identity, translation: Vector3d(x, y, z))
    }

    @Test func tracksATranslationToHundredthsOfAPixel() {
        var tracker = FeatureTracker(camera: camera)
        let first = tracker.track(wall.image(camera), time: 0)
        #expect(first.count > 60)
        // 2.6 and −4.55 pixels.
        let pose = shift(-0.02, 0.035)
        let second = tracker.track(wall.image(camera, pose), time: 0.05)
        let errors = errors(first, second, .identity, pose)
        #expect(errors.count > first.count * 8 / 10)
        #expect(errors[errors.count / 2] < 0.02)
        #expect(errors.last! < 0.05)
        #expect(tracker.report.tracked == errors.count)
        #expect(tracker.report.tracked + tracker.report.lost == first.count)
        #expect(abs(tracker.report.medianMotion - 5.24) < 0.1)
    }

    @Test func tracksFastRotationWithAGyroscope() {
        var tracker = FeatureTracker(camera: camera)
        let first = tracker.track(wall.image(camera), time: 0)
        // 52 pixels sideways, and 5 degrees about the optical axis.
        let turned = RigidTransform(rotation: Matrix3d.rotation(Vector3d(0, 0.2, 0.09)), translation: .zero)
        let second = tracker.track(wall.image(camera, turned), time: 0.05, rotation: turned.rotation.transpose)
        let errors = errors(first, second, .identity, turned)
        #expect(errors.count > first.count * 6 / 10)
        #expect(errors[errors.count / 2] < 0.05)
        #expect(errors[errors.count * 9 / 10] < 0.2)
        #expect(tracker.report.medianParallax < 0.3)
        let found = tracker.report.rotation! * turned.rotation
        #expect(abs(found.trace - 3) < 1e-5)
    }

    @Test func identifiersAreStableAndNotReused() {
        var tracker = FeatureTracker(camera: camera)
        var (seen, ended) = (Set<Int>(), Set<Int>())
        var last = Set<Int>()
        var start: [Int: Vector3d] = [:]
        var worst = 0.0
        for k in 0..<25 {
            let pose = shift(0.025 * Double(k), 0.01 * sin(Double(k)), 0.02 * Double(k))
            let features = tracker.track(wall.image(camera, pose, noise: 1, seed: UInt64(k)), time: 0.05 * Double(k))
            let ids = Set(features.map(\.id))
            #expect(ids.count == features.count)
            #expect(features.map(\.id) == features.map(\.id).sorted())
            ended.formUnion(last.subtracting(ids))
            #expect(ids.isDisjoint(with: ended))
            #expect(features.count > 50)
            for feature in features {
                if let point = start[feature.id] {
                    worst = max(worst, length(camera.project(pose.inverse * point) - feature.pixel))
                } else {
                    start[feature.id] = wall.point(feature.pixel, camera, pose)
                }
            }
            (seen, last) = (seen.union(ids), ids)
        }
        // The patches grow by a quarter during the motion.
        #expect(worst < 2)
        #expect(tracker.ages.max()! > 8)
    }

    @Test func toleratesBrightnessChanges() {
        var tracker = FeatureTracker(camera: camera)
        let first = tracker.track(wall.image(camera, gain: 0.6), time: 0)
        let pose = shift(0.012, 0.004)
        let second = tracker.track(wall.image(camera, pose, gain: 0.8, offset: 35), time: 0.05)
        let errors = errors(first, second, .identity, pose)
        #expect(errors.count > first.count * 7 / 10)
        #expect(errors[errors.count / 2] < 0.03)
    }

    @Test func skipsFeaturelessImages() {
        var tracker = FeatureTracker(camera: camera)
        let first = tracker.track(wall.image(camera), time: 0)
        let black = Plane<UInt8>(width: camera.width, height: camera.height, repeating: 3)
        let white = Plane<UInt8>(width: camera.width, height: camera.height, repeating: 255)
        let half = Matrix3d.rotation(Vector3d(0, 0.06, 0))
        #expect(tracker.track(black, time: 0.1, rotation: half.transpose).isEmpty)
        #expect(tracker.report.isFeatureless)
        #expect(tracker.track(white, time: 0.2, rotation: .identity).isEmpty)
        let pose = RigidTransform(rotation: half * half, translation: .zero)
        let again = tracker.track(wall.image(camera, pose), time: 0.3, rotation: half.transpose)
        let errors = errors(first, again, .identity, pose)
        #expect(errors.count > first.count * 6 / 10)
        #expect(errors[errors.count / 2] < 0.05)
        // After more than the maximum gap all features are dropped.
        _ = tracker.track(black, time: 0.4)
        let late = tracker.track(wall.image(camera, pose), time: 2)
        #expect(tracker.report.dropped > 0)
        #expect(Set(late.map(\.id)).isDisjoint(with: again.map(\.id)))
    }

    @Test func toleratesUnusualSizesAndTimes() {
        var tracker = FeatureTracker(camera: camera)
        #expect(tracker.track(Plane<UInt8>(width: 0, height: 0, values: []), time: 0).isEmpty)
        #expect(tracker.track(Plane<UInt8>(width: 3, height: 2000, repeating: 9), time: 0.1).isEmpty)
        let first = tracker.track(wall.image(camera), time: 0.2)
        let small = CameraIntrinsics.pinhole(161, 121, focal: 130)
        let second = tracker.track(wall.image(small), time: 0.3)
        #expect(tracker.report.dropped == first.count)
        #expect(!second.isEmpty && Set(second.map(\.id)).isDisjoint(with: first.map(\.id)))
        for feature in second { #expect(feature.pixel.x < 161 && feature.pixel.y < 121) }
        // A rotation that is not finite, and times that repeat or are not finite.
        let bad = Matrix3d(Vector3d(.nan, 0, 0), Vector3d(0, 1, 0), Vector3d(0, 0, 1))
        _ = tracker.track(wall.image(small), time: 0.3, rotation: bad)
        _ = tracker.track(wall.image(small), time: .nan, rotation: bad)
        #expect(tracker.track(wall.image(small), time: 0.4).count > 10)
        tracker.reset()
        #expect(tracker.ages.isEmpty)
    }

    @Test func doesNotTrackNoise() {
        var tracker = FeatureTracker(camera: camera)
        var numbers = SplitMix64(seed: 3)
        var tracked = 0
        for k in 0..<4 {
            let values = (0..<camera.width * camera.height).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
            _ = tracker.track(Plane<UInt8>(width: camera.width, height: camera.height, values: values), time: 0.05 * Double(k))
            tracked += tracker.report.tracked
        }
        #expect(tracked == 0)
    }

    /// The reports on images every 0.05 s of a wall that the camera passes.
    private func reports(_ image: (Int) -> Plane<UInt8>) -> [FeatureTracker.Report] {
        var tracker = FeatureTracker(camera: camera)
        return (0..<20).map { k in
            _ = tracker.track(image(k), time: 0.05 * Double(k), rotation: .identity)
            return tracker.report
        }
    }

    private func passing(_ k: Int, gain: Double = 1, noise: Double = 1) -> Plane<UInt8> {
        wall.image(camera, shift(0.01 * Double(k), 0), gain: gain, noise: noise, seed: UInt64(k))
    }

    private func elsewhere(_ k: Int) -> Plane<UInt8> { wall.image(camera, shift(7 + 0.01 * Double(k), 3), noise: 1, seed: UInt64(k)) }

    @Test func detectsAnotherScene() throws {
        let reports = reports { $0 < 5 ? passing($0) : elsewhere($0) }
        #expect(reports[..<5].allSatisfy { !$0.isUncertain && $0.discontinuityTime == nil })
        let proof = try #require(reports.firstIndex { $0.discontinuityTime != nil })
        #expect(proof == 9 && reports[proof].discontinuityTime == 0.25)
        #expect(reports[5..<proof].allSatisfy { $0.isUncertain })
        #expect(reports[proof...].allSatisfy { !$0.isUncertain })
        #expect(reports.count { $0.discontinuityTime != nil } == 1)
        #expect(reports[proof + 1].tracked > 50)
    }

    /// Views before and after a cut overlap: a third of the features is tracked, but the gyroscope has not measured their rotation.
    @Test func detectsARotationThatTheGyroscopeDidNotMeasure() throws {
        let turn = Matrix3d.rotation(Vector3d(0, 0.07, 0))
        let reports = reports { frame in
            let pose = RigidTransform(rotation: frame < 5 ? .identity : turn, translation: Vector3d(0.01 * Double(frame), 0, 0))
            return wall.image(camera, pose, noise: 1, seed: UInt64(frame))
        }
        let share = Double(reports[5].tracked) / Double(reports[4].tracked)
        #expect(share > 0.25 && share < 0.45)
        #expect(reports[5..<9].allSatisfy { $0.isUncertain })
        #expect(reports[9].discontinuityTime == 0.25)
    }

    @Test func anotherSceneHasNoFeaturesFromBefore() {
        var tracker = FeatureTracker(camera: camera)
        var before = Set<Int>()
        for k in 0..<20 {
            let features = tracker.track(k < 5 ? passing(k) : elsewhere(k), time: 0.05 * Double(k), rotation: .identity)
            if k < 5 { before = Set(features.map(\.id)) }
            if k > 8 { #expect(features.count > 50 && before.isDisjoint(with: features.map(\.id))) }
        }
    }

    /// Images that hide the view for a moment.
    @Test func recognizesTheSameSceneAgain() {
        for hidden in [elsewhere, { passing($0, gain: 0.08, noise: 2.5) }] {
            let reports = reports { (5..<8).contains($0) ? hidden($0) : passing($0) }
            #expect(reports[8...].allSatisfy { !$0.isUncertain })
            #expect(reports.allSatisfy { $0.discontinuityTime == nil })
        }
        // Darkness has too little contrast to prove anything.
        let reports = reports { $0 < 5 ? passing($0) : passing($0, gain: 0.08, noise: 2.5) }
        #expect(reports.allSatisfy { $0.discontinuityTime == nil })
    }

    @Test func dropsFeaturesOfMovingObjects() {
        var tracker = FeatureTracker(camera: camera)
        var a = wall.image(camera)
        let pose = shift(0.03, 0)
        var b = wall.image(camera, pose)
        let other = PaintedWall(seed: 9)
        let (otherA, otherB) = (other.image(camera), other.image(camera, shift(-0.01, -0.05)))
        for y in 60..<180 {
            for x in 90..<230 {
                a[x, y] = otherA[x, y]
                b[x, y] = otherB[x, y]
            }
        }
        func isOn(_ pixel: Vector2d) -> Bool { pixel.x > 105 && pixel.x < 215 && pixel.y > 75 && pixel.y < 165 }
        let first = tracker.track(a, time: 0)
        // The rotation is given: without it the motion could be explained by a rotation and a nearby object.
        let second = tracker.track(b, time: 0.05, rotation: .identity)
        let moving = Set(first.filter { isOn($0.pixel) }.map(\.id))
        #expect(moving.count > 5)
        #expect(second.count { moving.contains($0.id) } * 10 <= moving.count)
        #expect(tracker.report.lostByMotion >= moving.count / 2)
        #expect(tracker.report.tracked > 40)
    }

    @Test func tracksWideLensesAndLargeImages() {
        let wide = CameraIntrinsics(
            width: 1280, height: 720, focal: Vector2d(560, 560), center: Vector2d(644, 352),
            distortion: .kannalaBrandt(SIMD4(-0.01, 0.004, -0.002, 0.0003)))
        var tracker = FeatureTracker(camera: wide)
        let first = tracker.track(wall.image(wide), time: 0)
        let pose = RigidTransform(rotation: Matrix3d.rotation(Vector3d(0.03, 0.1, 0.02)), translation: Vector3d(0.02, 0, 0.01))
        let second = tracker.track(wall.image(wide, pose), time: 0.05, rotation: pose.rotation.transpose)
        let errors = errors(first, second, .identity, pose, camera: wide)
        #expect(errors.count > first.count * 6 / 10)
        // The median: features at grazing angles, where the wall is far away, have larger errors.
        #expect(errors[errors.count / 2] < 0.15)
    }

    @Test func isDeterministic() {
        let frames = (0..<3).map { wall.image(camera, shift(0.01 * Double($0), 0), noise: 2, seed: UInt64($0)) }
        var runs: [[ObservedFeature]] = []
        for _ in 0..<2 {
            var tracker = FeatureTracker(camera: camera)
            var all: [ObservedFeature] = []
            for (k, frame) in frames.enumerated() { all += tracker.track(frame, time: 0.05 * Double(k), rotation: .identity) }
            runs.append(all)
        }
        #expect(runs[0] == runs[1])
    }
}

/// Values and coordinates of image pyramids.
struct ImagePyramidTests {
    @Test func constantsAndRampsKeepTheirValues() {
        var pyramid = ImagePyramid()
        pyramid.build(Plane<UInt8>(width: 101, height: 70, repeating: 77), maximumWidth: 640, levels: 4)
        #expect(pyramid.levels.map(\.width) == [101, 50, 25])
        #expect(pyramid.levels.allSatisfy { $0.values.allSatisfy { $0 == 77 } })
        #expect(pyramid.brightness == 77 && pyramid.contrast == 0)

        var ramp = Plane<UInt8>(width: 64, height: 64, repeating: 0)
        for y in 0..<64 { for x in 0..<64 { ramp[x, y] = UInt8(2 * x + y) } }
        pyramid.build(ramp, maximumWidth: 640, levels: 2)
        let level = pyramid.levels[1]
        // The ramp at (x, y) is 2 (x − 0.5) + (y − 0.5); half size at (8.5, 9.5) is (17, 19).
        #expect(level.values[level.origin + 9 * level.stride + 8] == 33 + 19)
    }

    @Test func halvesLargeImages() {
        var pyramid = ImagePyramid()
        pyramid.build(Plane<UInt8>(width: 1921, height: 1080, repeating: 1), maximumWidth: 640, levels: 1)
        #expect(pyramid.scale == 4 && pyramid.levels[0].width == 480 && pyramid.levels[0].height == 270)
    }
}
