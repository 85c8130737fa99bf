import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// The distinction between a motion that the IMU did not measure, and features that are wrong.
@Suite struct MotionCheckTests {
    private static let noise = 1.0 / 400
    /// Points three to six metres in front of the camera, in the world of the first frame.
    private let points: [Vector3d]

    init() {
        var numbers = SplitMix64(seed: 4)
        func uniform(_ low: Double, _ high: Double) -> Double { low + (high - low) * Double(numbers.below(10_000)) / 10_000 }
        points = (0..<60).map { _ in
            let distance = uniform(3, 6)
            return Vector3d(uniform(-0.5, 0.5) * distance, uniform(-0.4, 0.4) * distance, distance)
        }
    }

    private func tracks(_ worldFromCamera: RigidTransform, _ points: [Vector3d]? = nil) -> [FeatureTracker.Track] {
        (points ?? self.points).enumerated().map { id, point in
            FeatureTracker.Track(id: id, position: .zero, ray: normalize(worldFromCamera.inverse * point))
        }
    }

    private func prediction(_ motion: RigidTransform = .identity, time: Double) -> MotionCheck.Prediction {
        MotionCheck.Prediction(motion: motion, deviation: 0.002, angularSpeed: 0.3, time: time)
    }

    /// A check whose reference is a frame at time 0, at the world's origin, and the verdicts of later frames 15 times per second. The filter processes
    /// each frame as predicted: the camera does not move.
    private func verdicts(_ frames: [[FeatureTracker.Track]]) -> [MotionCheck.Verdict] {
        var check = MotionCheck()
        #expect(check.check(tracks(.identity), noise: Self.noise, prediction(time: 0)) == .agrees)
        let known = points.enumerated().map { TrackedPoint(id: $0, position: $1, pixel: .zero, deviation: 0.02) }
        check.update(known, worldFromCamera: .identity, prediction: nil, time: 0)
        return frames.enumerated().map { index, tracks in
            let prediction = prediction(time: Double(index + 1) / 15)
            let verdict = check.check(tracks, noise: Self.noise, prediction)
            check.update(known, worldFromCamera: .identity, prediction: prediction, time: prediction.time)
            return verdict
        }
    }

    /// Forward by 15 cm: the median angle is below half a degree.
    @Test func detectsASmallMotion() {
        let moved = RigidTransform(rotation: .identity, translation: Vector3d(0.02, 0, 0.15))
        let verdicts = verdicts(Array(repeating: tracks(moved), count: 4))
        guard case .contradicts(let withheld) = verdicts[0] else {
            Issue.record("the first frame agrees")
            return
        }
        // Features near the direction of motion agree with both.
        #expect(withheld.count > 20)
        #expect(verdicts[3] == .moved(time: 1.0 / 15, newestID: 59) || verdicts[2] == .moved(time: 1.0 / 15, newestID: 59))
    }

    /// The cut leaves ten features of the points, and soon only five.
    @Test func aMotionThatNothingRefutesIsAMotion() {
        let moved = RigidTransform(rotation: Matrix3d.rotation(Vector3d(0, 0.1, 0)), translation: Vector3d(0.2, 0, 0))
        let frames = (0..<10).map { Array(tracks(moved)[..<($0 == 0 ? 10 : 5)]) }
        let verdicts = verdicts(frames)
        #expect(verdicts[1..<7].allSatisfy { if case .contradicts = $0 { true } else { false } })
        #expect(verdicts.contains(.moved(time: 1.0 / 15, newestID: 59)))
        // A frame with a wrong time stamp.
        #expect(self.verdicts([tracks(moved)] + Array(repeating: tracks(.identity), count: 9))[1...].allSatisfy { $0 == .agrees })
    }

    /// After a frame with evidence, nothing is seen for longer than a contradiction stays.
    @Test func aCoveredLensIsNoEvidence() {
        let moved = RigidTransform(rotation: Matrix3d.rotation(Vector3d(0, 0.1, 0)), translation: Vector3d(0.2, 0, 0))
        var check = MotionCheck()
        _ = check.check(tracks(.identity), noise: Self.noise, prediction(time: 0))
        let known = points.enumerated().map { TrackedPoint(id: $0, position: $1, pixel: .zero, deviation: 0.02) }
        check.update(known, worldFromCamera: .identity, prediction: nil, time: 0)
        _ = check.check(tracks(moved), noise: Self.noise, prediction(time: 0.05))
        #expect(check.isUncertain)
        #expect(check.check(tracks(.identity), noise: Self.noise, prediction(time: 1)) == .agrees)
        #expect(!check.isUncertain)
    }

    @Test func toleratesSmallErrorsOfThePrediction() {
        let moved = RigidTransform(rotation: Matrix3d.rotation(Vector3d(0, 0.01, 0)), translation: Vector3d(0.02, 0.01, 0.01))
        #expect(verdicts(Array(repeating: tracks(moved), count: 6)).allSatisfy { $0 == .agrees })
    }

    /// Features of overexposed or dark images: each is somewhere else.
    @Test func wrongFeaturesAreNoEvidence() {
        var numbers = SplitMix64(seed: 8)
        let frames = (0..<6).map { _ in
            tracks(
                .identity,
                points.map {
                    $0 + Vector3d(Double(numbers.below(10_000)) / 10_000 - 0.5, Double(numbers.below(10_000)) / 10_000 - 0.5, 0) * 2
                })
        }
        #expect(verdicts(frames).allSatisfy { $0 == .agrees })
    }

    /// An object that covers two fifths of the features moves by 10 cm per frame.
    @Test func aMovingObjectIsNoEvidence() {
        let frames = (1...6).map { frame in
            tracks(.identity, points.enumerated().map { $0 % 5 < 2 ? $1 + Vector3d(0.1 * Double(frame), 0, 0) : $1 })
        }
        #expect(verdicts(frames).allSatisfy { $0 == .agrees })
    }
}
