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
    /// For messages.
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

/// A person with a phone who walks around a model on a table in a furnished room.
@MainActor
private enum CaptureSimulation {
    /// The longest side of the object on the table, metres; models of a plausible size keep theirs.
    private static let plausibleSizes: ClosedRange<Float> = 0.08...0.45
    private static let usualSize: Float = 0.24

    static func source(of url: URL) async throws -> SimulatedSource {
        let loaded = try await SceneFile.load(url)
        for warning in loaded.warnings { printError("warning: \(url.relativePath): \(warning)") }
        let bounds = loaded.scene.bounds
        guard !bounds.isEmpty, bounds.size.max() > 0 else { throw CommandError(file: url.relativePath, reason: "has nothing to capture") }
        let side = bounds.size.max()
        let scale = plausibleSizes.contains(side) ? 1 : usualSize / side
        let table = SimulatedTable()
        let object = Node(name: "object")
        for node in loaded.scene.rootNode.childNodes { object.addChildNode(node) }
        object.transform =
            Matrix4(scale: Vector3(scale, scale, scale))
            * Matrix4(translation: Vector3(-bounds.center.x, -bounds.minimum.y, -bounds.center.z))
        let height = bounds.size.y * scale
        let target = Vector3d(Vector3(table.center.x, table.center.y + height / 2, table.center.z))
        let radius = Double(max(0.42, 1.9 * bounds.radius * scale))
        let path = path(around: target, radius: radius)
        let poses = path.cameraPoses()
        let room = SimulatedRoom(.study, around: poses.map(\.pose.translation), table: table)
        room.add(object, at: table.center, rotatedBy: .identity)
        let rig = SimulatedDevice.phone.rig
        var settings = SimulationSettings()
        settings.exposure = 0.004
        return try SimulatedSource(in: room, along: poses, rig: rig, settings: settings)
    }

    /// Some seconds of swaying, then a ring at each of three heights.
    private static func path(around target: Vector3d, radius: Double) -> OrbitPath {
        let degree = Double.pi / 180
        var keys = [OrbitPath.Key(time: 0, azimuth: 0, elevation: 26 * degree, radius: 1.35 * radius)]
        keys.append(.init(time: 2, azimuth: 14 * degree, elevation: 30 * degree, radius: 1.3 * radius))
        keys.append(.init(time: 4, azimuth: -6 * degree, elevation: 28 * degree, radius: 1.15 * radius))
        keys.append(.init(time: 6, azimuth: 0, elevation: 30 * degree, radius: radius))
        for (ring, elevation) in [32 * degree, 55 * degree, 14 * degree].enumerated() {
            let (start, turn) = (8 + 22 * Double(ring), 370 * degree)
            keys.append(.init(time: start, azimuth: turn * Double(ring), elevation: elevation, radius: radius))
            keys.append(.init(time: start + 20, azimuth: turn * Double(ring + 1), elevation: elevation, radius: radius))
        }
        return OrbitPath(target: target, keys: keys)
    }
}
