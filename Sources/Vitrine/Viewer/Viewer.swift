import VitrineFiles
import VitrineGPU
import VitrineMath
import VitrineMotion
import VitrineRender
import VitrineScene
import VitrineStage
import VitrineWindow

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A viewer application: a `SceneView` with keys for rendering options, dropped files, screenshots, help and messages over the scene.
///
/// ```swift
/// let viewer = Viewer(SceneView(try await Scene(contentsOf: modelURL)))
/// try await Window("helmet.glb", showing: viewer).run()
/// ```
///
/// `vitrine show` uses this viewer. An app that needs only a scene uses a `SceneView` alone. See `docs/window.md` for the keys.
@MainActor
public final class Viewer {
    /// The view of the scene.
    public let view: SceneView
    /// Whether ambient occlusion is baked for models opened later (`Scene.bakeOcclusion`), before they are shown. Default false.
    public var bakesOcclusion = false
    /// The options for loading models.
    public var loadOptions = ModelLoadOptions()
    /// Called with the viewer's events. By default, failures and warnings are printed to standard error.
    public var onEvent: @MainActor (ViewerEvent) -> Void = ViewerEvent.printProblem

    private weak var window: Window?
    private let loader = FileLoader()
    private var overlay = ViewerOverlay()
    private var backgrounds = BackgroundCycle()
    /// The scene that `backgrounds` belongs to.
    private weak var sceneOfBackgrounds: Scene?
    /// The window's title without progress and failures.
    private var baseTitle: String?
    private var screenshots = ScreenshotNames()

    /// Creates a viewer around a view.
    public init(_ view: SceneView) {
        self.view = view
        view.onWarning = { [weak self] message in self?.onEvent(.warning(message)) }
        view.onEnvironmentTurn = { [weak self] time in self?.showEnvironmentAngle(at: time) }
    }

    /// The current time on the window's clock.
    private var now: Double { window?.now ?? 0 }
}

// MARK: - Window content

extension Viewer: WindowContent {
    /// Prepares the view. Called by the window.
    public func prepare(in window: Window, progress: @escaping @MainActor (LoadingProgress) -> Void) async throws {
        self.window = window
        if baseTitle == nil { baseTitle = window.title }
        try await view.prepare(in: window, progress: progress)
    }

    /// Draws the view with the viewer's texts over it. Called by the window.
    public func draw(_ frame: WindowFrame) throws {
        try view.draw(frame) { framesPerSecond in
            let label = view.options.debugView.map { "showing: \($0.name)    D: next, shift + D: previous" }
            // The help may need all of the window.
            return (overlay.showsHelp ? [] : view.statisticsTexts(framesPerSecond))
                + overlay.texts(label: label, size: view.size, at: frame.time)
        }
    }

    /// The time at which the view or a text over it needs the next frame.
    public var frameDemand: FrameDemand { view.frameDemand.earlier(overlay.remaining(at: now).map { .after($0) } ?? .none) }

    /// Performs the viewer's commands, opens dropped files, and passes other events to the view.
    public func handle(_ event: InputEvent) {
        switch event.kind {
        case .keyPressed(.escape, isRepeat: _) where overlay.showsHelp:
            overlay.closeHelp()
            view.setNeedsDisplay()
        case .keyPressed(let key, let isRepeat):
            guard let command = ViewerCommand(key, event.modifiers) else { return view.handle(event) }
            if !isRepeat || command.repeats { perform(command, at: event.time) }
        case .filesDropped(let paths): open(paths)
        default: view.handle(event)
        }
    }

    /// Closes the window at once if the key is a command to do so; other keys wait for the first frame.
    public func handleWhilePreparing(_ event: InputEvent) -> Bool {
        guard case .keyPressed(let key, _) = event.kind, ViewerCommand(key, event.modifiers) == .quit else { return false }
        window?.close()
        return true
    }

    /// Cancels loading and releases the GPU's resources. Called by the window.
    public func windowDidClose() {
        loader.cancelAll()
        view.windowDidClose()
        window = nil
    }
}

// MARK: - Commands

extension Viewer {
    /// Performs a command and reports its result.
    ///
    /// - Parameter time: The time in seconds on the window's clock; nil for now.
    package func perform(_ command: ViewerCommand, at time: Double? = nil) {
        let time = time ?? now
        switch command {
        case .nextCamera:
            announce(view.showNextCamera() ? "camera: \(view.pointOfView?.name ?? "own")" : "the file has no cameras", at: time)
        case .toggleProjection:
            view.toggleProjection()
            announce("projection: \(view.isOrthographic ? "orthographic" : "perspective")", at: time)
        case .playOrPause:
            view.isPlaying.toggle()
            announce(view.currentClip == nil ? "no animation" : view.isPlaying ? "playing" : "paused", at: time)
        case .nextAnimation: playNextAnimation(at: time)
        case .turnEnvironmentLeft: turnEnvironment(by: .degrees(-5), at: time)
        case .turnEnvironmentRight: turnEnvironment(by: .degrees(5), at: time)
        case .nextBackground: showNextBackground(at: time)
        case .moreExposure: changeExposure(by: 1 / 3, at: time)
        case .lessExposure: changeExposure(by: -1 / 3, at: time)
        case .nextToneMapping:
            view.options.toneMapping = view.options.toneMapping.next
            announce("tone mapping: \(view.options.toneMapping.name)", at: time)
        case .toggleAntialiasing:
            view.options.sampleCount = view.options.sampleCount == 1 ? 4 : 1
            announce("samples per pixel: \(view.options.sampleCount)", at: time)
        case .nextDebugView: changeDebugView(by: 1, at: time)
        case .previousDebugView: changeDebugView(by: -1, at: time)
        case .toggleStatistics: view.showsStatistics.toggle()
        case .toggleFullscreen: window?.isFullscreen.toggle()
        case .screenshot: writeScreenshot()
        case .help: overlay.turnHelpPage(view.size)
        case .quit: window?.close()
        }
        view.setNeedsDisplay()
    }

    /// Reports the result of a command and shows it.
    private func announce(_ text: String, at time: Double) {
        onEvent(.changed(text))
        overlay.show(text, at: time)
    }

    private func changeDebugView(by step: Int, at time: Double) {
        let views = [DebugView?.none] + DebugView.allCases.map { $0 }
        let index = views.firstIndex(of: view.options.debugView) ?? 0
        view.options.debugView = views[(index + step + views.count) % views.count]
        // The name of a debug view is shown as long as it is on.
        let text = "showing: \(view.options.debugView?.name ?? "light")"
        if view.options.debugView == nil { announce(text, at: time) } else { onEvent(.changed(text)) }
    }

    private func changeExposure(by stops: Float, at time: Double) {
        view.options.exposure = clamp(view.options.exposure + stops, -32, 32)
        announce("exposure: \(Float(Int((view.options.exposure * 100).rounded())) / 100) stops", at: time)
    }

    private func playNextAnimation(at time: Double) {
        view.playNextClip()
        guard let (clip, index, count) = view.currentClip else { return announce("no animation", at: time) }
        announce("animation \(index + 1) of \(count): \(clip.name.isEmpty ? "unnamed" : clip.name)", at: time)
    }

    private func showNextBackground(at time: Double) {
        resetBackgroundsOfNewScene()
        announce("background: \(backgrounds.advance(view.scene.environment))", at: time)
    }

    private func resetBackgroundsOfNewScene() {
        guard sceneOfBackgrounds !== view.scene else { return }
        (backgrounds, sceneOfBackgrounds) = (BackgroundCycle(), view.scene)
    }

    private func turnEnvironment(by angle: Angle, at time: Double) {
        view.scene.environment.rotation += angle
        showEnvironmentAngle(at: time)
    }

    private func showEnvironmentAngle(at time: Double) {
        guard view.scene.environment.image != nil else {
            return overlay.show("no environment to turn: the scene has lights only", at: time)
        }
        let degrees = Int(view.scene.environment.rotation.degrees.rounded()) % 360
        overlay.show("environment turned by \(degrees < 0 ? degrees + 360 : degrees)°", at: time)
    }
}

extension ToneMapping {
    /// The next tone mapping in the order of `allCases`.
    fileprivate var next: ToneMapping {
        let all = ToneMapping.allCases
        return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
    }
}

// MARK: - Files

extension Viewer {
    /// Opens files as if they had been dropped: models and environment images, recognized by their first bytes.
    ///
    /// The files are loaded in the background while the current scene stays visible. Of several models, the last one is shown. Failures are reported to
    /// `onEvent` and in the window's title.
    public func open(_ paths: [String]) {
        for path in paths {
            let url = FileLoader.url(of: path)
            loader.start { [weak self] number in await self?.load(url, number: number) }
        }
    }

    private func load(_ url: URL, number: Int) async {
        do {
            report(LoadingProgress(0, stage: "reading"), of: url)
            let progress: @Sendable (LoadingProgress) -> Void = { [weak self] step in
                Task { @MainActor in self?.report(step, of: url) }
            }
            let (options, bakes) = (loadOptions, bakesOcclusion)
            let content = try await withTaskExecutorPreference(BackgroundExecutor.shared) {
                try await FileLoader.read(url, options: options, bakesOcclusion: bakes, progress: progress)
            }
            try Task.checkCancellation()
            switch content {
            case .model(let loaded): try await show(loaded, from: url, number: number)
            case .environment(let image): try await show(image, from: url, number: number)
            }
        } catch is CancellationError {
            return
        } catch {
            report(error, of: url)
        }
    }

    /// Replaces the scene by a loaded model, in the current environment.
    private func show(_ loaded: LoadedScene, from url: URL, number: Int) async throws {
        loaded.scene.environment = view.scene.environment
        // Everything that may fail comes first: the current scene then stays.
        try await view.prepareIfPossible(loaded.scene, replacesScene: true) {
            report(LoadingProgress($0, stage: "uploading"), of: url)
        }
        guard loader.mayShowModel(number) else { return }
        // The environment may have changed meanwhile.
        loaded.scene.environment = view.scene.environment
        resetBackgroundsOfNewScene()
        sceneOfBackgrounds = loaded.scene
        try view.replaceScene(with: loaded.scene)
        baseTitle = url.lastPathComponent
        reportLoaded(url, title: url.lastPathComponent, warnings: loaded.warnings.map(\.description))
    }

    /// Replaces the environment's image once it is prepared.
    private func show(_ image: Image, from url: URL, number: Int) async throws {
        let environment = Environment(image: image)
        let prepared = Scene()
        prepared.environment = environment
        try await view.prepareIfPossible(prepared, replacesScene: false) {
            report(LoadingProgress($0, stage: "lighting"), of: url)
        }
        guard loader.mayShowEnvironment(number) else { return }
        let old = view.scene.environment
        (environment.intensity, environment.rotation) = (old.intensity, old.rotation)
        (environment.backgroundBlur, environment.ground) = (old.backgroundBlur, old.ground)
        resetBackgroundsOfNewScene()
        backgrounds.apply(to: environment)
        view.scene.environment = environment
        reportLoaded(url, title: baseTitle ?? url.lastPathComponent, warnings: [])
        view.setNeedsDisplay()
    }

    private func report(_ progress: LoadingProgress, of url: URL) {
        guard progress.fraction < 1 else { return }
        let text = "\(progress.stage) \(url.lastPathComponent) \(Int(progress.fraction * 100)) %"
        window?.title = "\(baseTitle ?? "") - \(text)"
        if let window, overlay.showProgress(text, at: window.now) { view.setNeedsDisplay() }
        onEvent(.loading(file: url.path, fraction: progress.fraction, stage: progress.stage))
    }

    private func reportLoaded(_ url: URL, title: String, warnings: [String]) {
        window?.title = title
        overlay.hideProgress()
        onEvent(.loaded(file: url.path, warnings: warnings))
    }

    private func report(_ error: any Error, of url: URL) {
        let text = "\(error)"
        // Errors of files start with the path.
        let message = text.hasPrefix(url.path) ? text : "\(url.path): \(text)"
        window?.title = "\(baseTitle ?? "") - \(message)"
        overlay.hideProgress()
        overlay.show(message, at: now, duration: ViewerOverlay.failureDuration)
        view.setNeedsDisplay()
        onEvent(.failed(message))
    }
}

// MARK: - Screenshots

extension Viewer {
    /// Writes the current view to the first unused file of `NAME-001.png`, `NAME-002.png` … in the current directory.
    private func writeScreenshot() {
        do {
            let image = try view.snapshot()
            let url = screenshots.next(title: baseTitle ?? "picture")
            // Encoding an image takes longer than a frame.
            Task { @MainActor in
                do {
                    try await Self.write(image, to: url)
                    onEvent(.screenshotWritten(url))
                } catch {
                    onEvent(.failed("\(error)"))
                }
            }
        } catch {
            onEvent(.failed("screenshot: \(error)"))
        }
    }

    private nonisolated static func write(_ image: Image, to url: URL) async throws { try image.write(to: url) }
}

/// The numbered file names of a viewer's screenshots, without those that exist.
private struct ScreenshotNames {
    private var number = 1

    mutating func next(title: String) -> URL {
        let name = title.split(separator: "/").last.map(String.init) ?? "picture"
        let stem = name.split(separator: ".").first.map(String.init) ?? name
        while true {
            let digits = String(number)
            let padded = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
            number += 1
            let url = URL(fileURLWithPath: "\(stem)-\(padded).png")
            if !FileManager.default.fileExists(atPath: url.path) { return url }
        }
    }
}
