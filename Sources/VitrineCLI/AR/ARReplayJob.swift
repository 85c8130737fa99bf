import Foundation
import VitrineARView

/// One run of `vitrine ar replay`.
@MainActor
struct ARReplayJob {
    let input: String
    let settings: ARReplaySettings

    func run() async throws {
        let source = try settings.source.open(input).source
        guard !source.isLive else { throw CommandError(file: input, reason: "is a live camera: record it first") }
        let camera = source.rig.camera
        let isTurned = settings.orientation.isPortrait
        let own = isTurned ? (width: camera.height, height: camera.width) : (width: camera.width, height: camera.height)
        let size = settings.size ?? own
        let adapter = GPUAdapterChoice(parsing: settings.adapter ?? ProcessInfo.processInfo.environment["VITRINE_ADAPTER"] ?? "auto")
        let replay = try ARReplay(
            ARSession(source: source, pace: .stepped), width: size.width, height: size.height, orientation: settings.orientation,
            adapter: adapter)
        replay.renderer.options.sampleCount = settings.sampleCount
        for request in settings.requests {
            let (node, clip) = try await model(request.model)
            replay.place(ARPlacement(name: request.model, place: request.place, node: node, clip: clip))
        }
        try replay.renderer.prepare(replay.content)
        let tracking = try await tracking(source)
        let configuration = ARWorldTrackingConfiguration(planeDetection: [.horizontal, .vertical], tracking: tracking)
        let writer = try await ReplayWriter(settings.output, size: size, framesPerSecond: settings.framesPerSecond)
        let progress = ProgressLine(isShown: !settings.isJSON)
        defer { progress.finish() }
        let began = ContinuousClock.now
        var samples = StageSamples()
        let report = try await replay.run(configuration, duration: settings.duration) { picture in
            try await writer.write(picture)
            samples.add(picture.times)
            let speed = picture.elapsed * 1000 / max((ContinuousClock.now - began).milliseconds, 1)
            progress.report(String(format: "%.0f s of the recording, %.1f times real time", picture.elapsed, speed), fraction: 0)
        }
        for time in try await writer.finish() { samples.add("encode", time) }
        progress.finish()
        warn(about: source.problems)
        try tell(report, samples.stages, source.problems, seconds: (ContinuousClock.now - began).milliseconds / 1000)
    }

    private func model(_ model: String) async throws -> (Node, AnimationClip?) {
        if model == "cube" {
            let paint = Material(baseColor: Color(sRGB: 0xE4572E), roughness: 0.35)
            let box = Geometry.box(size: Vector3(repeating: 0.2), chamferRadius: 0.012)
            return (Node(name: model, mesh: Mesh(geometry: box, material: paint)).standing(size: settings.modelSize), nil)
        }
        let scene = try await Scene(contentsOf: URL(fileURLWithPath: model))
        let holder = Node(name: model)
        for child in scene.rootNode.childNodes { holder.addChildNode(child) }
        guard !holder.worldBounds.isEmpty else { throw CommandError(file: model, reason: "shows nothing") }
        return (holder.standing(size: settings.modelSize), try clip(of: scene, model))
    }

    /// What moves a model: the first of its animations, unless another is asked for.
    private func clip(of scene: Scene, _ model: String) throws -> AnimationClip? {
        guard let name = settings.animation else { return scene.animations.first }
        if name == "none" { return nil }
        if let found = scene.animation(named: name) { return found }
        if let index = Int(name), scene.animations.indices.contains(index) { return scene.animations[index] }
        let names = scene.animations.map(\.name).joined(separator: ", ")
        throw CommandError(file: model, reason: "no animation '\(name)': it has \(names.isEmpty ? "none" : names)")
    }

    /// The recording's own poses, where it has them.
    private func tracking(_ source: any SensorSource) async throws -> ARTracking {
        if let scale = settings.scale.scale {
            switch settings.tracking {
            case .visual: return .visual(scale)
            case nil where !source.rig.hasInertialUnit, .automatic where !source.rig.hasInertialUnit: return .visual(scale)
            default: throw ScaleArguments.unused(input)
            }
        }
        if let asked = settings.tracking { return asked }
        var found = ARTracking.automatic
        search: while let event = try await source.next() {
            if case .picture(let sample) = event {
                if sample.worldFromCamera != nil { found = .recorded }
                break search
            }
        }
        try await source.rewind()
        return found
    }

    private func tell(_ report: ARReplay.Report, _ stages: [StageSamples.Stage], _ problems: SourceProblems, seconds: Double) throws {
        if settings.isJSON { return try printARJSON(ReplayReport(report, stages, problems, seconds: seconds, output: settings.output)) }
        print("\(settings.output): \(report.frames) frames, \(report.normalFrames) with state normal")
        for thing in report.placed {
            let p = thing.position
            let placed = thing.isOnSurface ? "on a surface" : "in the air"
            print(String(format: "%@ after %.2f s %@ at %.3f, %.3f, %.3f m", thing.name, thing.elapsed, placed, p.x, p.y, p.z))
        }
        for stage in stages { print(stage.text) }
        let speed = report.duration / max(seconds, 1e-9)
        print(String(format: "%.1f s of recording in %.1f s: %.1f times real time", report.duration, seconds, speed))
    }
}

private struct ReplayReport: Encodable {
    struct Placed: Encodable {
        let name: String
        let seconds: Double
        let position: [Float]
        let onSurface: Bool
    }

    let output: String
    let frames, normalFrames: Int
    let duration, wallSeconds: Double
    let placed: [Placed]
    let stages: [StageSamples.Stage]
    let problems: Int
    let messages: [String]

    init(
        _ report: ARReplay.Report, _ stages: [StageSamples.Stage], _ problems: SourceProblems, seconds: Double, output: String
    ) {
        (self.output, self.stages) = (output, stages)
        (self.problems, messages) = (problems.count, problems.messages)
        (frames, normalFrames, duration, wallSeconds) = (report.frames, report.normalFrames, report.duration, seconds)
        placed = report.placed.map {
            Placed(name: $0.name, seconds: $0.elapsed, position: [$0.position.x, $0.position.y, $0.position.z], onSurface: $0.isOnSurface)
        }
    }
}

extension StageSamples {
    fileprivate mutating func add(_ times: ARReplay.Times) {
        add("read", times.session.reading)
        add("track", times.session.tracking)
        add("understand", times.session.understanding)
        add("draw", times.drawing)
        add("read back", times.readingBack)
    }
}
