import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene
import VitrineWindow

extension SceneView: WindowContent {
    public func prepare(
        in window: Window, device: GPUDevice, format: GPUTextureFormat, progress: @escaping @MainActor (LoadingProgress) -> Void
    ) async throws {
        self.window = window
        if baseTitle == nil { baseTitle = window.title }
        if let loader {
            // The last part of the bar is the upload.
            let report: @Sendable (LoadingProgress) -> Void = { step in
                Task { @MainActor in progress(LoadingProgress(step.fraction * 0.8, stage: step.stage)) }
            }
            scene = try await loader(report)
            self.loader = nil
            try onSceneChange?(self)
        }
        lightIfDark(scene)
        let engine = try RenderEngine(device: device, format: format)
        try await engine.prepareInSlices(scene, from: currentView, options: options) {
            progress(LoadingProgress(0.8 + 0.2 * $0, stage: "uploading"))
        }
        self.engine = engine
        progress(LoadingProgress(1, stage: "ready"))
    }

    public func draw(_ frame: WindowFrame) throws {
        guard let engine else { return }
        rig.viewportSize = Vector2(Float(frame.width), Float(frame.height)) / frame.scale
        advance(to: frame.time)
        var options = options
        options.time += Float(scene.time)
        frameRate.frame(at: frame.time)
        statistics = try engine.draw(
            scene, from: currentView, into: frame.target, options: options,
            lines: showsStatistics ? statistics.lines(framesPerSecond: frameRate.framesPerSecond) : [],
            scale: frame.scale)
    }

    /// Brings everything that moves to the moment `time`.
    func advance(to time: Double) {
        rig.orbit.update(at: time)
        applyEnvironmentTurn()
        scene.advance(by: sceneClock.step(to: time))
        onUpdate?(time)
        sceneClock.settle(isMoving: scene.isMoving || rendersContinuously)
    }

    public var frameDemand: FrameDemand {
        let moves = rendersContinuously || !rig.orbit.isAtRest || scene.isMoving
        return moves ? .next : .none
    }

    public func windowDidClose() {
        loads.cancelAll()
        engine = nil
        window = nil
    }

    /// The gesture's share of the rotation is added to the scene's own, which the program may set at any time.
    func applyEnvironmentTurn() {
        let turn = rig.orbit.environmentRotation
        guard turn != appliedEnvironmentTurn else { return }
        scene.environment.rotation += turn - appliedEnvironmentTurn
        appliedEnvironmentTurn = turn
    }
}
