import VitrineARView
import VitrineSimulation
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes all events of a simulated device as a recording, with the ground truth beside it: `truth.tum` (poses of the body) and `room.json` (the
/// room's surfaces).
struct SimulatedRecording {
    let source: SimulatedSource

    struct Result {
        /// The body's poses, one per frame.
        var truth: [TimedPose] = []
        var inertialSampleCount = 0
    }

    /// Simulates the recording and writes it.
    ///
    /// - Parameters:
    ///   - folder: new or empty.
    ///   - device: the recording's description of its source.
    ///   - progress: called with the fraction of the frames written so far, 0…1.
    /// - Throws: `SourceError.broken` if the folder is not empty or cannot be written.
    func write(to folder: URL, device: String, progress: @Sendable (Double) -> Void) async throws -> Result {
        let writer = try RecordingWriter(directory: folder, rig: source.rig, device: device)
        var result = Result()
        while let event = try await source.next() {
            try writer.write(event)
            switch event {
            case .inertial: result.inertialSampleCount += 1
            case .image(let sample):
                let time = sample.time - source.settings.delay
                result.truth.append(TimedPose(time: time, pose: source.spline.pose(at: time)))
                progress(Double(result.truth.count) / Double(source.frameCount))
            case .interruptionBegan, .interruptionEnded: break
            }
        }
        try writer.finish()
        try AtomicFile.write(Array(TrajectoryText.text(result.truth).utf8), to: folder.appendingPathComponent("truth.tum"))
        if !source.faces.isEmpty {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            try AtomicFile.write(Array(encoder.encode(source.faces)), to: folder.appendingPathComponent("room.json"))
        }
        return result
    }
}
