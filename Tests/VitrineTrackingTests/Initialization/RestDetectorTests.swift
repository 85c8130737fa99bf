import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

@Suite struct RestDetectorTests {
    /// 0.6 s of frames in a room, from a camera that moves sideways at constant speed.
    private func window(speed: Double, noise: Double, seed: UInt64) throws -> InitializationWindow {
        let rig = try SimulatedDevice(.held, duration: 2).rig
        var features = FeatureSimulator(
            rig: rig, low: Vector3d(-2, 0, -3), high: Vector3d(2, 2.6, 2), settings: .init(noise: noise, outliers: 0.01, seed: seed))
        let ahead = RigidTransform(
            rotation: Matrix3d(Vector3d(1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, -1)), translation: Vector3d(0, 1.4, 1))
        var window = InitializationWindow()
        for index in 0...12 {
            let time = Double(index) / 20
            let camera = RigidTransform(rotation: ahead.rotation, translation: ahead.translation + Vector3d(speed * time, 0, 0))
            window.append(time: time, features: features.observe(camera * rig.cameraFromBody), camera: rig.camera)
        }
        return window
    }

    @Test(arguments: [0.1, 0.3, 0.7]) func detectsRestInNoisyFeatures(_ noise: Double) throws {
        for seed in 1...12 as ClosedRange<UInt64> {
            #expect(RestDetector().isStill(try window(speed: 0, noise: noise, seed: seed)))
            // 3 cm per second at a distance of three or four metres is as slow as a hand at rest.
            #expect(!RestDetector().isStill(try window(speed: 0.03, noise: noise, seed: seed)))
        }
    }
}
