import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineWindow

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Files on their way into a view. The one that was dropped last wins, whichever is done first.
struct FileLoads {
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var count = 0
    private var shownModel = 0
    private var shownEnvironment = 0

    mutating func start(_ makeTask: (_ number: Int) -> Task<Void, Never>) {
        count += 1
        tasks[count] = makeTask(count)
    }

    mutating func finish(_ number: Int) { tasks[number] = nil }

    /// Whether no later one is shown already.
    mutating func mayShowModel(_ number: Int) -> Bool {
        guard number > shownModel else { return false }
        shownModel = number
        return true
    }

    mutating func mayShowEnvironment(_ number: Int) -> Bool {
        guard number > shownEnvironment else { return false }
        shownEnvironment = number
        return true
    }

    mutating func cancelAll() {
        for task in tasks.values { task.cancel() }
        tasks = [:]
    }
}

extension SceneView {
    /// What a file can bring.
    private enum Content {
        case model(LoadedScene)
        case environment(Image)
    }

    /// Shows files as if they had been dropped: models and environment pictures, told apart by their first bytes.
    ///
    /// They load in the background, what is shown stays in use meanwhile. What fails is told by `onEvent` and in the window's title.
    public func open(_ paths: [String]) {
        for path in paths {
            let url = Self.url(ofDropped: path)
            loads.start { number in Task { @MainActor [weak self] in await self?.load(url, number: number) } }
        }
    }

    private static func url(ofDropped text: String) -> URL {
        if text.hasPrefix("file://"), let url = URL(string: text) { return url }
        return URL(fileURLWithPath: text)
    }

    private func load(_ url: URL, number: Int) async {
        defer { loads.finish(number) }
        do {
            tellProgress(url, LoadingProgress(0, stage: "reading"))
            let tell: @Sendable (LoadingProgress) -> Void = { [weak self] step in
                Task { @MainActor in self?.tellProgress(url, step) }
            }
            let (bakes, options) = (bakesOcclusion, loadOptions)
            let content = try await withTaskExecutorPreference(BackgroundExecutor.shared) {
                try await Self.read(url, options: options, bakesOcclusion: bakes, progress: tell)
            }
            try Task.checkCancellation()
            switch content {
            case .model(let loaded): try await show(loaded, from: url, number: number)
            case .environment(let image): try await show(image, from: url, number: number)
            }
        } catch is CancellationError {
            return
        } catch {
            fail(url, error)
        }
    }

    private nonisolated static func read(
        _ url: URL, options: ModelLoadOptions, bakesOcclusion: Bool, progress: @escaping @Sendable (LoadingProgress) -> Void
    ) async throws -> sending Content {
        do {
            let loaded = try await SceneFile.load(url, options: options) {
                progress(LoadingProgress($0.fraction, stage: $0.stage.rawValue))
            }
            if bakesOcclusion { try await loaded.scene.bakeOcclusion { progress(LoadingProgress($0, stage: "shading")) } }
            return .model(loaded)
        } catch let error as ModelFileError {
            guard case .isImage = error.reason else { throw error }
            return .environment(try picture(url))
        }
    }

    private nonisolated static func picture(_ url: URL) throws -> Image {
        try Image.environment(contentsOf: url)
    }

    /// Takes a loaded model in place of the one that is shown, in the light that is there.
    private func show(_ loaded: LoadedScene, from url: URL, number: Int) async throws {
        loaded.scene.environment = scene.environment
        // All that may fail comes first: the old scene stays when it does.
        try await engine?.prepareInSlices(loaded.scene, from: firstView(of: loaded.scene), options: options) {
            tellProgress(url, LoadingProgress($0, stage: "uploading"))
        }
        guard loads.mayShowModel(number) else { return }
        // The light may have been changed meanwhile.
        loaded.scene.environment = scene.environment
        let chosen = backgrounds
        scene = loaded.scene
        backgrounds = chosen
        try onSceneChange?(self)
        engine?.purge()
        baseTitle = url.lastPathComponent
        window?.title = url.lastPathComponent
        overlay.loading = nil
        onEvent(.loaded(file: url.path, warnings: loaded.warnings.map(\.description)))
    }

    /// Lights the scene by a picture, once it is prepared: until then the old light stays, and the view goes on drawing.
    private func show(_ image: Image, from url: URL, number: Int) async throws {
        let environment = Environment(image: image)
        let prepared = Scene()
        prepared.environment = environment
        try await engine?.prepareInSlices(prepared, from: rig.view, options: options) {
            tellProgress(url, LoadingProgress($0, stage: "lighting"))
        }
        guard loads.mayShowEnvironment(number) else { return }
        let old = scene.environment
        (environment.intensity, environment.rotation) = (old.intensity, old.rotation)
        (environment.backgroundBlur, environment.ground) = (old.backgroundBlur, old.ground)
        backgrounds.carryOver(to: environment)
        scene.environment = environment
        window?.title = baseTitle ?? url.lastPathComponent
        overlay.loading = nil
        onEvent(.loaded(file: url.path, warnings: []))
        setNeedsDisplay()
    }

    // MARK: Telling

    private func tellProgress(_ url: URL, _ progress: LoadingProgress) {
        guard progress.fraction < 1 else { return }
        let text = "\(progress.stage) \(url.lastPathComponent) \(Int(progress.fraction * 100)) %"
        window?.title = "\(baseTitle ?? "") - \(text)"
        showProgress(text)
        onEvent(.loading(file: url.path, fraction: progress.fraction, stage: progress.stage))
    }

    private func fail(_ url: URL, _ error: any Error) {
        let text = "\(error)"
        // Errors of files begin with the file.
        let message = text.hasPrefix(url.path) ? text : "\(url.path): \(text)"
        window?.title = "\(baseTitle ?? "") - \(message)"
        overlay.loading = nil
        if allowsViewerCommands { overlay.show(message, at: window?.now ?? 0, duration: ViewOverlay.failureDuration) }
        setNeedsDisplay()
        onEvent(.failed(message))
    }

    /// Shows it over the view, four times a second at most: drawing takes time from loading.
    private func showProgress(_ text: String) {
        guard allowsViewerCommands, let window else { return }
        overlay.loading = text
        guard window.now - lastProgressFrame >= 0.25 else { return }
        lastProgressFrame = window.now
        setNeedsDisplay()
    }

    /// `onEvent` until somebody sets it.
    static func printFailure(_ event: SceneViewEvent) {
        guard case .failed(let message) = event else { return }
        let line = Array("error: \(message)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
