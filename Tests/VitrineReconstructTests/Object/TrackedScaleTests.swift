import Testing
import VitrineMath
import VitrineVision

@testable import VitrineReconstruct

/// The scale by the camera poses of a capture.
@Suite struct TrackedScaleTests {
    /// Cameras on a ring of 0.5 m, 2 units in the reconstruction, with a tracker that errs by `error` metres.
    private static func ring(_ count: Int, error: Double, pass: String) -> [TrackedPhoto] {
        var random = SplitMix64(seed: 3)
        func offset() -> Double { Double(random.below(2_001)) / 1_000 - 1 }
        let turn = Matrix3d.rotation(Vector3d(0.3, 1, -0.2))
        return (0..<count).map { index in
            let angle = 2 * Double.pi * Double(index) / Double(count)
            let center = Vector3d(0.5 * cos(angle), 0.3, 0.5 * sin(angle))
            let noise = Vector3d(offset(), offset(), offset()) * error
            return (turn * center * 4 + Vector3d(7, -2, 1), TrackedShot(center: center + noise, pass: pass))
        }
    }

    @Test func theScaleIsThatOfTheDistances() throws {
        let exact = try #require(TrackedScale.estimate(Self.ring(24, error: 0, pass: "a")))
        #expect(abs(exact.metresPerUnit - 0.25) < 1e-12 && exact.residual < 1e-12 && exact.isReliable)
        let noisy = try #require(TrackedScale.estimate(Self.ring(24, error: 0.005, pass: "a")))
        #expect(abs(noisy.metresPerUnit / 0.25 - 1) < 0.01 && noisy.isReliable)
        let lost = try #require(TrackedScale.estimate(Self.ring(24, error: 0.3, pass: "a")))
        #expect(!lost.isReliable)
    }

    @Test func onlyCamerasOfOnePassAreCompared() throws {
        // Between the passes the object was turned over: distances across them have no meaning.
        let other = Self.ring(9, error: 0, pass: "b").map { ($0.reconstructed * 3, $0.tracked) }
        let scale = try #require(TrackedScale.estimate(Self.ring(12, error: 0, pass: "a") + other))
        #expect(abs(scale.metresPerUnit - 0.25) < 1e-12)
        #expect(TrackedScale.estimate(Self.ring(3, error: 0, pass: "a") + Self.ring(3, error: 0, pass: "b")) == nil)
        #expect(TrackedScale.estimate(Array(repeating: (Vector3d.zero, TrackedShot(center: .zero, pass: "a")), count: 8)) == nil)
    }

    @Test func camerasFarFromTheirTrackedPosesAreFound() {
        var photos = Self.ring(24, error: 0.01, pass: "a") + Self.ring(6, error: 0.3, pass: "b")
        #expect(photos.contradicted.isEmpty)
        // A third of the ring is bent, by up to a quarter of its radius.
        for index in 0..<8 { photos[index].reconstructed += Vector3d(0, 0.0625 * Double(index + 1), 0) }
        #expect(photos.contradicted.map(\.index).contains(7) && photos.contradicted.allSatisfy { $0.index < 8 })
        #expect(photos.contradicted.allSatisfy { $0.deviation > 0.15 && $0.deviation < 0.3 })
    }

    /// The box is that of the last shot of the larger pass, also for a tracker without scale.
    @Test func theBoxFollowsTheCameras() throws {
        let turn = Matrix3d.rotation(Vector3d(0.3, 1, -0.2))
        let box = OrientedBox(
            center: Vector3d(0.02, 0.1, -0.03), axes: .rotation(Vector3d(0, 0.4, 0)), halfExtents: Vector3d(0.1, 0.2, 0.05))
        var photos = Self.ring(12, error: 0.004, pass: "a") + Self.ring(6, error: 0, pass: "b")
        #expect(OrientedBox(trackedIn: photos) == nil, "no box")
        for index in photos.indices { (photos[index].tracked.isMetric, photos[index].tracked.box) = (false, box.scaled(by: 0.5)) }
        photos[11].tracked.box = box
        // One photo is aligned wrongly.
        photos[3].reconstructed += Vector3d(3, 0, 0)
        let found = try #require(OrientedBox(trackedIn: photos))
        #expect(length(found.center - (turn * box.center * 4 + Vector3d(7, -2, 1))) < 0.06 && length(found.size - box.size * 4) < 0.04)
        let lost = Self.ring(24, error: 0.8, pass: "a").map { photo -> TrackedPhoto in
            var photo = photo
            photo.tracked.box = box
            return photo
        }
        #expect(OrientedBox(trackedIn: lost) == nil)
    }
}

/// Groups of photos by their lens.
@Suite struct LensGroupTests {
    @Test func captureShotsWithOtherIntrinsicsHaveTheirOwnLens() {
        func lens(_ focal: Double, center: Double = 320) -> CameraIntrinsics {
            CameraIntrinsics(width: 640, height: 480, focal: Vector2d(focal, focal), center: Vector2d(center, 240))
        }
        let keys = LensGroups.keys([
            ("a", lens(500)), ("a", lens(504)), ("a", lens(600)), ("b", lens(600)), ("a", nil), ("a", lens(597)),
            ("a", lens(500, center: 340)),
        ])
        #expect(keys == ["a", "a", "a lens 2", "b", "a", "a lens 2", "a lens 3"])
    }

    /// The mapper shares a lens only between photos with equal guesses; a tracker's differ from shot to shot.
    @Test func shotsOfOneLensHaveTheSameGuess() {
        func guess(_ focal: Double, width: Int = 640) -> CameraGuess {
            let intrinsics = CameraIntrinsics(width: width, height: 480, focal: Vector2d(focal, focal), center: Vector2d(320, 240))
            return CameraGuess(intrinsics: intrinsics, isFocalKnown: true)
        }
        let photos = [guess(500), guess(503), guess(501), guess(600), guess(499), guess(502, width: 320)]
        let guesses = LensGroups.guesses(
            photos, keys: ["a", "a", "a", "a lens 2", "a", "a"], areTracked: [true, true, true, true, false, true])
        // A known camera and one of another size keep theirs.
        #expect(guesses == [guess(501), guess(501), guess(501), guess(600), guess(499), guess(502, width: 320)])
    }
}
