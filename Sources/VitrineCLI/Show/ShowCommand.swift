import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Command {
    static let show = Command(
        name: "show", summary: "Shows a model in an interactive window.",
        help: {
            ShowSettings.table.help(
                command: "show", summary: ShowSettings.summary, examples: ShowSettings.examples, notes: ShowSettings.notes)
        },
        run: { arguments in
            var settings = ShowSettings()
            let model = try ShowSettings.table.parse(arguments, into: &settings)[0]
            guard settings.look.occlusion != .shadows else { throw UsageError("--occlusion: windows support baked, screen and map") }
            try await Show(model: model, settings: settings).run()
        }, relatedWords: ["display", "open", "preview", "view", "viewer"])
}

/// One run of `vitrine show`.
@MainActor
private final class Show {
    private let model: String
    private let settings: ShowSettings
    private let progress = ProgressLine(isShown: true)

    init(model: String, settings: ShowSettings) { (self.model, self.settings) = (model, settings) }

    func run() async throws {
        let view = SceneView { [self] report in try await load(report) }
        view.options = look.renderOptions
        view.showsStatistics = look.showsStatistics
        view.fieldOfView = look.fieldOfView
        view.lens = look.lens(focusingAt: nil)
        view.focusesOnTarget = look.depthOfField?.focus == nil
        view.onSceneChange = { [self] view in
            // Models that are dropped later use the default view.
            view.onSceneChange = nil
            try apply(view)
        }
        let viewer = Viewer(view)
        viewer.bakesOcclusion = look.bakesOcclusion
        viewer.loadOptions = look.loadOptions
        viewer.onEvent = { [progress] event in Self.report(event, progress) }
        let window = Window(URL(fileURLWithPath: model).lastPathComponent, showing: viewer, options: windowOptions)
        try await window.run()
    }

    private var look: LookSettings { settings.look }

    private var windowOptions: Window.Options {
        var options = Window.Options()
        (options.width, options.height) = settings.size
        options.adapter = RenderAdapter(parsing: look.adapterChoice.description)
        options.presentMode = settings.presentMode
        options.frameLimit = settings.frames
        return options
    }

    private func load(_ report: @escaping @Sendable (LoadingProgress) -> Void) async throws -> Scene {
        // Two thirds for the file, one for the shading between its parts.
        let share = look.bakesOcclusion ? 2.0 / 3 : 1
        let staging = try await look.stage(
            model: model,
            progress: { [progress] step in
                progress.report(step)
                report(LoadingProgress(step.fraction * share, stage: step.stage))
            }, bakeProgress: { report(LoadingProgress(share + $0 * (1 - share), stage: "shading")) })
        progress.finish()
        printWarnings(staging.warnings, about: model)
        settings.lighting.apply(to: staging.scene, staging.bounds)
        return staging.scene
    }

    /// Applies the camera and the animation of the command line.
    private func apply(_ view: SceneView) throws {
        if let name = look.camera {
            view.pointOfView = try look.cameraNode(named: name, in: view.scene, path: model)
        } else if case .fixed(let azimuth, let elevation, let distance) = look.orbit {
            view.frameScene(azimuth: .degrees(azimuth), elevation: .degrees(elevation))
            if let distance { view.cameraPose.distance = distance }
        }
        if let target = look.target { view.cameraPose.target = target }
        if let clip = try look.clip(of: view.scene, path: model) { view.play(clip) }
        view.isPlaying = !settings.isPaused && look.time == nil
        if let time = look.time { view.animationTime = time }
    }

    private static func report(_ event: ViewerEvent, _ progress: ProgressLine) {
        switch event {
        case .loading: return
        case .loaded(let file, let warnings):
            print(file)
            printWarnings(warnings, about: file)
        case .failed(let message): printError("error: \(message)")
        case .warning(let message): printError("warning: \(message)")
        case .screenshotWritten(let url): print(url.lastPathComponent)
        case .changed(let text): print(text)
        }
    }
}
