import Vitrine
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A job's folder with its plan and its settings.
struct LoadedJob {
    let folder: JobFolder
    let plan: JobPlan
    let settings: ReconstructSettings

    /// The state of a finished task: the file `done/TASK.json`.
    struct Marker: Codable {
        let task: String
        let seconds: Double
        let peakMemoryMb: Int?
        let host: String
    }

    /// Reads the plan of a job.
    ///
    /// - Throws: `CommandError` if the folder has no plan of this version.
    init(_ path: String) throws {
        folder = JobFolder(URL(fileURLWithPath: path))
        guard let data = FileManager.default.contents(atPath: folder.plan.path) else {
            throw CommandError(file: path, reason: "has no plan.json: make it with 'vitrine job plan PHOTOS -o \(path)'")
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard let plan = try? decoder.decode(JobPlan.self, from: data), plan.version == JobPlan.currentVersion else {
            throw CommandError(file: folder.plan.relativePath, reason: "is not a plan of this version: make the job again")
        }
        self.plan = plan
        do throws(UsageError) {
            settings = try Self.settings(models: plan.models, options: plan.options, in: folder)
        } catch {
            throw CommandError(file: folder.plan.relativePath, reason: error.message)
        }
    }

    /// The settings of the whole reconstruction, with paths in the job's folder.
    static func settings(models: [String], options: [String], in folder: JobFolder) throws(UsageError) -> ReconstructSettings {
        var settings = ReconstructSettings()
        _ = try ReconstructSettings.table.parse(options + ["--", "photos"], into: &settings)
        func output(_ name: String) -> String { folder.outputs.appendingPathComponent(name).relativePath }
        settings.outputs = models.map(output)
        settings.poses = settings.poses.map(output)
        settings.transforms = settings.transforms.map(output)
        settings.colmap = settings.colmap.map(output)
        settings.pointCloud = settings.pointCloud.map(output)
        settings.report = settings.report.map(output)
        settings.checkpoint = folder.results.relativePath
        if case .folder = settings.masks { settings.masks = .folder(folder.inputs.appendingPathComponent("masks").relativePath) }
        settings.cameras = settings.cameras.map { path in
            folder.inputs.appendingPathComponent("cameras").appendingPathComponent(URL(fileURLWithPath: path).lastPathComponent)
                .relativePath
        }
        return settings
    }

    func isDone(_ task: String) -> Bool { FileStatus(path: folder.marker(task).path) != nil }

    func marker(_ task: String) -> Marker? {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return FileManager.default.contents(atPath: folder.marker(task).path).flatMap { try? decoder.decode(Marker.self, from: $0) }
    }
}
