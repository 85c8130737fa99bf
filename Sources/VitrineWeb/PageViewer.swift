import CVitrineWeb
import VitrineGLTF
import VitrineGPU
import VitrineGeometry
import VitrineMath
import VitrineMotion
import VitrineRender
import VitrineScene
import VitrineStage

/// The viewer of a canvas: a stage, its renderer, and its model.
package final class PageViewer: PageCanvas {
    let page: Page
    let number: Int32
    let stage = SceneStage(Scene())
    let renderer: Renderer
    let format: GPUTextureFormat
    /// The model that is being loaded.
    var load: ModelLoad?
    /// The environment that is being prepared.
    var environmentLoad: EnvironmentLoad?
    /// The camera that the page has chosen.
    var cameraChoice = CameraChoice()
    var autoRotation = AutoRotation()
    /// The field of view of the shorter side of the canvas: a portrait view shows the model from the same distance as a square one, as its poster does.
    var fieldOfView = Angle.degrees(45) {
        didSet { fitCamera() }
    }
    /// The duration of a change between animations, in seconds.
    var animationFade = 0.3
    private(set) var look = PageLook()
    private(set) var model: ModelFacts?
    private(set) var statistics = FrameStatistics()
    private var shadowReceiver: Node?
    private var needsDisplay = false
    /// The size in pixels.
    private var size = (width: 0, height: 0)
    private var lastPose: OrbitPose?
    private var snapshotTarget: OffscreenTarget?

    init(_ page: Page, number: Int32, format: GPUTextureFormat) throws(PageError) {
        (self.page, self.number, self.format) = (page, number, format)
        renderer = try PageError.rendering { () throws(RenderError) in try Renderer(sharing: page.renderer) }
        stage.autoenablesDefaultLighting = false
        stage.scene.environment = look.makeEnvironment()
        stage.onNeedsDisplay = { [unowned(unsafe) self] in setNeedsDisplay() }
    }

    deinit { stage.onNeedsDisplay = {} }

    package var viewer: PageViewer? { self }
    package var counts: (drawCalls: Int, triangles: Int, gpuMemory: Int) {
        (statistics.drawCalls, statistics.triangles, statistics.gpuMemory)
    }

    /// Requests a frame from the page, once until it is drawn.
    package func setNeedsDisplay() {
        guard !needsDisplay else { return }
        needsDisplay = true
        Page.requestFrame(number)
    }

    // MARK: Model

    /// Shows a prepared scene.
    func show(_ scene: Scene, _ facts: ModelFacts?) {
        (model, shadowReceiver) = (facts, nil)
        scene.environment = look.makeEnvironment()
        stage.scene = scene
        stage.pointOfView = nil
        updateShadowReceiver()
        stage.completeSetup()
        cameraChoice.apply(to: stage)
        renderer.purge()
        setNeedsDisplay()
    }

    // MARK: Look

    /// Changes the environment or shadow settings.
    func changeLook(_ change: (inout PageLook) -> Void) {
        change(&look)
        stage.scene.environment = look.makeEnvironment()
        stage.options = look.options
        updateShadowReceiver()
        setNeedsDisplay()
    }

    private func updateShadowReceiver() {
        guard look.shadow > 0, model != nil else {
            shadowReceiver?.removeFromParentNode()
            shadowReceiver = nil
            return
        }
        if shadowReceiver == nil { shadowReceiver = addShadowReceiver(to: stage.scene) }
        shadowReceiver?.opacity = look.shadow
    }

    /// Adds the shadow receiver of a scene.
    ///
    /// - Returns: nil if the viewer shows no shadow.
    func addShadowReceiver(to scene: Scene) -> Node? {
        guard look.shadow > 0 else { return nil }
        let receiver = Node.shadowReceiver(under: scene.subjectBounds)
        receiver.opacity = look.shadow
        scene.rootNode.addChildNode(receiver)
        return receiver
    }

    // MARK: Frames

    package func resize(width: Int, height: Int, points: Vector2) {
        guard width != size.width || height != size.height || points != stage.size else { return }
        size = (width, height)
        stage.size = points
        if stage.size == points { fitCamera() }
        setNeedsDisplay()
    }

    private func fitCamera() {
        setVerticalFieldOfView(aspectRatio: stage.size.x / max(stage.size.y, 1))
        cameraChoice.apply(to: stage)
    }

    private func setVerticalFieldOfView(aspectRatio: Float) {
        let isPortrait = aspectRatio < 1 && aspectRatio > 0
        let angle = isPortrait ? Angle.radians(2 * atan2(tan(fieldOfView.radians / 2), aspectRatio)) : fieldOfView
        if angle != stage.fieldOfView { stage.fieldOfView = angle }
    }

    package func handle(_ event: InputEvent, isInput: Bool) -> Bool {
        if case .keyPressed(let key, _) = event.kind {
            guard stage.allowsCameraControl, CameraCommand(key, event.modifiers) != nil else { return false }
        }
        if isInput { autoRotation.interrupt(at: event.time) }
        stage.handle(event)
        return true
    }

    package func frame(at time: Double) throws(PageError) -> PageFrame {
        var result = PageFrame()
        guard size.width > 0, size.height > 0 else { return result }
        let turns = autoRotation.advance(to: time, stage)
        guard needsDisplay || turns || stage.frameDemand != .none else {
            result.needsAnother = autoRotation.isPending
            return result
        }
        needsDisplay = false
        stage.advance(to: time)
        let pose = stage.cameraPose
        result.hasCameraMoved = pose != lastPose
        lastPose = pose
        try draw()
        result.hasDrawn = true
        result.needsAnother = stage.frameDemand != .none || turns || autoRotation.isPending
        return result
    }

    private func draw() throws(PageError) {
        guard let view = try page.canvasTexture(of: number, width: size.width, height: size.height, format: format) else {
            return setNeedsDisplay()
        }
        statistics = try PageError.rendering { () throws(RenderError) in
            try renderer.render(stage.scene, from: stage.currentView, to: view, options: stage.frameOptions)
        }
    }

    // MARK: Images

    /// Renders an image of the current view, and keeps it until `endSnapshot()`.
    ///
    /// - Returns: The number of its texture, `rgba8`.
    func snapshot(width: Int, height: Int, samples: Int) throws(PageError) -> UInt {
        setVerticalFieldOfView(aspectRatio: Float(width) / Float(max(height, 1)))
        defer { setVerticalFieldOfView(aspectRatio: stage.size.x / max(stage.size.y, 1)) }
        let target = try PageError.rendering { () throws(RenderError) in
            let target = try OffscreenTarget(page.device, width: width, height: height)
            let view = stage.currentView(size: Vector2(Float(width), Float(height)))
            try renderer.renderStill(stage.scene, from: view, to: target, samples: samples, options: stage.frameOptions)
            return target
        }
        snapshotTarget = target
        return target.view.texture.number
    }

    func endSnapshot() { snapshotTarget = nil }
}
