import Testing
import VitrineMath
import VitrineVision

@testable import VitrineReconstruct

/// The scale by the camera poses of a capture.
@Suite struct TrackedScaleTests {
    /// Cameras on a ring of 0.5 m, 2 units in the reconstruction, with a tracker that errs by `error` metres.
    private static func ring(_ count: Int, error: Double, pass: String) -> [(reconstructed: Vector3d, tracked: TrackedCenter)] {
        var random = SplitMix64(seed: 3)
        func offset() -> Double { Double(random.below(2_001)) / 1_000 - 1 }
        let turn = Matrix3d.rotation(Vector3d(0.3, 1, -0.2))
        return (0..<count).map { index in
            let angle = 2 * Double.pi * Double(index) / Double(count)
            let center = Vector3d(0.5 * cos(angle), 0.3, 0.5 * sin(angle))
            let noise = Vector3d(offset(), offset(), offset()) * error
            return (turn * center * 4 + Vector3d(7, -2, 1), TrackedCenter(center: center + noise, pass: pass))
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
        #expect(TrackedScale.estimate(Array(repeating: (Vector3d.zero, TrackedCenter(center: .zero, pass: "a")), count: 8)) == nil)
    }
}
