import VitrineMath
import VitrineMotion
import VitrineRender
import VitrineScene
import VitrineWindow

extension SceneView {
    public func handle(_ event: InputEvent) {
        if case .pointerMoved(let point) = event.kind, let onPointerMove {
            onPointerMove(point)
            setNeedsDisplay()
        }
        switch event.kind {
        case .keyPressed(.escape, isRepeat: _) where overlay.helpPage != nil && allowsViewerCommands:
            overlay.closeHelp()
            setNeedsDisplay()
        case .keyPressed(let key, let isRepeat):
            guard let command = ViewCommand(key, event.modifiers), !isRepeat || command.repeats else { return }
            if command.isCameraControl ? allowsCameraControl : allowsViewerCommands { perform(command, at: event.time) }
        case .filesDropped(let paths): if allowsViewerCommands { open(paths) }
        case .gamepad: steer(event)
        default:
            if event.kind == .focusLost { steer(event) }
            if allowsCameraControl || onDrag != nil { for gesture in gestures.handle(event) { follow(gesture, at: event.time) } }
        }
    }

    /// Closing works at once; other keys wait for the first frame.
    public func handleWhilePreparing(_ event: InputEvent) -> Bool {
        guard allowsViewerCommands, case .keyPressed(let key, _) = event.kind, ViewCommand(key, event.modifiers) == .quit else {
            return false
        }
        window?.close()
        return true
    }

    /// Sticks and triggers move the camera while they are held; the lowest button shows all of it, the upper one goes back to the start.
    private func steer(_ event: InputEvent) {
        gamepad.handle(event)
        guard allowsCameraControl else { return }
        let steering = OrbitController.Steering(gamepad)
        if steering != .none { takeCamera() }
        rig.orbit.steer(steering, at: event.time)
        if case .gamepad(let pad) = event.kind {
            if pad.kind == .pressed(.south) { perform(.fit, at: event.time) }
            if pad.kind == .pressed(.north) { perform(.reset, at: event.time) }
        }
        setNeedsDisplay()
    }

    private func follow(_ gesture: ViewGesture, at time: Double) {
        if handOver(gesture, at: time) { return setNeedsDisplay() }
        guard allowsCameraControl else { return }
        switch gesture {
        case .dragBegan(let kind):
            dragKind = kind
            rig.orbit.beginDrag(kind, at: time)
            if kind == .environment { showEnvironmentAngle(at: time) }
        case .dragged(let step):
            if dragKind != .environment { takeCamera() }
            rig.orbit.drag(by: step, at: time)
        case .dragEnded: rig.orbit.endDrag(at: time)
        case .pinchBegan: rig.orbit.beginPinch(at: time)
        case .pinched(let scale, let point):
            takeCamera()
            rig.orbit.pinch(by: scale, towards: fromMiddle(point), at: time)
        case .pinchEnded: rig.orbit.endPinch(at: time)
        case .scrolled(let notches, let point):
            takeCamera()
            rig.orbit.scroll(by: notches, towards: fromMiddle(point), at: time)
        case .doubleTapped(let point): lookCloser(at: point, at: time)
        case .tapped(let point):
            onTap?(point)
            return
        }
        setNeedsDisplay()
    }

    /// Gives a drag to the program, where it wants drags.
    private func handOver(_ gesture: ViewGesture, at time: Double) -> Bool {
        switch gesture {
        case .dragBegan(.orbit):
            guard let onDrag else { return false }
            takenDrag = .zero
            onDrag(ViewDrag(phase: .began, translation: .zero, time: time))
        case .dragged(let step):
            guard let way = takenDrag else { return false }
            takenDrag = way + step
            onDrag?(ViewDrag(phase: .moved, translation: way + step, time: time))
        case .dragBegan, .dragEnded:
            // One drag goes over into another when a second finger comes down.
            guard let way = takenDrag else { return false }
            takenDrag = nil
            onDrag?(ViewDrag(phase: .ended, translation: way, time: time))
            return gesture == .dragEnded
        default: return false
        }
        return true
    }

    /// A double click on a surface makes it what the camera turns around; beside everything it shows all of it.
    private func lookCloser(at point: Vector2, at time: Double) {
        guard let hit = hitTest(point) else { return rig.fit(at: time) }
        takeCamera()
        var pose = rig.orbit.pose
        pose.target = hit.position
        rig.orbit.glide(to: pose, at: time)
    }

    /// From points from the upper left corner, y down, to points from the middle, y up.
    private func fromMiddle(_ point: Vector2) -> Vector2 {
        Vector2(point.x - size.x / 2, size.y / 2 - point.y)
    }
}

// MARK: - Commands

extension SceneView {
    /// Does what a key does. `time`: on the window's clock; by default now.
    public func perform(_ command: ViewCommand, at time: Double? = nil) {
        let time = time ?? window?.now ?? 0
        if command.isCameraControl {
            moveCamera(command, at: time)
        } else {
            change(command, at: time)
        }
        setNeedsDisplay()
    }

    private func moveCamera(_ command: ViewCommand, at time: Double) {
        takeCamera()
        let (turn, step): (Angle, Float) = (.degrees(15), 0.1)
        switch command {
        case .orbitLeft: rig.orbit.turn(azimuth: -turn, at: time)
        case .orbitRight: rig.orbit.turn(azimuth: turn, at: time)
        case .orbitUp: rig.orbit.turn(azimuth: .zero, elevation: turn, at: time)
        case .orbitDown: rig.orbit.turn(azimuth: .zero, elevation: -turn, at: time)
        case .panLeft: rig.orbit.pan(byHeights: Vector2(-step, 0), at: time)
        case .panRight: rig.orbit.pan(byHeights: Vector2(step, 0), at: time)
        case .panUp: rig.orbit.pan(byHeights: Vector2(0, step), at: time)
        case .panDown: rig.orbit.pan(byHeights: Vector2(0, -step), at: time)
        case .zoomIn: rig.orbit.zoom(by: 1.25, at: time)
        case .zoomOut: rig.orbit.zoom(by: 1 / 1.25, at: time)
        case .fit: rig.fit(at: time)
        case .reset: reset(at: time)
        default: break
        }
    }

    /// Back to where the view began: the file's camera, where it has one.
    private func reset(at time: Double) {
        rig.orbit.reset(at: time)
        if scene.pointOfView?.camera != nil { pointOfView = scene.pointOfView }
    }

    private func change(_ command: ViewCommand, at time: Double) {
        switch command {
        case .nextCamera: nextCamera(at: time)
        case .toggleProjection:
            takeCamera()
            isOrthographic.toggle()
            announce("projection: \(isOrthographic ? "orthographic" : "perspective")", at: time)
        case .playOrPause:
            isPlaying.toggle()
            announce(playback.clips.isEmpty ? "no animation" : isPlaying ? "playing" : "paused", at: time)
        case .nextAnimation: nextAnimation(at: time)
        case .turnEnvironmentLeft: turnEnvironment(by: .degrees(-5), at: time)
        case .turnEnvironmentRight: turnEnvironment(by: .degrees(5), at: time)
        case .nextBackground: announce("background: \(backgrounds.advance(scene.environment))", at: time)
        case .moreExposure: expose(by: 1 / 3, at: time)
        case .lessExposure: expose(by: -1 / 3, at: time)
        case .toggleStatistics: showsStatistics.toggle()
        case .toggleFullscreen: window?.isFullscreen.toggle()
        case .screenshot: writeScreenshot()
        case .help: overlay.turnHelpPage(size)
        case .quit: window?.close()
        default: changeOptions(command, at: time)
        }
    }

    private func changeOptions(_ command: ViewCommand, at time: Double) {
        switch command {
        case .nextToneMapping:
            options.toneMapping = options.toneMapping.next(by: 1)
            announce("tone mapping: \(options.toneMapping.name)", at: time)
        case .toggleAntialiasing:
            options.sampleCount = options.sampleCount == 1 ? 4 : 1
            announce("samples per pixel: \(options.sampleCount)", at: time)
        case .nextDebugView, .previousDebugView:
            let views = [DebugView?.none] + DebugView.allCases.map { $0 }
            let index = views.firstIndex(of: options.debugView) ?? 0
            options.debugView = views[(index + (command == .nextDebugView ? 1 : views.count - 1)) % views.count]
            // While one is on, its name is shown all the time.
            let text = "showing: \(options.debugView?.name ?? "light")"
            if options.debugView == nil { announce(text, at: time) } else { onEvent(.changed(text)) }
        default: break
        }
    }

    /// Reports the result of a command: as an event, and as text over the view.
    private func announce(_ text: String, at time: Double) {
        onEvent(.changed(text))
        if allowsViewerCommands { overlay.show(text, at: time) }
    }

    private func turnEnvironment(by angle: Angle, at time: Double) {
        scene.environment.rotation += angle
        showEnvironmentAngle(at: time)
    }

    func showEnvironmentAngle(at time: Double) {
        guard allowsViewerCommands else { return }
        guard scene.environment.image != nil else {
            return overlay.show("no environment to turn: the scene has lights only", at: time)
        }
        let degrees = Int(scene.environment.rotation.degrees.rounded()) % 360
        overlay.show("environment turned by \(degrees < 0 ? degrees + 360 : degrees)°", at: time)
    }

    private func expose(by stops: Float, at time: Double) {
        options.exposure = clamp(options.exposure + stops, -32, 32)
        announce("exposure: \(Float(Int((options.exposure * 100).rounded())) / 100) stops", at: time)
    }

    private func nextAnimation(at time: Double) {
        guard !playback.clips.isEmpty else { return announce("no animation", at: time) }
        play(playback.clips[(playback.index + 1) % playback.clips.count], fadeDuration: 0.25)
        let name = playback.clip?.name ?? ""
        announce("animation \(playback.index + 1) of \(playback.clips.count): \(name.isEmpty ? "unnamed" : name)", at: time)
    }

    /// The file's cameras one after the other, then the person's own.
    private func nextCamera(at time: Double) {
        let nodes = cameraNodes
        guard !nodes.isEmpty else { return announce("the file has no cameras", at: time) }
        let current = pointOfView.flatMap { node in nodes.firstIndex { $0 === node } }
        let next = current.map { $0 + 1 } ?? 0
        pointOfView = next < nodes.count ? nodes[next] : nil
        announce("camera: \(pointOfView?.name ?? "own")", at: time)
    }
}

extension ToneMapping {
    func next(by step: Int) -> ToneMapping {
        let all = ToneMapping.allCases
        let index = all.firstIndex(of: self) ?? 0
        return all[(index + step + all.count) % all.count]
    }
}
