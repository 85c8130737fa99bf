import VitrineCaptureView
import VitrineFiles
import VitrineSimulation
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The source of a capture, and how to track it.
struct CaptureSource {
    let source: any SensorSource
    let tracking: TrackingMethod
    /// The simulated user of a simulated device, whose walk depends on feedback.
    var person: SimulatedPerson? { (source as? SimulatedSource)?.person }
    /// The name of the source, for messages.
    let name: String

    /// Whether a path is a folder, but not a recording.
    static func isPhotoFolder(_ url: URL) throws -> Bool {
        guard FileStatus.isFolder(url.path) else { return false }
        return !SensorSourceFile.isRecording(url)
    }

    @MainActor static func open(_ url: URL, _ settings: CaptureSettings) async throws -> CaptureSource {
        let name = url.relativePath
        if ModelFile.format(forExtension: url.pathExtension) != nil || url.pathExtension.lowercased() == "gltf" {
            let simulated = try await CaptureSimulation.source(of: url)
            return try CaptureSource(source: simulated, tracking: tracking(settings, simulated.rig, name), name: name)
        }
        var arguments = settings.source
        let isFile = FileStatus(path: url.path)?.kind == .file
        if isFile, arguments.options.camera == nil {
            arguments.options.camera = .typicalPhone
            printError("warning: \(name): its focal length is assumed to be that of a phone; --camera FOCAL gives it in pixels")
        }
        let opened = try arguments.open(url.path)
        return try CaptureSource(source: opened.source, tracking: tracking(settings, opened.source.rig, name), name: name)
    }

    private static func tracking(_ settings: CaptureSettings, _ rig: SensorRig, _ name: String) throws -> TrackingMethod {
        let method = (settings.tracker ?? .automatic).resolved(for: rig)
        guard let scale = settings.scale.scale else { return method }
        guard case .visual = method else { throw ScaleArguments.unused(name) }
        return .visual(scale)
    }
}

@MainActor
private enum CaptureSimulation {
    static func source(of url: URL) async throws -> SimulatedSource {
        let loaded = try await SceneFile.load(url)
        printWarnings(loaded.warnings, about: url.relativePath)
        var capture = SimulatedCapture()
        capture.settings.exposure = 0.004
        guard let stage = try capture.stage(loaded.scene) else {
            throw CommandError(file: url.relativePath, reason: "contains no visible geometry")
        }
        return stage.source
    }
}
