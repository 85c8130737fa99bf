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
        completeSetup()
        let engine = try RenderEngine(device: device, format: format)
        try await engine.prepareInSlices(scene, from: currentView, options: options) {
            progress(LoadingProgress(0.8 + 0.2 * $0, stage: "uploading"))
        }
        self.engine = engine
        progress(LoadingProgress(1, stage: "ready"))
    }

    public func draw(_ frame: WindowFrame) throws {
        guard let engine else { return }
        let clock = ContinuousClock()
        let start = clock.now
        rig.viewportSize = Vector2(Float(frame.width), Float(frame.height)) / frame.scale
        advance(to: frame.time)
        var options = options
        options.time += Float(scene.time)
        // Headless frames must not depend on the machine's speed.
        let measures = showsStatistics && window?.isHeadless == false
        frameRate.frame(at: frame.time)
        try engine.draw(scene, from: currentView, into: frame.target, options: options, scale: frame.scale) { drawn in
            statistics = drawn
            if measures {
                try engine.device.waitUntilIdle()
                statistics.frameMilliseconds = (clock.now - start) / .milliseconds(1)
            }
            return texts(at: frame.time)
        }
    }

    /// Statistics, and the viewer's text.
    private func texts(at time: Double) -> [OverlayText] {
        let label = allowsViewerCommands ? options.debugView.map { "showing: \($0.name)    D: next, shift + D: previous" } : nil
        // The help may need all of the window.
        return (overlay.helpPage == nil ? statisticsTexts(frameRate.framesPerSecond) : [])
            + overlay.texts(label: label, size: size, at: time)
    }

    /// The statistics of the last frame, if they are to be shown.
    func statisticsTexts(_ framesPerSecond: Double?) -> [OverlayText] {
        showsStatistics ? [OverlayText(statistics.lines(framesPerSecond: framesPerSecond))] : []
    }

    /// Brings everything that moves to the moment `time`.
    func advance(to time: Double) {
        rig.orbit.update(at: time)
        applyEnvironmentTurn(at: time)
        scene.advance(by: sceneClock.step(to: time))
        onUpdate?(time)
        sceneClock.settle(isMoving: scene.isMoving || rendersContinuously)
    }

    public var frameDemand: FrameDemand {
        if rendersContinuously || !rig.orbit.isAtRest || scene.isMoving { return .next }
        let now = window?.now ?? 0
        // After a motion, one more frame replaces its frame rate.
        let settling = showsStatistics ? frameRate.settlingTime(at: now) : nil
        guard let seconds = [overlay.remaining(at: now), settling].compactMap({ $0 }).min() else { return .none }
        return .after(seconds)
    }

    public func windowDidClose() {
        loads.cancelAll()
        engine = nil
        window = nil
    }

    /// The gesture's share of the rotation is added to the scene's own, which the program may set at any time.
    func applyEnvironmentTurn(at time: Double = 0) {
        let turn = rig.orbit.environmentRotation
        guard turn != appliedEnvironmentTurn else { return }
        scene.environment.rotation += turn - appliedEnvironmentTurn
        appliedEnvironmentTurn = turn
        showEnvironmentAngle(at: time)
    }
}
