import VitrineFiles
import VitrineGPU
import VitrineMath
import VitrineMotion
import VitrineRender
import VitrineScene
import VitrineStage
import VitrineWindow

/// Shows a scene in a window, where the user can orbit it, or renders it to images.
///
/// ```swift
/// let view = SceneView(try await Scene(contentsOf: modelURL))
/// view.scene.environment.rotation = .degrees(30)
/// try await Window("Card", showing: view).run()
/// ```
///
/// The view draws on demand: after input, while something moves (actions, animation clips, the camera), and after `setNeedsDisplay()`. A
/// `Viewer` around it adds keys for rendering options, dropped files and screenshots. See `docs/window.md` for gestures and keys.
@MainActor
public final class SceneView {
    private let stage: SceneStage
    private var engine: RenderEngine?
    private var loader: SceneLoader?
    private weak var window: Window?
    private var frameRate = FrameRateMeter()
    private var lastStatistics = FrameStatistics()

    /// Shows a scene.
    public init(_ scene: Scene) {
        stage = SceneStage(scene)
        connectStage()
    }

    /// Loads the scene while the window is being prepared, behind its progress bar.
    public init(
        loading loader: @escaping @MainActor (_ progress: @escaping @Sendable (LoadingProgress) -> Void) async throws -> Scene
    ) {
        stage = SceneStage(Scene())
        self.loader = loader
        connectStage()
    }

    private func connectStage() {
        stage.reducesMotion = Desktop.reducesMotion
        stage.onNeedsDisplay = { [weak self] in MainActor.assumeIsolated { self?.setNeedsDisplay() } }
    }

    // MARK: Scene

    /// The scene to show. Setting it frames the scene, plays its first animation clip and frees the GPU memory of the old scene, except for
    /// what the app still refers to.
    public var scene: Scene {
        get { stage.scene }
        set {
            stage.scene = newValue
            engine?.purge()
        }
    }

    /// Called with the names of textures that the GPU cannot bind, when a material is uploaded. Default nil.
    public var onWarning: (@MainActor (_ message: String) -> Void)? { didSet { engine?.onWarning = onWarning } }
    /// Called after the view's loader or a file opened by a `Viewer` has replaced the scene.
    public var onSceneChange: (@MainActor (SceneView) throws -> Void)?

    /// Replaces the scene and reports it.
    func replaceScene(with scene: Scene) throws {
        self.scene = scene
        try onSceneChange?(self)
    }

    /// Options with which the scene is rendered: samples, tone mapping, exposure, bloom, vignette, ambient occlusion, debug view.
    public var options: RenderOptions {
        get { stage.options }
        set { stage.options = newValue }
    }

    /// Whether a scene with neither an environment image nor lights gets `Environment.studio()`. Default true.
    public var autoenablesDefaultLighting: Bool {
        get { stage.autoenablesDefaultLighting }
        set { stage.autoenablesDefaultLighting = newValue }
    }

    // MARK: Drawing

    /// Requests a new frame. Call it after changing the scene.
    public func setNeedsDisplay() { window?.requestFrame() }

    /// Whether a new frame is drawn with every refresh of the display. Default false.
    public var rendersContinuously: Bool {
        get { stage.rendersContinuously }
        set { stage.rendersContinuously = newValue }
    }

    /// Whether frame rate, frame time, draw calls, triangles and memory are drawn over the scene, in windows, headless playback and
    /// `snapshot()`. Default false.
    ///
    /// To measure the frame time, a window waits for the GPU at the end of each frame. Headless playback and snapshots show no frame time, because their
    /// images must not depend on the speed of the machine.
    public var showsStatistics = false {
        didSet { setNeedsDisplay() }
    }

    /// The statistics of the last frame.
    public var statistics: FrameStatistics { lastStatistics }

    /// Called before each frame with the seconds on the window's clock. Move nodes here.
    public var onUpdate: (@MainActor (_ time: Double) -> Void)? {
        didSet { stage.onUpdate = onUpdate.map { handler in { time in MainActor.assumeIsolated { handler(time) } } } }
    }

    // MARK: Animation

    /// Whether the scene's animation clip runs. Default true.
    public var isPlaying: Bool {
        get { stage.isPlaying }
        set { stage.isPlaying = newValue }
    }

    /// The time in the animation clip in seconds.
    public var animationTime: Float {
        get { stage.animationTime }
        set { stage.animationTime = newValue }
    }

    /// Plays a clip of the scene from its start, in place of the current one. For more control use `scene.mixer`.
    ///
    /// - Parameter fadeDuration: The seconds over which the current clip fades into the new one.
    public func play(_ clip: AnimationClip, fadeDuration: Double = 0) { stage.play(clip, fadeDuration: fadeDuration) }

    // MARK: Interaction

    /// Whether the user may orbit, pan and zoom. Default true.
    public var allowsCameraControl: Bool {
        get { stage.allowsCameraControl }
        set { stage.allowsCameraControl = newValue }
    }

    /// Whether the inertia and the animations of the camera are reduced. Default: `Desktop.reducesMotion`.
    public var reducesMotion: Bool {
        get { stage.reducesMotion }
        set { stage.reducesMotion = newValue }
    }

    /// Called with the position of a click or tap, in points from the upper left corner, while camera control is allowed.
    public var onTap: (@MainActor (_ point: Vector2) -> Void)? {
        didSet { stage.onTap = onTap.map { handler in { point in MainActor.assumeIsolated { handler(point) } } } }
    }

    /// Called with drags by the left button or one finger, which then do not orbit the camera; nil if they do.
    ///
    /// ```swift
    /// view.onDrag = { drag in card.eulerAngles.y = drag.translation.x / view.size.x * .pi }
    /// ```
    public var onDrag: (@MainActor (ViewDrag) -> Void)? {
        didSet { stage.onDrag = onDrag.map { handler in { drag in MainActor.assumeIsolated { handler(drag) } } } }
    }

    /// Called with each new position of the pointer, in points from the upper left corner, whether a button is down or not.
    public var onPointerMove: (@MainActor (_ point: Vector2) -> Void)? {
        didSet { stage.onPointerMove = onPointerMove.map { handler in { point in MainActor.assumeIsolated { handler(point) } } } }
    }

    /// Called when the user rotates the environment.
    var onEnvironmentTurn: (@MainActor (_ time: Double) -> Void)? {
        didSet { stage.onEnvironmentTurn = onEnvironmentTurn.map { handler in { time in MainActor.assumeIsolated { handler(time) } } } }
    }

    /// Performs a camera command.
    ///
    /// - Parameter time: The time in seconds on the window's clock; nil for now.
    public func perform(_ command: CameraCommand, at time: Double? = nil) { stage.perform(command, at: time ?? window?.now ?? 0) }

    // MARK: Camera

    /// The node whose camera the view shows; nil for the user's camera, to which a gesture also switches.
    ///
    /// Initially the scene's `pointOfView`. The view tracks that property: the most recent assignment, to the view or to the scene, takes effect. A
    /// node without a camera has no effect until it gets one.
    public var pointOfView: Node? {
        get { stage.pointOfView }
        set { stage.pointOfView = newValue }
    }

    /// The pose of the user's camera. Setting it moves the camera there at once and shows that camera.
    public var cameraPose: OrbitPose {
        get { stage.cameraPose }
        set { stage.cameraPose = newValue }
    }

    /// The vertical field of view of the user's camera. Default 45°.
    public var fieldOfView: Angle {
        get { stage.fieldOfView }
        set { stage.fieldOfView = newValue }
    }

    /// Whether the user's camera is orthographic. Default false.
    public var isOrthographic: Bool {
        get { stage.isOrthographic }
        set { stage.isOrthographic = newValue }
    }

    /// The lens of the user's camera, which blurs out-of-focus objects. Default nil: no depth of field.
    public var lens: Lens? {
        get { stage.lens }
        set { stage.lens = newValue }
    }

    /// Whether `lens` focuses on the point that the camera orbits, not at its `focusDistance`. Default true.
    public var focusesOnTarget: Bool {
        get { stage.focusesOnTarget }
        set { stage.focusesOnTarget = newValue }
    }

    /// Shows the whole scene from this direction with the user's camera.
    public func frameScene(azimuth: Angle = .degrees(30), elevation: Angle = .degrees(15)) {
        stage.frameScene(azimuth: azimuth, elevation: elevation)
    }

    /// The current view of the scene: its camera and pose.
    public var currentView: View { stage.currentView }

    // MARK: Projection

    /// The size of the view in points: that of the window, or 1280 × 720 without one.
    public var size: Vector2 { stage.size }

    /// Projects a point of the world into the view.
    ///
    /// - Returns: x and y in points from the upper left corner; z the distance along the view direction in metres. x and y are undefined if z
    ///   is not positive.
    public func projectPoint(_ pointInWorld: Vector3) -> Vector3 { stage.projectPoint(pointInWorld) }

    /// Returns the point of the world that `projectPoint(_:)` projects to `point`.
    ///
    /// - Parameter point: x and y in points, z the distance along the view direction in metres.
    public func unprojectPoint(_ point: Vector3) -> Vector3 { stage.unprojectPoint(point) }

    /// Returns the ray from the camera through a point of the view, in points from the upper left corner. Its direction has length 1.
    public func ray(through point: Vector2) -> Ray { stage.ray(through: point) }

    /// Returns the nearest surface at a point of the view, in points from the upper left corner; nil if there is none.
    ///
    /// ```swift
    /// view.onTap = { point in
    ///     if let hit = view.hitTest(point) { print(hit.node.name, hit.textureCoordinates) }
    /// }
    /// ```
    public func hitTest(_ point: Vector2, options: PickOptions = PickOptions()) -> PickHit? {
        scene.pick(ray(through: point), options: options)
    }
}

/// Loads a scene and reports its progress. It may run in other tasks.
private typealias SceneLoader = @MainActor (_ progress: @escaping @Sendable (LoadingProgress) -> Void) async throws -> Scene

// MARK: - Window content

extension SceneView: WindowContent {
    /// Loads and uploads the scene. Called by the window.
    public func prepare(in window: Window, progress: @escaping @MainActor (LoadingProgress) -> Void) async throws {
        self.window = window
        let (device, format) = try window.graphics()
        if let loader {
            // The last fifth of the bar is the upload.
            let report: @Sendable (LoadingProgress) -> Void = { step in
                Task { @MainActor in progress(LoadingProgress(step.fraction * 0.8, stage: step.stage)) }
            }
            let loaded = try await loader(report)
            self.loader = nil
            try replaceScene(with: loaded)
        }
        stage.completeSetup()
        let engine = try RenderEngine(device: device, format: format)
        engine.onWarning = onWarning
        try await engine.prepareInSlices(scene, from: currentView, options: options) {
            progress(LoadingProgress(0.8 + 0.2 * $0, stage: "uploading"))
        }
        self.engine = engine
        progress(LoadingProgress(1, stage: "ready"))
    }

    /// Advances the scene to the time of the frame and draws it. Called by the window.
    public func draw(_ frame: WindowFrame) throws { try draw(frame) { statisticsTexts($0) } }

    /// Draws a frame with texts over it.
    ///
    /// - Parameter texts: Called with the frame rate after the scene is drawn.
    func draw(_ frame: WindowFrame, texts: (_ framesPerSecond: Double?) -> [OverlayText]) throws {
        guard let engine else { return }
        let clock = ContinuousClock()
        let start = clock.now
        stage.size = Vector2(Float(frame.width), Float(frame.height)) / frame.scale
        advance(to: frame.time)
        // Headless frames must not depend on the speed of the machine.
        let measures = showsStatistics && window?.isHeadless == false
        frameRate.frame(at: frame.time)
        try engine.draw(scene, from: currentView, into: frame.target, options: stage.frameOptions, scale: frame.scale) { drawn in
            lastStatistics = drawn
            if measures {
                try engine.device.waitUntilIdle()
                lastStatistics.frameMilliseconds = (clock.now - start) / .milliseconds(1)
            }
            return texts(frameRate.framesPerSecond)
        }
    }

    /// The statistics of the last frame, if they are shown.
    func statisticsTexts(_ framesPerSecond: Double?) -> [OverlayText] {
        showsStatistics ? [OverlayText(lastStatistics.lines(framesPerSecond: framesPerSecond))] : []
    }

    /// Advances all motion to `time`, in seconds.
    func advance(to time: Double) { stage.advance(to: time) }

    /// Passes an event to the camera, to commands and to callbacks. Called by the window.
    public func handle(_ event: InputEvent) { stage.handle(event) }

    /// The time at which motion, playback or statistics need the next frame.
    public var frameDemand: FrameDemand {
        // After motion, one more frame removes its frame rate from the statistics.
        let settling = showsStatistics ? frameRate.settlingTime(at: window?.now ?? 0) : nil
        return stage.frameDemand.earlier(settling.map { .after($0) } ?? .none)
    }

    /// Releases the GPU's resources. Called by the window.
    public func windowDidClose() { (engine, window) = (nil, nil) }
}

// MARK: - Commands of a viewer

extension SceneView {
    /// Switches between perspective and orthographic projection, continuing from the current view.
    func toggleProjection() { stage.toggleProjection() }

    /// Shows the next camera of the scene, and after the last one the user's camera. Returns whether the scene has cameras.
    func showNextCamera() -> Bool { stage.showNextCamera() }

    /// Plays the next clip of the scene.
    func playNextClip() { stage.playNextClip(fadeDuration: 0.25) }

    /// The current clip, its index and the number of clips; nil if the scene has none.
    var currentClip: (clip: AnimationClip, index: Int, count: Int)? {
        stage.clips.isEmpty ? nil : (stage.clips[stage.clipIndex], stage.clipIndex, stage.clips.count)
    }
}

// MARK: - Images

extension SceneView {
    /// Renders an image of the current view, with or without a window. Includes the statistics if `showsStatistics` is set.
    ///
    /// The first call without a window opens a GPU device, which the view keeps.
    ///
    /// - Parameters:
    ///   - width, height: The size in pixels; by default that of the window, or 1280 × 720 without one.
    ///   - samples: The number of samples per pixel. In real time 1…256: a still of that many frames (`Renderer.renderStill`), which takes that many
    ///     times as long; by default 1, the frame that a window shows. For path tracing 1 to a million, by default 256.
    ///   - quality: Real time, or path tracing, which needs no GPU and ends with `CancellationError` if the task is cancelled. Default: real time.
    ///   - adapter: The GPU to use if the view has none yet.
    /// - Returns: `.rgba8`, sRGB-encoded, straight alpha.
    public func snapshot(
        width: Int? = nil, height: Int? = nil, samples: Int? = nil, quality: SnapshotQuality = .realTime,
        adapter: RenderAdapter = .automatic
    ) throws -> Image {
        let engine = quality == .realTime ? try makeEngine(adapter) : nil
        stage.completeSetup()
        let pixels = window?.pixelSize ?? (width: Int(size.x), height: Int(size.y))
        let (width, height) = (width ?? pixels.width, height ?? pixels.height)
        let scale = window?.scale ?? 1
        let view = stage.currentView(size: Vector2(Float(width), Float(height)) / scale)
        guard let engine else {
            return try pathTraced(view, width: width, height: height, samples: samples ?? 256, isDenoised: quality == .denoisedPath)
        }
        return try engine.image(scene, from: view, width: width, height: height, samples: samples ?? 1, options: options, scale: scale) {
            drawn in
            lastStatistics = drawn
            return statisticsTexts(nil)
        }
    }

    /// Uploads the scene and compiles its shaders, so that the first frame takes no longer than any other. A window does this itself.
    public func prepare(adapter: RenderAdapter = .automatic) throws {
        let engine = try makeEngine(adapter)
        stage.completeSetup()
        try engine.prepare(scene, from: currentView, options: options)
    }

    /// Prepares another scene while the current one stays visible: compiles on other threads and uploads in slices of a few milliseconds. Then
    /// `view.scene = next` shows it without delay.
    ///
    /// ```swift
    /// let next = try await Scene(contentsOf: url)
    /// try await view.prepare(next) { print("\(Int($0 * 100)) %") }
    /// view.scene = next
    /// ```
    ///
    /// - Parameters:
    ///   - next: The next scene; do not change it meanwhile. Gets default lighting if `autoenablesDefaultLighting` is true.
    ///   - adapter: The GPU to use if the view has none yet.
    ///   - progress: Called with the completed fraction, 0…1, increasing.
    /// - Throws: The errors of rendering the scene, or `CancellationError`. The current scene then stays.
    public func prepare(
        _ next: Scene, adapter: RenderAdapter = .automatic, progress: @MainActor (Double) -> Void = { _ in }
    ) async throws {
        let engine = try makeEngine(adapter)
        stage.addDefaultLighting(to: next)
        try await engine.prepareInSlices(next, from: stage.firstView(of: next), options: options) { if $0 < 1 { progress($0) } }
        progress(1)
    }

    /// The device that draws, once the view has one.
    var device: GPUDevice? { engine?.device }

    /// Returns the engine of the window, or the view's own. Without a window another device replaces a lost one.
    private func makeEngine(_ adapter: RenderAdapter) throws -> RenderEngine {
        if let engine, window != nil || !engine.device.isLost { return engine }
        let made = try RenderEngine(device: try GPUDevice.make(adapter.choice), format: .rgba8UnormSRGB)
        made.onWarning = onWarning
        engine = made
        return made
    }

    /// Prepares a scene on the view's GPU, if it has one yet.
    ///
    /// - Parameter replacesScene: Whether the scene will replace the current one. Otherwise it is seen by the user's camera.
    func prepareIfPossible(_ next: Scene, replacesScene: Bool, progress: @MainActor (Double) -> Void) async throws {
        let view = replacesScene ? stage.firstView(of: next) : stage.userView
        try await engine?.prepareInSlices(next, from: view, options: options, progress: progress)
    }
}
