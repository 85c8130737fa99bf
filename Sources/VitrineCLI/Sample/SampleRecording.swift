import VitrineARView
import VitrineSimulation
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A recording of a phone with a depth camera that is carried around a simulated study, 6 seconds at 15 frames per second.
enum SampleRecording {
    /// Writes the recording into a new folder and returns the number of frames.
    static func write(to folder: URL, progress: @Sendable (Double) -> Void) async throws -> Int {
        var rig = SimulatedDevice.phone.rig
        rig.camera = CameraIntrinsics(width: 480, height: 360, verticalFieldOfView: 0.86)
        var settings = SimulationSettings()
        settings.duration = 6
        settings.frameRate = 15
        settings.depthSize = SIMD2(32, 24)
        let poses = SimulatedPath.around.cameraPoses(duration: 6, rest: 0.5, extent: 1.2, seed: settings.seed)
        let source = try SimulatedSource(.study, along: poses, rig: rig, settings: settings)
        return try await SimulatedRecording(source: source).write(to: folder, device: "simulated: study, phone", progress: progress).truth
            .count
    }
}
