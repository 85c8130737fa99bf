import VitrineFiles
import VitrineGPU
import VitrineMath
import VitrineMotion
import VitrineRender
import VitrineScene
import VitrineWindow

/// Shows a scene: in a window that a person can turn it in, or as pictures without one.
///
/// ```swift
/// let view = SceneView(try await Scene(contentsOf: modelURL))
/// view.scene.environment.rotation = .degrees(30)
/// try await Window("Card", showing: view).run()
/// ```
///
/// It draws on demand: when the person does something, while something moves (actions, an animation, the camera running out), and when you call
/// `setNeedsDisplay()` after a change of the scene. See `docs/guide/window.md` for gestures and keys.
@MainActor
public final class SceneView {
    /// What is shown. A new one is looked at whole, and its first animation plays.
    public var scene: Scene {
        didSet {
            guard scene !== oldValue else { return }
            oldValue.onActivity = nil
            sceneChanged()
        }
    }
    /// The node whose camera the view looks through. nil: the view's own camera, which a gesture also switches to.
    ///
    /// Starts as the scene's `pointOfView` and follows it: the most recent assignment wins, whether to the view or to the scene. A node
    /// without a camera has no effect until it gets one.
    public var pointOfView: Node? {
        get { chosenPointOfView.revision == scene.pointOfViewRevision ? chosenPointOfView.node : scene.pointOfView }
        set {
            chosenPointOfView = (newValue, scene.pointOfViewRevision)
            setNeedsDisplay()
        }
    }
    /// Samples, tone mapping, exposure, bloom, vignette, occlusion in the picture, debug view.
    public var options = RenderOptions() {
        didSet { setNeedsDisplay() }
    }
    /// Whether the person may orbit, pan and zoom. Default true.
    public var allowsCameraControl = true
    /// Whether the camera runs out and glides less, for people who asked for less motion. Default: what the desktop says.
    public var reducesMotion: Bool {
        get { rig.orbit.reducesMotion }
        set { rig.orbit.reducesMotion = newValue }
    }
    /// Whether a viewer's keys work: tone mapping, debug views, screenshots, quitting and so on (`ViewCommand`), and files may be dropped.
    /// Default false: an app has its own.
    public var allowsViewerCommands = false
    /// Whether a scene with neither environment nor lights is lit by `Environment.studio()`. Default true.
    public var autoenablesDefaultLighting = true
    /// Whether models that are dropped get their occlusion baked (`Scene.bakeOcclusion`) before they are shown. Default false.
    public var bakesOcclusion = false
    /// How `open(_:)` and files dropped on the view are loaded.
    public var loadOptions = ModelLoadOptions()
    /// Whether frame rate, frame time, draw calls, triangles and memory are shown over the scene: in windows, headless playback and
    /// `snapshot()` alike. Default false.
    ///
    /// A window waits for the GPU at the end of each frame while they are shown, to measure it. Headless playback and stills have no frame time:
    /// their images do not depend on the machine's speed.
    public var showsStatistics = false {
        didSet { setNeedsDisplay() }
    }
    /// Whether it draws without pause, as a game does. Default false.
    public var rendersContinuously = false {
        didSet { setNeedsDisplay() }
    }
    /// Whether the scene's animation runs. Default true.
    public var isPlaying: Bool {
        get { playback.isPlaying }
        set {
            playback.isPlaying = newValue
            setNeedsDisplay()
        }
    }
    /// The moment of the animation, seconds from its start.
    public var animationTime: Float {
        get { playback.time }
        set {
            playback.seek(to: newValue)
            setNeedsDisplay()
        }
    }
    /// Called before each picture with the seconds on the window's clock: the place to move things.
    public var onUpdate: (@MainActor (_ time: Double) -> Void)?
    /// Told where the person clicked or tapped, points from the upper left corner, while camera control is on.
    public var onTap: (@MainActor (_ point: Vector2) -> Void)?
    /// Takes drags of the first button, or one finger, in place of the camera, which then neither orbits nor changes. nil: the camera's.
    ///
    /// ```swift
    /// view.onDrag = { drag in card.eulerAngles.y = drag.translation.x / view.size.x * .pi }
    /// ```
    public var onDrag: (@MainActor (ViewDrag) -> Void)?
    /// Told where the pointer goes, points from the upper left corner, whether a button is down or not.
    public var onPointerMove: (@MainActor (_ point: Vector2) -> Void)?
    /// Told what happens. By default failures go to standard error.
    public var onEvent: @MainActor (SceneViewEvent) -> Void = SceneView.printFailure
    /// Called when a scene has taken its place: the one that the loader made, or one from a dropped file.
    public var onSceneChange: (@MainActor (SceneView) throws -> Void)?
    /// What the last picture took.
    public internal(set) var statistics = FrameStatistics()

    /// The view's own choice, valid until `scene.pointOfView` is set again.
    private var chosenPointOfView: (node: Node?, revision: UInt64) = (nil, 0)
    var rig = CameraRig()
    var playback = Playback([], mixer: AnimationMixer())
    var sceneClock = SceneClock()
    var gestures = ViewGestureRecognizer()
    var gamepad = Gamepad()
    var dragKind = OrbitController.Drag.orbit
    /// How far a drag that the program has taken over has come.
    var takenDrag: Vector2?
    var engine: RenderEngine?
    var loader: SceneLoader?
    var loads = FileLoads()
    var backgrounds = BackgroundCycle()
    var frameRate = FrameRateMeter()
    var overlay = ViewOverlay()
    /// When a frame was last requested to show loading progress, seconds on the window's clock.
    var lastProgressFrame = -Double.infinity
    /// Whether the scene was lit and framed for its first frame.
    private var isSetUp = false
    weak var window: Window?
    /// The turn of the environment by gesture that is already in the scene.
    var appliedEnvironmentTurn = Angle.zero
    /// What the window is called while nothing else is to be said there.
    var baseTitle: String?
    var screenshotNumber = 1

    public init(_ scene: Scene) {
        self.scene = scene
        reducesMotion = Desktop.reducesMotion
        sceneChanged()
    }

    /// Loads the scene while the window gets ready, behind its bar of progress.
    public init(loading loader: @escaping SceneLoader) {
        scene = Scene()
        self.loader = loader
        reducesMotion = Desktop.reducesMotion
    }

    /// Plays a clip of the scene from its start, in place of the one that plays. More can be done with `scene.mixer`.
    ///
    /// - Parameter fadeDuration: Seconds in which the one goes over into the other.
    public func play(_ clip: AnimationClip, fadeDuration: Double = 0) {
        guard playback.clips.contains(where: { $0 === clip }) else { return }
        playback.play(clip, fadeDuration: fadeDuration)
        isPlaying = true
    }

    /// Asks for a new picture: call it after changing the scene.
    public func setNeedsDisplay() { window?.requestFrame() }

    func sceneChanged() {
        playback = Playback(scene.animations, mixer: scene.mixer)
        if playback.isPlaying { playback.seek(to: 0) }
        pointOfView = scene.pointOfView
        rig.frame(scene.subjectBounds)
        isSetUp = false
        rig.orbit.environmentRotation = .zero
        appliedEnvironmentTurn = .zero
        backgrounds = BackgroundCycle()
        sceneClock = SceneClock()
        // A scene that is shown belongs to the main actor.
        scene.onActivity = { [weak self] in MainActor.assumeIsolated { self?.setNeedsDisplay() } }
        setNeedsDisplay()
    }

    /// Before each first frame: frames what was added to the scene since the view got it, and lights it if it would be black.
    func completeSetup() {
        lightIfDark(scene)
        guard !isSetUp else { return }
        isSetUp = true
        rig.refit(scene.subjectBounds)
    }

    /// Lights a scene that would be black.
    func lightIfDark(_ scene: Scene) {
        guard autoenablesDefaultLighting, scene.environment.image == nil else { return }
        var hasLight = false
        scene.rootNode.forSubtree { hasLight = hasLight || $0.light != nil }
        if !hasLight { scene.environment = .studio() }
    }
}

/// Makes a scene, telling how far it is; it may take its time in other tasks.
public typealias SceneLoader = @MainActor (_ progress: @escaping @Sendable (LoadingProgress) -> Void) async throws -> Scene
