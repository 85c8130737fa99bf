import Vitrine
import VitrineFiles
import VitrineGPU

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let render = Command(
        name: "render", summary: "Renders a model into images or films.",
        help: {
            RenderSettings.table.help(
                command: "render", summary: RenderSettings.summary, examples: RenderSettings.examples, notes: RenderSettings.notes)
        },
        run: { arguments in
            var settings = RenderSettings()
            let model = try RenderSettings.table.parse(arguments, into: &settings)[0]
            try settings.validate()
            try await cancellable { [settings] in
                if settings.photoset != nil {
                    try await PhotosetJob(model: model, settings: settings).run()
                } else if settings.path.isPathTraced {
                    try await PathRenderJob(model: model, settings: settings).run()
                } else if settings.isFilm {
                    try await FilmJob(model: model, settings: settings).run()
                } else {
                    try await RenderJob(model: model, settings: settings).run()
                }
            }
        }, relatedWords: ["draw", "image", "screenshot", "thumbnail", "turntable", "film", "video", "gif", "animate"])
}

extension RenderSettings {
    func validate() throws(UsageError) {
        guard output != nil || benchmark != nil else { throw UsageError("-o OUT is missing: name the image to write") }
        if photoset == nil, let first = givenForPhotoset.first { throw UsageError("\(first) requires --photoset") }
        guard turntable == nil || benchmark == nil else { throw UsageError("--turntable and --benchmark exclude each other") }
        guard photoset == nil || (turntable == nil && benchmark == nil) else {
            throw UsageError("--photoset excludes --turntable and --benchmark")
        }
        guard photoset == nil || (look.camera == nil && look.photoCamera == nil) else {
            throw UsageError("--photoset excludes --camera and --photo-camera: it places its own cameras")
        }
        guard look.photoCamera == nil || (look.camera == nil && turntable == nil) else {
            throw UsageError("--photo-camera excludes --camera and --turntable")
        }
        let isOneFrame = benchmark != nil || samples == 1 || (samples == nil && look.sampleCount != nil)
        guard look.occlusion != .shadows || (photoset == nil && !isOneFrame) else {
            throw UsageError(
                "--occlusion shadows requires images of several samples: it excludes --photoset, --benchmark, --samples 1 and --msaa")
        }
        try validatePath()
        try validateFilm()
        if let output, photoset == nil, !isFilm {
            guard ["png", "jpg", "jpeg", "webp", "hdr", "exr"].contains(outputExtension) || AtomicFile.isStream(path: output) else {
                throw UsageError(
                    "'\(output)': OUT must end in one of .png, .jpg, .webp, .hdr, .exr, or for films in one of \(Self.filmNames)")
            }
        }
    }

    /// Whether the output stores linear radiance, without a transfer function: `.hdr` and `.exr`.
    var isLinear: Bool {
        let kind = (output ?? "").pathExtension.lowercased()
        return kind == "hdr" || kind == "exr"
    }
}

/// One run of `vitrine render`.
@MainActor
struct RenderJob {
    let model: String
    let settings: RenderSettings

    func run() async throws {
        let started = ContinuousClock.now
        let progress = ProgressLine(isShown: !settings.isJSON)
        let look = settings.look
        defer { progress.finish() }
        let (staging, renderer) = try await settings.stage(look, model: model, progress)
        let device = renderer.device

        let target = try OffscreenTarget(
            device, width: settings.size.width, height: settings.size.height, content: settings.isLinear ? .radiance : .display)
        let render = StillRender(renderer: renderer, target: target, staging: staging, job: self, progress: progress)
        if let frames = settings.benchmark {
            try render.benchmark(frames: frames, started: started)
        } else if let count = settings.turntable {
            try render.turntable(count: count)
        } else {
            try render.single(started: started)
        }
    }
}

extension RenderSettings {
    /// The number of frames of a still.
    fileprivate func stillSamples(_ look: LookSettings) -> Int { samples ?? (look.sampleCount == nil ? 16 : 1) }

    /// Loads a model and creates its renderer. The GPU's driver starts while the model is read; materials and environment are uploaded while the occlusion
    /// is baked. Warnings of the model and of the renderer go to standard error.
    @MainActor
    func stage(_ look: LookSettings, model: String, _ progress: ProgressLine) async throws -> (Staging, Renderer) {
        async let opened = openDevice()
        let staging = try await look.load(model: model, progress: progress.report)
        lighting.apply(to: staging.scene, staging.bounds)
        let renderer = try Renderer(device: try await opened)
        progress.finish()
        // Stills draw dozens of shadow maps: simpler casters save more time than they take.
        if look.occlusion == nil || look.occlusion == .shadows, benchmark == nil, stillSamples(look) > 1 {
            renderer.casterSimplifier = GeometryLevel.casters
        }
        printWarnings(staging.warnings, about: model)
        renderer.onWarning = {
            progress.finish()
            printError("warning: \(model): \($0)")
        }
        let upload = MaterialUpload(scene: staging.scene, renderer: renderer)
        // Begins as soon as this function waits for the bake, which changes vertices only.
        async let uploaded: Void = upload.run(look.renderOptions)
        if look.bakesOcclusion { try await staging.scene.bakeOcclusion { progress.report("baking occlusion", fraction: $0) } }
        try await uploaded
        return (staging, renderer)
    }

    private nonisolated func openDevice() async throws -> sending GPUDevice {
        try GPUDevice.make(look.adapterChoice, optional: [.timestampQuery, .float32Filterable])
    }
}

/// Uploads materials and environment of a scene on the main thread, while other threads work for that thread.
@MainActor
private struct MaterialUpload {
    let scene: Scene
    let renderer: Renderer

    func run(_ options: RenderOptions) async throws { try renderer.prepareMaterials(of: scene, options: options) }
}

/// Renders and writes the images of one run.
@MainActor
private struct StillRender {
    let renderer: Renderer
    let target: OffscreenTarget
    let staging: Staging
    let job: RenderJob
    let progress: ProgressLine

    private var settings: RenderSettings { job.settings }
    private var look: LookSettings { settings.look }

    /// Renders one image.
    ///
    /// - Parameters:
    ///   - image: The number of images before it, and of all images.
    ///   - measuresTime: Whether a benchmark measures the GPU's time.
    private func draw(
        turn: Angle = .zero, image: (index: Int, count: Int) = (0, 1), measuresTime: Bool = false
    ) throws -> FrameStatistics {
        let aspect = Float(settings.size.width) / Float(settings.size.height)
        let view = try look.view(of: staging, path: job.model, aspectRatio: aspect, turn: turn)
        var options = look.renderOptions
        if measuresTime { options.measuresTime = true }
        guard settings.benchmark == nil else { return try renderer.render(staging.scene, from: view, to: target.view, options: options) }
        if look.occlusion == nil { options.environmentShadows = true }
        let samples = settings.stillSamples(look)
        try Task.checkCancellation()
        progress.report("rendering", fraction: Double(image.index) / Double(image.count))
        let statistics = try renderer.renderStill(staging.scene, from: view, to: target, samples: samples, options: options) {
            (finished) throws(RenderError) in
            guard !Task.isCancelled else { throw .cancelled }
            let share = Double(finished) / Double(samples)
            progress.report("rendering", fraction: (Double(image.index) + share) / Double(image.count))
        }
        // Text in a radiance file would act as light.
        if look.showsStatistics, !settings.isLinear { try TextOverlay(renderer.device).draw(statistics.lines(), over: target.view) }
        return statistics
    }

    private func write(to path: String) throws {
        try target.image().write(to: URL(fileURLWithPath: path))
    }

    func single(started: ContinuousClock.Instant) throws {
        guard let output = settings.output else { return }
        let statistics = try draw()
        try write(to: output)
        report(RenderReport(output: [output], size: settings.size, statistics: statistics, startup: nil, frames: nil))
    }

    func turntable(count: Int) throws {
        guard let output = settings.output else { return }
        var written: [String] = []
        var statistics = FrameStatistics()
        for index in 0..<count {
            let path = turntablePath(output, index: index, count: count)
            statistics = try draw(turn: .degrees(360 * Float(index) / Float(count)), image: (index, count))
            try write(to: path)
            written.append(path)
        }
        report(RenderReport(output: written, size: settings.size, statistics: statistics, startup: nil, frames: nil))
    }

    func benchmark(frames: Int, started: ContinuousClock.Instant) throws {
        var statistics = try draw()
        try renderer.device.waitUntilIdle()
        let startup = (ContinuousClock.now - started).milliseconds
        var times = FrameTimes()
        for frame in 1...frames {
            try Task.checkCancellation()
            let begin = ContinuousClock.now
            statistics = try draw(turn: .degrees(Float(frame)))
            times.processor.append((ContinuousClock.now - begin).milliseconds)
            try renderer.device.waitUntilIdle()
            times.finished.append((ContinuousClock.now - begin).milliseconds)
        }
        // Frames apart: to measure the GPU costs time.
        for frame in 1...frames {
            try Task.checkCancellation()
            guard let time = try draw(turn: .degrees(Float(frame)), measuresTime: true).gpuMilliseconds else { break }
            times.gpu.append(time)
        }
        if let output = settings.output { try write(to: output) }
        let written = settings.output.map { [$0] } ?? []
        report(RenderReport(output: written, size: settings.size, statistics: statistics, startup: startup, frames: times))
    }

    private func report(_ report: RenderReport) {
        progress.finish()
        if settings.isJSON {
            print(report.json)
        } else {
            for line in report.lines(includingStatistics: look.showsStatistics) { print(line) }
        }
    }
}

extension Duration {
    var milliseconds: Double {
        let parts = components
        return Double(parts.seconds) * 1e3 + Double(parts.attoseconds) * 1e-15
    }
}
