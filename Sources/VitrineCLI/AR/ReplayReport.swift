import VitrineARView
import VitrineFiles

/// The report of `vitrine ar replay --json`.
struct ReplayReport: Encodable {
    struct Placed: Encodable {
        let name: String
        let seconds: Double
        let position: [Float]
        let onSurface: Bool
    }

    let output: String
    let frames, normalFrames, trackedFrames: Int
    let duration, wallSeconds: Double
    let placed: [Placed]
    let images: [SceneSummary.Poster]
    let meshAnchors, meshTriangles: Int
    let stages: [StageSamples.Stage]
    let peakMegabytes: Double
    /// The resident memory after each time that the recording was run.
    let residentMegabytes: [Double]
    let problems: Int
    let messages: [String]

    init(_ report: ARReplay.Report, _ run: ARReplayJob.Run, _ problems: SourceProblems, output: String) {
        (self.output, stages) = (output, run.samples.stages)
        (peakMegabytes, residentMegabytes) = (ProcessMemory.peakMegabytes, run.residentMegabytes)
        (self.problems, messages) = (problems.count, problems.messages)
        images = run.scene.posters
        (meshAnchors, meshTriangles) = (run.scene.meshes.count, run.scene.triangleCount)
        (frames, normalFrames, trackedFrames) = (report.frames, report.normalFrames, report.trackedFrames)
        (duration, wallSeconds) = (report.duration, run.seconds)
        placed = report.placed.map {
            Placed(name: $0.name, seconds: $0.elapsed, position: [$0.position.x, $0.position.y, $0.position.z], onSurface: $0.isOnSurface)
        }
    }
}
