import Foundation
import Testing
import VitrineReconstruct
import VitrineTestSupport

@testable import VitrineCLI

struct JobTests {
    private func settings(_ arguments: String...) throws -> JobPlanSettings {
        var settings = JobPlanSettings()
        _ = try JobPlanSettings.table.parse(["photos"] + arguments, into: &settings)
        return settings
    }

    @Test func outputsStayInTheJob() throws {
        try settings("-o", "job", "--model", "a.glb", "--poses", "p.json", "--detail", "full").validate()
        try settings("-o", "job").validate()
        for path in ["/a.glb", "../a.glb", "b/a.glb", "a.max"] {
            #expect(throws: UsageError.self, "\(path)") { try settings("-o", "job", "--model", path).validate() }
        }
        #expect(throws: UsageError.self) { try settings("--model", "a.glb").validate() }
        #expect(throws: UsageError.self) { try settings("-o", "job", "--checkpoint", "work") }
    }

    @Test func settingsLieInTheJobsFolder() throws {
        let job = JobFolder(URL(fileURLWithPath: "/work/job"))
        let settings = try LoadedJob.settings(
            models: ["a.glb"], options: ["--masks", "masks", "--cameras", "c.json", "--report", "r.html", "--detail", "preview"], in: job)
        #expect(settings.outputs == ["/work/job/outputs/a.glb"])
        #expect(settings.report == "/work/job/outputs/r.html" && settings.checkpoint == "/work/job/results")
        #expect(settings.masks == .folder("/work/job/inputs/masks") && settings.cameras == "/work/job/inputs/cameras/c.json")
        #expect(settings.details == [.preview])
    }

    /// The plan names the device of the tasks: each machine would decide `auto` for itself.
    @Test func theDeviceIsInThePlan() throws {
        #expect(try settings("-o", "job", "--device", "gpu").reconstruct.configuration.computeDevice == .gpu)
        #expect(try settings("-o", "job").reconstruct.configuration.resolvedDevice == .cpu)
        let options = JobCreation.localized(["--device", "auto", "--masks=auto", "--device=auto"], device: .gpu)
        #expect(options == ["--device", "gpu", "--masks=auto", "--device=gpu"])
        #expect(throws: UsageError.self) { try settings("-o", "job", "--device", "cuda") }
    }

    /// The workflows that are written beside a plan are the repository's.
    @Test func theWorkflowsAreEmbedded() throws {
        for (name, part) in [("Snakefile", "job run . $task"), ("slurm.py", "sbatch")] {
            let file = try #require(EmbeddedFile.workflows.first { $0.name == name })
            #expect(String(decoding: file.bytes, as: UTF8.self).contains(part))
        }
    }
}
