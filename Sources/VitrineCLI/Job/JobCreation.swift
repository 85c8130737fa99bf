import Vitrine
import VitrineFiles
import VitrineReconstruct

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Creates a job's folder for `vitrine job plan`. The plan is its last file, so that a folder with a plan is complete.
struct JobCreation {
    private let photos: URL
    private let settings: JobPlanSettings
    private let folder: JobFolder
    private let models: [String]
    /// The options of `vitrine reconstruct`, on which the results depend.
    private let options: [String]

    init(photos: String, settings: JobPlanSettings, arguments: [String]) throws {
        try settings.validate()
        self.photos = URL(fileURLWithPath: photos)
        guard FileStatus.isFolder(photos) else {
            throw CommandError(file: photos, reason: "is not a folder with photos: a job has no tasks for videos yet")
        }
        (self.settings, folder) = (settings, JobFolder(URL(fileURLWithPath: settings.folder ?? "")))
        let isCamerasOnly = settings.models.isEmpty && !settings.reconstruct.writtenPaths.isEmpty
        models = settings.models.isEmpty && !isCamerasOnly ? ["model.glb"] : settings.models
        var options = JobPlanSettings.table.options(in: arguments, except: JobPlanSettings.ownOptions)
        // They determine the size at which large photos are used: the same on every machine.
        if settings.reconstruct.threads == nil { options += ["--threads", "\(ProcessInfo.processInfo.activeProcessorCount)"] }
        if settings.reconstruct.memory == nil { options += ["--memory", "\((Double(ProcessMemory.machine / 2) / 1e9).fixed(1))"] }
        self.options = Self.localized(options, device: settings.reconstruct.configuration.resolvedDevice)
    }

    /// The options with the names of masks and cameras in the job's folder instead of where they were.
    ///
    /// - Parameter device: Replaces `--device auto`: all machines use the same device.
    static func localized(
        _ options: [String], device: PhotogrammetrySession.Configuration.ComputeDevice
    ) -> [String] {
        var result: [String] = []
        for word in options {
            let isAttached = word.hasPrefix("--") && word.contains("=")
            let name = isAttached ? String(word.prefix { $0 != "=" }) : result.last ?? ""
            let value = isAttached ? String(word.dropFirst(name.count + 1)) : word
            let last = URL(fileURLWithPath: value).lastPathComponent
            switch name {
            case "--masks" where value != "auto" && value != "none": result.append(isAttached ? "--masks=masks" : "masks")
            case "--device": result.append(isAttached ? "--device=" + device.rawValue : device.rawValue)
            case "--cameras": result.append(isAttached ? "--cameras=" + last : last)
            default: result.append(word)
            }
        }
        return result
    }

    func run() throws {
        try NewFolder.make(folder.url.path)
        for inner in [folder.inputs, folder.results, folder.outputs, folder.done] { try Self.createFolder(inner) }
        try copyInputs()
        let reconstruction = try LoadedJob.settings(models: models, options: options, in: folder)
        let planner: JobPlanner
        do {
            planner = try JobPlanner(
                photos: folder.photos, configuration: reconstruction.configuration, requests: reconstruction.requests,
                photosPerBlock: settings.photosPerBlock, pairBlocks: settings.pairBlocks)
        } catch PhotogrammetrySession.Error.invalidImages {
            throw CommandError(file: photos.relativePath, reason: "is not a folder with photos")
        } catch let error as ReconstructionError {
            throw CommandError(file: photos.relativePath, reason: describe(error))
        }
        let outputs = reconstruction.writtenPaths.map { "outputs/" + URL(fileURLWithPath: $0).lastPathComponent }
        let plan = planner.plan(
            models: models, options: options, outputs: outputs, groupSeconds: Double(settings.groupSeconds), program: vitrineVersion)
        for file in EmbeddedFile.workflows {
            try AtomicFile.write(Array(file.bytes), to: folder.url.appendingPathComponent(file.name))
        }
        try AtomicFile.write(Array(try JSONReport.data(plan)), to: folder.plan)
        let seconds = plan.tasks.reduce(0) { $0 + $1.seconds }
        print(
            "\(folder.plan.relativePath)  \(plan.photos) photos, \(plan.tasks.count) tasks in \(plan.groups.count) groups, about \(ProgressLine.duration(seconds)) of work"
        )
    }

    // MARK: Inputs

    private func copyInputs() throws {
        try copy(photos, to: folder.photos)
        // Depth maps may lie beside the folder of photos.
        for name in ["depth", "depths"] {
            let depth = photos.deletingLastPathComponent().appendingPathComponent(name)
            if FileStatus.isFolder(depth.path), depth.standardizedFileURL.path != photos.standardizedFileURL.path {
                try copy(depth, to: folder.inputs.appendingPathComponent(name))
            }
        }
        if case .folder(let path) = settings.reconstruct.masks {
            guard FileStatus.isFolder(path) else { throw CommandError(file: path, reason: "is not a folder with masks") }
            try copy(URL(fileURLWithPath: path), to: folder.inputs.appendingPathComponent("masks"))
        }
        if let path = settings.reconstruct.cameras {
            let cameras = folder.inputs.appendingPathComponent("cameras")
            try Self.createFolder(cameras)
            let source = URL(fileURLWithPath: path)
            guard FileStatus(path: path) != nil else { throw CommandError(file: path, reason: "no such file") }
            try copy(source, to: cameras.appendingPathComponent(source.lastPathComponent))
        }
    }

    /// Copies a file or a folder without hidden files. On the same disk, files are linked.
    private func copy(_ source: URL, to target: URL) throws {
        guard let status = FileStatus(path: source.path) else { return }
        guard status.kind == .folder else {
            let file = source.resolvingSymlinksInPath()
            do {
                try FileManager.default.linkItem(atPath: file.path, toPath: target.path)
            } catch {
                try FileManager.default.copyItem(atPath: file.path, toPath: target.path)
            }
            return
        }
        try Self.createFolder(target)
        for name in try FileManager.default.contentsOfDirectory(atPath: source.path).sorted() where !name.hasPrefix(".") {
            // The job itself may lie in the folder of photos.
            let inner = source.appendingPathComponent(name)
            if inner.standardizedFileURL.path == folder.url.standardizedFileURL.path { continue }
            try copy(inner, to: target.appendingPathComponent(name))
        }
    }

    private static func createFolder(_ url: URL) throws {
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            throw CommandError(file: url.relativePath, reason: "the folder cannot be created: \(describe(error))")
        }
    }
}
