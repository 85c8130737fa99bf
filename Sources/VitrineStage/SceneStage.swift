import VitrineMath
import VitrineMotion
import VitrineRender
import VitrineScene

/// A scene in a viewer, without a platform: camera, animation, time and interaction.
///
/// A window or a web page owns a stage. It passes input events to `handle(_:)`, calls `advance(to:)` before each frame, draws `currentView` of
/// `scene`, and reads from `frameDemand` when the next frame is due. A stage has no clock: times are seconds on the owner's clock.
package final class SceneStage {
    /// The scene to show. Setting it frames the scene and plays its first animation clip.
    package var scene: Scene {
        didSet {
            guard scene !== oldValue else { return }
            oldValue.onActivity = nil
            sceneChanged()
        }
    }
    /// Options with which the scene is rendered.
    package var options = RenderOptions() {
        didSet { setNeedsDisplay() }
    }
    /// Whether the user may orbit, pan and zoom. Default true.
    package var allowsCameraControl = true
    /// Whether a scene with neither an environment image nor lights gets `Environment.studio()`. Default true.
    package var autoenablesDefaultLighting = true
    /// Whether a new frame is drawn with every refresh of the display. Default false.
    package var rendersContinuously = false {
        didSet { setNeedsDisplay() }
    }

    /// Called when a new frame is needed.
    package var onNeedsDisplay: () -> Void = {}
    /// Called before each frame, after the scene has advanced.
    package var onUpdate: ((_ time: Double) -> Void)?
    /// Called with the position of a click or tap, in points from the upper left corner.
    package var onTap: ((_ point: Vector2) -> Void)?
    /// Called with drags by the left button or one finger, which then do not move the camera; nil if they do.
    package var onDrag: ((ViewDrag) -> Void)?
    /// Called with each new position of the pointer, in points from the upper left corner.
    package var onPointerMove: ((_ point: Vector2) -> Void)?
    /// Called when the user rotates the environment, and when a drag that does so begins.
    package var onEnvironmentTurn: ((_ time: Double) -> Void)?

    private var rig = CameraRig()
    private var playback = AnimationPlayback([], mixer: AnimationMixer())
    private var clock = SceneClock()
    private var interaction = CameraInteraction()
    private var pointOfViewChoice = PointOfViewChoice()
    /// The rotation by gestures that was already applied to the scene's environment.
    private var appliedEnvironmentTurn = Angle.zero
    /// Whether the current drag rotates the environment, not the camera.
    private var dragTurnsEnvironment = false
    /// Whether the scene was lit and framed for its first frame.
    private var isSetUp = false
    private let link = StageLink()

    package init(_ scene: Scene) {
        self.scene = scene
        link.stage = self
        sceneChanged()
    }

    deinit { link.stage = nil }

    package func setNeedsDisplay() { onNeedsDisplay() }

    private func sceneChanged() {
        playback = AnimationPlayback(scene.animations, mixer: scene.mixer)
        if playback.isPlaying { playback.seek(to: 0) }
        pointOfView = scene.pointOfView
        rig.frame(scene.subjectBounds)
        isSetUp = false
        rig.resetEnvironmentRotation()
        appliedEnvironmentTurn = .zero
        clock = SceneClock()
        scene.onActivity = { [link] in link.stage?.setNeedsDisplay() }
        setNeedsDisplay()
    }

    /// Completes the setup before the first frame of a scene: adds lights if it would be black, and frames nodes that were added since.
    package func completeSetup() {
        addDefaultLighting(to: scene)
        guard !isSetUp else { return }
        isSetUp = true
        rig.refit(scene.subjectBounds)
    }

    /// Sets `Environment.studio()` if the scene has neither an environment image nor lights and `autoenablesDefaultLighting` is true.
    package func addDefaultLighting(to scene: Scene) {
        guard autoenablesDefaultLighting, scene.environment.image == nil else { return }
        var hasLight = false
        scene.rootNode.forSubtree { hasLight = hasLight || $0.light != nil }
        if !hasLight { scene.environment = .studio() }
    }
}

/// A weak reference from a scene to its stage. Embedded Swift has no weak references; the stage's deinit clears this one.
private final class StageLink {
    unowned(unsafe) var stage: SceneStage?
}

/// The node whose camera a view shows: the most recent assignment, to the view or to its scene, takes effect.
private struct PointOfViewChoice {
    private var node: Node?
    /// The scene's revision at the assignment; a newer one is a later assignment to the scene.
    private var revision: UInt64 = 0

    func node(in scene: Scene) -> Node? { revision == scene.pointOfViewRevision ? node : scene.pointOfView }

    mutating func choose(_ node: Node?, in scene: Scene) { (self.node, revision) = (node, scene.pointOfViewRevision) }
}

// MARK: - Time

extension SceneStage {
    /// Advances camera, environment and scene to `time`.
    package func advance(to time: Double) {
        rig.update(at: time)
        applyEnvironmentTurn(at: time)
        scene.advance(by: clock.step(to: time))
        onUpdate?(time)
        clock.endStep(isMoving: scene.isMoving || rendersContinuously)
    }

    /// Adds the rotation by gestures to that of the scene's environment, which the program may set at any time.
    private func applyEnvironmentTurn(at time: Double) {
        let turn = rig.environmentRotation
        guard turn != appliedEnvironmentTurn else { return }
        scene.environment.rotation += turn - appliedEnvironmentTurn
        appliedEnvironmentTurn = turn
        onEnvironmentTurn?(time)
    }

    /// The time at which the next frame is due without an event.
    package var frameDemand: FrameDemand { rendersContinuously || !rig.isAtRest || scene.isMoving ? .next : .none }

    /// The options of the next frame: `options`, with the scene's time added.
    package var frameOptions: RenderOptions {
        var options = options
        options.time += Float(scene.time)
        return options
    }
}

// MARK: - Camera

extension SceneStage {
    /// The node whose camera is shown; nil for the user's camera.
    package var pointOfView: Node? {
        get { pointOfViewChoice.node(in: scene) }
        set {
            pointOfViewChoice.choose(newValue, in: scene)
            setNeedsDisplay()
        }
    }

    /// The pose of the user's camera. Setting it moves the camera there at once and shows that camera.
    package var cameraPose: OrbitPose {
        get { rig.pose }
        set {
            rig.place(newValue, around: scene.subjectCullingBounds)
            pointOfView = nil
        }
    }

    /// Moves the user's camera smoothly to a pose and shows that camera. Does not change the initial pose.
    package func glideCamera(to pose: OrbitPose, at time: Double) {
        takeCamera()
        rig.glide(to: pose, at: time)
        setNeedsDisplay()
    }

    /// Rotates the user's camera around its target at once. The camera still fits the scene afterwards if it did before.
    ///
    /// - Returns: Whether the camera has moved: false at a limit.
    package func turnCamera(by azimuth: Angle) -> Bool {
        let before = rig.pose
        rig.turn(by: azimuth)
        guard rig.pose != before else { return false }
        setNeedsDisplay()
        return true
    }

    /// Limits the user's camera.
    ///
    /// - Parameters:
    ///   - azimuth: Radians; nil for no limit.
    ///   - elevation: Radians above the horizon; nil for the default limits just below ±π/2.
    ///   - distance: Metres from the target; nil for limits by the size of the scene.
    package func setCameraLimits(azimuth: ClosedRange<Float>?, elevation: ClosedRange<Float>?, distance: ClosedRange<Float>?) {
        rig.setLimits(azimuth: azimuth, elevation: elevation, distance: distance)
        setNeedsDisplay()
    }

    /// The vertical field of view of the user's camera.
    package var fieldOfView: Angle {
        get { rig.fieldOfView }
        set {
            rig.fieldOfView = newValue
            setNeedsDisplay()
        }
    }

    /// Whether the user's camera is orthographic.
    package var isOrthographic: Bool {
        get { rig.isOrthographic }
        set {
            rig.isOrthographic = newValue
            setNeedsDisplay()
        }
    }

    /// The lens of the user's camera; nil for no depth of field.
    package var lens: Lens? {
        get { rig.lens }
        set {
            rig.lens = newValue
            setNeedsDisplay()
        }
    }

    /// Whether `lens` focuses on the target of the orbit.
    package var focusesOnTarget: Bool {
        get { rig.focusesOnTarget }
        set {
            rig.focusesOnTarget = newValue
            setNeedsDisplay()
        }
    }

    /// Whether the user may move the camera's target.
    package var allowsPan: Bool {
        get { rig.allowsPan }
        set { rig.allowsPan = newValue }
    }

    /// Whether the user may change the camera's distance.
    package var allowsZoom: Bool {
        get { rig.allowsZoom }
        set { rig.allowsZoom = newValue }
    }

    /// Whether the inertia and the animations of the camera are reduced.
    package var reducesMotion: Bool {
        get { rig.reducesMotion }
        set { rig.reducesMotion = newValue }
    }

    /// Shows the whole scene from this direction with the user's camera.
    package func frameScene(azimuth: Angle, elevation: Angle) {
        rig.frame(scene.subjectBounds, azimuth: azimuth, elevation: elevation)
        pointOfView = nil
    }

    /// The size of the view in points.
    package var size: Vector2 {
        get { rig.viewportSize }
        set { rig.viewportSize = newValue }
    }

    /// The current view of the scene.
    package var currentView: View { view(of: rig) }

    /// Returns the current view of the scene in a viewport of another size: a camera that still fits the scene fits it into that size.
    package func currentView(size: Vector2) -> View {
        var rig = rig
        rig.viewportSize = size
        return view(of: rig)
    }

    /// The view of the user's camera, even if it is not shown.
    package var userView: View { rig.view }

    private func view(of rig: CameraRig) -> View { pointOfView.flatMap { View(of: $0) } ?? rig.view }

    /// Returns the first view of another scene after it has replaced this one.
    package func firstView(of next: Scene) -> View {
        var rig = rig
        rig.frame(next.subjectBounds)
        return next.pointOfView.flatMap { View(of: $0) } ?? rig.view
    }

    /// Shows the user's camera, continuing from the current view.
    private func takeCamera() {
        if let node = pointOfView {
            if let view = View(of: node) { rig.takeOver(from: view, bounds: scene.subjectCullingBounds) }
            pointOfView = nil
        }
        rig.userMoved()
    }

    /// Switches between perspective and orthographic projection, continuing from the current view.
    package func toggleProjection() {
        takeCamera()
        isOrthographic.toggle()
    }

    /// Shows the next camera of the scene, in the order of the node tree, and after the last one the user's camera.
    ///
    /// - Returns: Whether the scene has cameras.
    package func showNextCamera() -> Bool {
        var nodes: [Node] = []
        scene.rootNode.forSubtree { if $0.camera != nil { nodes.append($0) } }
        guard !nodes.isEmpty else { return false }
        let current = pointOfView.flatMap { node in nodes.firstIndex { $0 === node } }
        let next = current.map { $0 + 1 } ?? 0
        pointOfView = next < nodes.count ? nodes[next] : nil
        return true
    }

    // MARK: Projection

    /// Projects a point of the world: x and y in points from the upper left corner, z the distance along the view direction in metres.
    package func projectPoint(_ pointInWorld: Vector3) -> Vector3 {
        let view = currentView
        let pointInView = view.worldFromCamera.affineInverse.transform(point: pointInWorld)
        let clip = view.camera.clipFromView(aspectRatio: size.x / size.y) * Vector4(pointInView, 1)
        return Vector3((clip.x / clip.w + 1) / 2 * size.x, (1 - clip.y / clip.w) / 2 * size.y, -pointInView.z)
    }

    /// Returns the inverse of `projectPoint(_:)`.
    package func unprojectPoint(_ point: Vector3) -> Vector3 {
        let view = currentView
        let clipFromView = view.camera.clipFromView(aspectRatio: size.x / size.y)
        let x = (point.x / size.x * 2 - 1)
        let y = (1 - point.y / size.y * 2)
        let z = -point.z
        // The rows of the projection for x and y: clip.x = a x + b z, and the same for y; w is −z or 1.
        let w = clipFromView.z.w * z + clipFromView.w.w
        let pointInView = Vector3(x * w / clipFromView.x.x, y * w / clipFromView.y.y, z)
        return view.worldFromCamera.transform(point: pointInView)
    }

    /// Returns the ray from the camera through a point of the view, in points from the upper left corner. Its direction has length 1.
    package func ray(through point: Vector2) -> Ray {
        let view = currentView
        return view.camera.ray(through: point, viewportSize: size, worldFromCamera: view.worldFromCamera)
    }
}

// MARK: - Animation

extension SceneStage {
    /// The clips of the scene.
    package var clips: [AnimationClip] { playback.clips }
    /// The index of the current clip.
    package var clipIndex: Int { playback.index }

    /// Whether the animation is playing. Always false without clips.
    package var isPlaying: Bool {
        get { playback.isPlaying }
        set {
            playback.isPlaying = newValue
            setNeedsDisplay()
        }
    }

    /// The time in the clip in seconds.
    package var animationTime: Float {
        get { playback.time }
        set {
            playback.seek(to: newValue)
            setNeedsDisplay()
        }
    }

    /// Plays a clip of the scene from its start; has no effect for other clips.
    package func play(_ clip: AnimationClip, fadeDuration: Double) {
        guard playback.clips.contains(where: { $0 === clip }) else { return }
        playback.play(clip, fadeDuration: fadeDuration)
        isPlaying = true
    }

    /// Plays the next clip.
    package func playNextClip(fadeDuration: Double) {
        playback.playNext(fadeDuration: fadeDuration)
        setNeedsDisplay()
    }
}

// MARK: - Interaction

extension SceneStage {
    /// Handles an event of pointer, touch, keyboard or game controller.
    package func handle(_ event: InputEvent) {
        if case .pointerMoved(let point) = event.kind, let onPointerMove {
            onPointerMove(point)
            setNeedsDisplay()
        }
        let actions = interaction.handle(
            event, handsOutDrags: onDrag != nil, recognizesGestures: allowsCameraControl || onDrag != nil)
        for action in actions { perform(action, at: event.time) }
    }

    private func perform(_ action: CameraInteraction.Action, at time: Double) {
        if case .drag(let drag) = action {
            onDrag?(drag)
            return setNeedsDisplay()
        }
        guard allowsCameraControl else { return }
        switch action {
        case .drag: break
        case .gesture(let gesture): perform(gesture, at: time)
        case .command(let command): perform(command, at: time)
        case .steer(let steering):
            if steering != .none { takeCamera() }
            rig.steer(steering, at: time)
            setNeedsDisplay()
        }
    }

    private func perform(_ gesture: CameraGesture, at time: Double) {
        switch gesture {
        case .dragBegan(let kind): dragTurnsEnvironment = kind == .environment
        case .dragged: if !dragTurnsEnvironment { takeCamera() }
        case .pinched, .scrolled: takeCamera()
        case .doubleTapped(let point): orbitSurface(at: point, at: time)
        case .tapped(let point):
            onTap?(point)
            return
        case .dragEnded, .pinchBegan, .pinchEnded: break
        }
        rig.apply(gesture, at: time)
        if gesture == .dragBegan(.environment) { onEnvironmentTurn?(time) }
        setNeedsDisplay()
    }

    /// Performs a camera command, even if the user may not move the camera.
    package func perform(_ command: CameraCommand, at time: Double) {
        takeCamera()
        rig.perform(command, at: time)
        // The initial camera is that of the file, if the file has one.
        if command == .reset, scene.pointOfView?.camera != nil { pointOfView = scene.pointOfView }
        setNeedsDisplay()
    }

    /// Makes the surface at a point of the view the target of the orbit; fits the scene if there is no surface.
    private func orbitSurface(at point: Vector2, at time: Double) {
        guard let hit = scene.pick(ray(through: point)) else { return rig.fit(at: time) }
        takeCamera()
        rig.orbit(around: hit.position, at: time)
    }
}
