import VitrineARView
import VitrineFiles
import VitrineGPU

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One run of `vitrine ar replay`.
@MainActor
struct ARReplayJob {
    let input: String
    let settings: ARReplaySettings

    /// Measurements in addition to the report of the replay.
    struct Run {
        var samples = StageSamples()
        var scene = SceneSummary()
        /// The resident memory after each round.
        var residentMegabytes: [Double] = []
        /// The duration of the first round, which writes.
        var seconds = 0.0
    }

    func run() async throws {
        ProcessMemory.limitArenas()
        let source = try settings.source.open(input).source
        guard !source.isLive else { throw CommandError(file: input, reason: "is a live camera: record it with 'vitrine ar record' first") }
        let replay = try await replay(source)
        let tracking = try await tracking(source)
        var configuration = ARWorldTrackingConfiguration(planeDetection: [.horizontal, .vertical], tracking: tracking)
        try settings.scene.apply(to: &configuration)
        let progress = ProgressLine(isShown: !settings.isJSON)
        defer { progress.finish() }
        var run = Run()
        let report = try await write(replay, configuration, &run, progress)
        run.residentMegabytes += [ProcessMemory.residentMegabytes()].compactMap { $0 }
        for round in 1..<max(settings.rounds, 1) {
            _ = try await replay.run(configuration) {
                progress.report("round \(round + 1)", fraction: nil, detail: "\($0.elapsed.fixed(0)) s of the recording")
            }
            run.residentMegabytes += [ProcessMemory.residentMegabytes()].compactMap { $0 }
        }
        progress.finish()
        warn(about: source.problems)
        warn(about: replay.session.problems)
        var problems = source.problems
        for message in replay.session.problems.messages { problems.add(message) }
        try saveMesh(of: run)
        try self.report(report, run, problems)
    }

    private func saveMesh(of run: Run) throws {
        guard let file = settings.scene.meshFile else { return }
        guard !run.scene.meshes.isEmpty else { throw CommandError(file: input, reason: "has no depth images to reconstruct a mesh from") }
        _ = try ModelFile.write(try run.scene.scene(), to: file)
    }

    /// Creates the replay with its models.
    private func replay(_ source: any SensorSource) async throws -> ARReplay {
        let images = settings.images
        let size = images.size(for: source.rig.camera)
        let adapter = RenderAdapter(parsing: images.adapter ?? ProcessInfo.processInfo.environment["VITRINE_ADAPTER"] ?? "auto")
        let replay = try ARReplay(
            ARSession(source: source, pace: .stepped), width: size.width, height: size.height, orientation: images.orientation,
            adapter: adapter)
        replay.renderer.options.sampleCount = images.sampleCount
        settings.scene.apply(to: replay.renderer)
        for request in settings.models.requests {
            if case .tap(let point, _) = request.placement, point.x > Float(size.width) || point.y > Float(size.height) {
                throw CommandError(
                    file: input, reason: "a tap at \(point.x), \(point.y) is outside of images of \(size.width) × \(size.height)")
            }
            let (node, clip) = try await model(request.model)
            replay.place(node, named: request.model, at: request.placement, clip: clip)
        }
        try replay.prepare()
        return replay
    }

    /// Runs the replay once and writes its images.
    private func write(
        _ replay: ARReplay, _ configuration: ARWorldTrackingConfiguration, _ run: inout Run, _ progress: ProgressLine
    ) async throws -> ARReplay.Report {
        let writer = try await ReplayWriter(
            settings.output, size: (replay.width, replay.height), framesPerSecond: settings.images.framesPerSecond)
        let began = ContinuousClock.now
        do {
            return try await write(replay, configuration, writer, since: began, &run, progress)
        } catch {
            await writer.discard()
            throw error
        }
    }

    private func write(
        _ replay: ARReplay, _ configuration: ARWorldTrackingConfiguration, _ writer: ReplayWriter, since began: ContinuousClock.Instant,
        _ run: inout Run, _ progress: ProgressLine
    ) async throws -> ARReplay.Report {
        var samples = StageSamples()
        var scene = SceneSummary()
        let report = try await replay.run(configuration, duration: settings.duration) { frame in
            scene.add(frame.frame, elapsed: frame.elapsed)
            try await writer.write(frame)
            samples.add(frame.times)
            let speed = frame.elapsed * 1000 / max((ContinuousClock.now - began).milliseconds, 1)
            let detail = "\(frame.elapsed.fixed(0)) s of the recording, \(speed.fixed(1)) times real time"
            progress.report("replaying", fraction: nil, detail: detail)
        }
        for time in try await writer.finish() { samples.add("encode", time) }
        run.scene = scene
        (run.samples, run.seconds) = (samples, (ContinuousClock.now - began).milliseconds / 1000)
        return report
    }

    private func model(_ model: String) async throws -> (Node, AnimationClip?) {
        if model == "cube" {
            let paint = Material(baseColor: Color(sRGB: 0xE4572E), roughness: 0.35)
            let box = Geometry.box(size: Vector3(repeating: 0.2), chamferRadius: 0.012)
            return (Node(name: model, mesh: Mesh(geometry: box, material: paint)).standing(size: settings.models.size), nil)
        }
        var options = ModelLoadOptions()
        options.allowedFolders = settings.models.allowedFolders
        let scene = try await Scene(contentsOf: URL(fileURLWithPath: model), options: options)
        let holder = Node(name: model)
        for child in scene.rootNode.childNodes { holder.addChildNode(child) }
        guard !holder.worldBounds.isEmpty else { throw CommandError(file: model, reason: "has no visible geometry") }
        holder.addLevelsOfDetail()
        return (holder.standing(size: settings.models.size), try clip(of: scene, model))
    }

    /// The animation of a model: that of `--animation`, otherwise the first.
    private func clip(of scene: Scene, _ model: String) throws -> AnimationClip? {
        guard let name = settings.models.animation else { return scene.animations.first }
        if name == "none" { return nil }
        if let found = scene.animation(named: name) { return found }
        if let index = Int(name), scene.animations.indices.contains(index) { return scene.animations[index] }
        let names = scene.animations.map(\.name).joined(separator: ", ")
        throw CommandError(
            file: model, reason: "has no animation '\(name)': \(names.isEmpty ? "the model has no animations" : "use one of " + names)")
    }

    /// The tracking of `--tracker`, otherwise the recording's own poses if it has them.
    private func tracking(_ source: any SensorSource) async throws -> TrackingMethod {
        if let scale = settings.scale.scale {
            switch settings.tracking {
            case .visual: return .visual(scale)
            case nil where !source.rig.hasInertialUnit, .automatic where !source.rig.hasInertialUnit: return .visual(scale)
            default: throw ScaleArguments.unused(input)
            }
        }
        if let asked = settings.tracking { return asked }
        var found = TrackingMethod.automatic
        search: while let event = try await source.next() {
            if case .image(let sample) = event {
                if sample.worldFromCamera != nil { found = .recorded }
                break search
            }
        }
        try await source.rewind()
        return found
    }

    private func report(_ report: ARReplay.Report, _ run: Run, _ problems: SourceProblems) throws {
        if settings.isJSON { return try JSONReport.print(ReplayReport(report, run, problems, output: settings.output)) }
        print(
            "\(settings.output): \(report.frames) frames, \(report.normalFrames) with state normal"
                + (report.trackedFrames > report.normalFrames ? ", \(report.trackedFrames - report.normalFrames) with unknown scale" : ""))
        for thing in report.placed {
            let p = thing.position
            let placed = thing.isOnSurface ? "on a surface" : "without a surface"
            print("\(thing.name) after \(thing.elapsed.fixed(2)) s \(placed) at \(p.x.fixed(3)), \(p.y.fixed(3)), \(p.z.fixed(3)) m")
        }
        run.scene.printText()
        for stage in run.samples.stages { print(stage.text) }
        print("memory     \(ProcessMemory.peakMegabytes.fixed(0)) MB peak")
        if let rounds = ProcessMemory.text(afterEach: run.residentMegabytes) { print(rounds) }
        let speed = report.duration / max(run.seconds, 1e-9)
        print("\(report.duration.fixed(1)) s of recording in \(run.seconds.fixed(1)) s: \(speed.fixed(1)) times real time")
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
