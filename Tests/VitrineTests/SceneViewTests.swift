import Testing
import VitrineMath
import VitrineScene
import VitrineStage
import VitrineWindow

@testable import Vitrine

/// A view without a window: events go in, the camera comes out.
@MainActor @Suite struct SceneViewTests {
    private func triangle() throws -> Scene {
        let scene = Scene()
        let geometry = try Geometry(
            attributes: [VertexAttribute(.position, componentCount: 3, values: [-1, 0, 0, 1, 0, 0, 0, 2, 0])], indices: [0, 1, 2])
        scene.rootNode.addChildNode(Node(name: "triangle", mesh: Mesh(geometry: geometry, material: Material())))
        return scene
    }

    private func drag(_ view: SceneView, by step: Vector2, modifiers: KeyModifiers = [], button: PointerButton = .left) {
        let start = Vector2(300, 300)
        view.handle(InputEvent(.pointerPressed(button, at: start, clicks: 1), modifiers: modifiers, time: 1))
        view.handle(InputEvent(.pointerMoved(to: start + step), modifiers: modifiers, time: 1.01))
        view.handle(InputEvent(.pointerReleased(button, at: start + step), modifiers: modifiers, time: 1.5))
        view.advance(to: 1.5)
    }

    @Test func draggingMovesOnlyTheCamera() throws {
        let view = SceneView(try triangle())
        let before = view.cameraPose
        drag(view, by: Vector2(100, 0))
        #expect(view.cameraPose.azimuth < before.azimuth && view.cameraPose.target == before.target)
        #expect(view.scene.environment.rotation == .zero)
        #expect(view.frameDemand == .none, "the hand rested before it let go")
    }

    @Test func programsMayTakeDrags() throws {
        let view = SceneView(try triangle())
        let before = view.cameraPose
        var drags: [ViewDrag] = []
        var points: [Vector2] = []
        view.onDrag = { drags.append($0) }
        view.onPointerMove = { points.append($0) }
        drag(view, by: Vector2(30, -20))
        #expect(drags.map(\.phase) == [.began, .changed, .ended] && drags.map(\.translation) == [.zero, [30, -20], [30, -20]])
        #expect(points == [[330, 280]] && view.cameraPose == before)
        // Other drags are still the camera's, unless it is switched off.
        drag(view, by: Vector2(30, 0), modifiers: .shift)
        #expect(drags.count == 3 && view.scene.environment.rotation > .zero)
        view.allowsCameraControl = false
        drag(view, by: Vector2(30, 0), button: .right)
        drag(view, by: Vector2(5, 5))
        #expect(drags.count == 6 && view.cameraPose == before)
    }

    @Test func sticksMoveTheCameraWhileTheyAreHeld() throws {
        let view = SceneView(try triangle())
        func pad(_ event: GamepadEvent, at time: Double) { view.handle(InputEvent(.gamepad(event, id: 1), time: time)) }
        let before = view.cameraPose
        pad(.connected, at: 1)
        pad(.leftStick(Vector2(1, 0)), at: 1)
        #expect(view.frameDemand == .next)
        view.advance(to: 1.5)
        #expect(abs(view.cameraPose.azimuth.degrees - before.azimuth.degrees - 60) < 0.1)
        view.handle(InputEvent(.focusLost, time: 1.5))
        view.advance(to: 9)
        #expect(view.frameDemand == .none && view.cameraPose.azimuth > before.azimuth)
        pad(.pressed(.north), at: 9)
        view.advance(to: 9.1)
        view.advance(to: 19)
        #expect(abs(view.cameraPose.azimuth.degrees - before.azimuth.degrees) < 0.1)
        view.allowsCameraControl = false
        pad(.leftStick(Vector2(1, 0)), at: 20)
        #expect(view.frameDemand == .none)
    }

    @Test func aFlickCoasts() throws {
        let view = SceneView(try triangle())
        view.handle(InputEvent(.pointerPressed(.left, at: Vector2(0, 0), clicks: 1), time: 1))
        for step in 1...5 { view.handle(InputEvent(.pointerMoved(to: Vector2(Float(step) * 20, 0)), time: 1 + Double(step) * 0.01)) }
        view.handle(InputEvent(.pointerReleased(.left, at: Vector2(100, 0)), time: 1.051))
        #expect(view.frameDemand == .next)
        view.advance(to: 10)
        #expect(view.frameDemand == .none)
    }

    @Test func shiftDraggingRotatesTheEnvironment() throws {
        let view = SceneView(try triangle())
        view.scene.environment.rotation = .degrees(40)
        let before = view.cameraPose
        drag(view, by: Vector2(100, 0), modifiers: .shift)
        #expect(view.cameraPose == before)
        #expect(view.scene.environment.rotation > .degrees(45))
    }

    @Test func thePointOfViewMayChangeAtAnyTime() throws {
        let scene = try triangle()
        func camera(_ position: Vector3) -> Node {
            let node = Node(name: "camera")
            node.camera = Camera(projection: .perspective(fieldOfView: .degrees(30)))
            node.position = position
            scene.rootNode.addChildNode(node)
            return node
        }
        let view = SceneView(scene)
        let (first, second) = (camera([0, 0, 9]), camera([7, 0, 0]))
        scene.pointOfView = first
        #expect(view.pointOfView === first && view.currentView.worldFromCamera.translation == [0, 0, 9])
        // The last assignment wins, to the view or to the scene.
        view.pointOfView = second
        #expect(view.currentView.worldFromCamera.translation == [7, 0, 0])
        scene.pointOfView = first
        #expect(view.pointOfView === first)
        // A gesture continues with the view's own camera; setting the same node again returns to it.
        drag(view, by: Vector2(80, 0))
        #expect(view.pointOfView == nil)
        scene.pointOfView = first
        #expect(view.pointOfView === first)
        scene.pointOfView = nil
        #expect(view.pointOfView == nil && view.currentView.worldFromCamera == view.cameraPose.worldFromCamera)
        // A node that receives its camera later.
        let late = Node(name: "late")
        scene.rootNode.addChildNode(late)
        scene.pointOfView = late
        #expect(view.currentView.worldFromCamera == view.cameraPose.worldFromCamera)
        late.camera = Camera()
        #expect(view.currentView.worldFromCamera.translation == .zero)
    }

    @Test func nodesAddedBeforeTheFirstFrameAreFramed() throws {
        let scene = Scene()
        let view = SceneView(scene)
        let ball = Node(mesh: Mesh(geometry: .sphere(radius: 3), material: Material()))
        ball.position = [40, 0, 0]
        scene.rootNode.addChildNode(ball)
        let image = try view.snapshot(width: 64, height: 48)
        #expect(distance(view.cameraPose.target, [40, 0, 0]) < 0.01)
        #expect(Set(image.bytes).count > 30, "the ball is seen")
        // Only the first time: a film keeps its camera.
        ball.position = [80, 0, 0]
        _ = try view.snapshot(width: 64, height: 48)
        #expect(distance(view.cameraPose.target, [40, 0, 0]) < 0.01)
    }

    @Test func panningMovesTheTarget() throws {
        let view = SceneView(try triangle())
        let before = view.cameraPose
        drag(view, by: Vector2(100, 0), button: .right)
        #expect(view.cameraPose.azimuth == before.azimuth && view.cameraPose.target != before.target)
    }

    @Test func cameraControlCanBeTurnedOff() throws {
        let view = SceneView(try triangle())
        view.allowsCameraControl = false
        let before = view.cameraPose
        drag(view, by: Vector2(100, 0))
        view.handle(InputEvent(.keyPressed(.left, isRepeat: false), time: 2))
        view.advance(to: 5)
        #expect(view.cameraPose == before)
    }

    @Test func onlyAViewerHasKeysForOptions() throws {
        let view = SceneView(try triangle())
        view.handle(InputEvent(.keyPressed(.character("t"), isRepeat: false), time: 1))
        #expect(view.options.toneMapping == .neutral)
        let viewer = Viewer(view)
        viewer.onEvent = { _ in }
        viewer.handle(InputEvent(.keyPressed(.character("t"), isRepeat: false), time: 1))
        #expect(view.options.toneMapping == .agx)
        viewer.handle(InputEvent(.keyPressed(.character("t"), isRepeat: true), time: 1))
        #expect(view.options.toneMapping == .agx, "holding the key is one press")
        let azimuth = view.cameraPose.azimuth
        viewer.handle(InputEvent(.keyPressed(.left, isRepeat: false), time: 1))
        view.advance(to: 5)
        #expect(view.cameraPose.azimuth < azimuth, "the camera's keys work in a viewer too")
        viewer.handle(InputEvent(.keyPressed(.character("t"), isRepeat: false), modifiers: .control, time: 6))
        #expect(view.options.toneMapping == .agx, "control + T is the desktop's")
    }

    @Test func everyCommandHasAKey() {
        let keys: [Key] =
            [.left, .right, .up, .down, .home, .pageUp, .pageDown, .space, .escape] + (1...12).map { .function($0) }
            + "abcdefghijklmnopqrstuvwxyz+-=,.".map { .character($0) }
        let pressed: [(Key, KeyModifiers)] = keys.flatMap { key in [([] as KeyModifiers), .shift].map { (key, $0) } }
        #expect(Set(pressed.compactMap { CameraCommand($0, $1) }) == Set(CameraCommand.allCases))
        #expect(Set(pressed.compactMap { ViewerCommand($0, $1) }) == Set(ViewerCommand.allCases))
        #expect(pressed.allSatisfy { CameraCommand($0, $1) == nil || ViewerCommand($0, $1) == nil }, "each key has one command")
    }

    @Test func debugViewsCycle() throws {
        let view = SceneView(try triangle())
        let viewer = Viewer(view)
        viewer.onEvent = { _ in }
        viewer.perform(.nextDebugView, at: 0)
        #expect(view.options.debugView != nil)
        viewer.perform(.previousDebugView, at: 0)
        #expect(view.options.debugView == nil)
    }

    @Test func gesturesTakeOverFromTheFilesCamera() throws {
        let scene = try triangle()
        let node = Node(name: "eye")
        node.camera = Camera(projection: .perspective(fieldOfView: .degrees(30)))
        node.position = Vector3(0, 1, 6)
        scene.rootNode.addChildNode(node)
        scene.pointOfView = node
        let view = SceneView(scene)
        #expect(view.pointOfView === node && view.currentView.worldFromCamera.translation == Vector3(0, 1, 6))
        drag(view, by: Vector2(0, 50))
        #expect(view.pointOfView == nil && view.fieldOfView == .degrees(30))
        #expect(view.cameraPose.eye.y > 1.2)
    }

    @Test func projectingAndUnprojectingAreInverse() throws {
        let view = SceneView(try triangle())
        for isOrthographic in [false, true] {
            view.isOrthographic = isOrthographic
            let middle = view.projectPoint(view.cameraPose.target)
            #expect(abs(middle.x - view.size.x / 2) < 0.01 && abs(middle.y - view.size.y / 2) < 0.01)
            let point = Vector3(0.4, 1.3, -0.2)
            #expect(distance(view.unprojectPoint(view.projectPoint(point)), point) < 1e-3)
            let seen = view.projectPoint(point)
            let ray = view.ray(through: Vector2(seen.x, seen.y))
            let along = dot(point - ray.origin, ray.direction)
            #expect(distance(ray.point(at: along), point) < 1e-3 && abs(length(ray.direction) - 1) < 1e-5)
        }
    }

    @Test func hitTestsReturnTheSurface() throws {
        let view = SceneView(try triangle())
        view.scene.rootNode.childNodes[0].material?.isDoubleSided = true
        let seen = view.projectPoint(Vector3(0, 1, 0))
        let hit = try #require(view.hitTest(Vector2(seen.x, seen.y)))
        #expect(hit.node.name == "triangle" && distance(hit.position, Vector3(0, 1, 0)) < 1e-3)
        #expect(view.hitTest(Vector2(1, 1)) == nil)
        var taps: [Vector2] = []
        view.onTap = { taps.append($0) }
        for kind in [InputEvent.Kind.pointerPressed(.left, at: Vector2(5, 6), clicks: 1), .pointerReleased(.left, at: Vector2(5, 6))] {
            view.handle(InputEvent(kind, time: 1))
        }
        #expect(taps == [Vector2(5, 6)])
    }

    @Test func aDoubleClickOrbitsAroundTheSurface() throws {
        let view = SceneView(try triangle())
        view.scene.rootNode.childNodes[0].material?.isDoubleSided = true
        let point = Vector3(0.2, 1.2, 0)
        let seen = view.projectPoint(point)
        for time in [1, 1.1] {
            view.handle(InputEvent(.pointerPressed(.left, at: Vector2(seen.x, seen.y), clicks: 1), time: time))
            view.handle(InputEvent(.pointerReleased(.left, at: Vector2(seen.x, seen.y)), time: time + 0.02))
        }
        view.advance(to: 10)
        #expect(distance(view.cameraPose.target, point) < 1e-2)
    }

    @Test func scenesWithoutLightsGetDefaultLights() throws {
        let stage = SceneStage(try triangle())
        stage.completeSetup()
        #expect(stage.scene.environment.image != nil)
        let lit = try triangle()
        let light = Node()
        light.light = Light(.point)
        lit.rootNode.addChildNode(light)
        let other = SceneStage(lit)
        other.completeSetup()
        #expect(other.scene.environment.image == nil)
    }

    @Test func backgroundsCycleToTheScenesOwn() throws {
        let environment = Environment(background: .transparent)
        var cycle = BackgroundCycle()
        var names = [cycle.advance(environment)]
        while names.count < 20, names.last != "the scene's own" { names.append(cycle.advance(environment)) }
        #expect(names == ["environment", "white", "grey", "black", "the scene's own"])
        if case .transparent = environment.background {} else { Issue.record("the scene's own background is lost") }
    }
}

@MainActor @Suite struct PlaybackTests {
    private func clip(on node: Node, duration: Float) throws -> AnimationClip {
        let track = try #require(
            AnimationTrack(
                node: node, target: .translation, interpolation: .linear, times: [0, duration], values: [0, 0, 0, duration, 0, 0]))
        return AnimationClip(name: "move", tracks: [track])
    }

    /// A view that plays `clip` on its only node.
    private func view(duration: Float) throws -> (view: SceneView, node: Node) {
        let (scene, node) = (Scene(), Node())
        scene.rootNode.addChildNode(node)
        scene.animations = [try clip(on: node, duration: duration)]
        return (SceneView(scene), node)
    }

    @Test func followsTheClockNotTheFrames() throws {
        let (view, node) = try view(duration: 2)
        for time in [5, 5.1, 5.5, 6.0] { view.advance(to: time) }
        #expect(abs(node.position.x - 1) < 1e-5)
        for time in [6.5, 7.25] { view.advance(to: time) }
        #expect(abs(node.position.x - 0.25) < 1e-5, "it starts again")
    }

    @Test func playbackResumesWhereItPaused() throws {
        let (view, node) = try view(duration: 2)
        view.advance(to: 0)
        view.advance(to: 0.5)
        view.isPlaying = false
        view.advance(to: 0.75)
        #expect(view.frameDemand == .none && abs(node.position.x - 0.5) < 1e-5)
        view.isPlaying = true
        view.advance(to: 1)
        view.advance(to: 1.25)
        #expect(view.frameDemand == .next && abs(node.position.x - 0.75) < 1e-5)
    }

    @Test func timeInAHiddenWindowIsLimited() throws {
        let (view, node) = try view(duration: 10)
        view.advance(to: 0)
        view.advance(to: 100)
        #expect(node.position.x == 1)
    }

    @Test func aSceneWithoutClipsIsAtRest() {
        let view = SceneView(Scene())
        view.advance(to: 1)
        #expect(view.frameDemand == .none && !view.isPlaying)
    }

    @Test func oneClipFadesIntoTheNext() throws {
        let (view, node) = try view(duration: 2)
        let still = try #require(AnimationTrack(node: node, target: .translation, interpolation: .step, times: [0], values: [0, 4, 0]))
        view.scene.animations.append(AnimationClip(name: "still", tracks: [still]))
        view.scene = view.scene.clone()
        view.advance(to: 0)
        view.advance(to: 0.5)
        view.play(view.scene.animations[1], fadeDuration: 1)
        view.advance(to: 1)
        let position = try #require(view.scene.rootNode.childNodes.first).position
        #expect(distance(position, [0.5, 2, 0]) < 1e-5)
    }

    @Test func actionsAreDrawnWhileTheyRun() {
        let (view, node) = (SceneView(Scene()), Node())
        view.scene.rootNode.addChildNode(node)
        view.advance(to: 1)
        // The window was idle: actions that start now have not advanced.
        node.runAction(.move(by: [1, 0, 0], duration: 1))
        #expect(view.frameDemand == .next)
        view.advance(to: 50)
        #expect(node.position.x == 0)
        view.advance(to: 50.25)
        #expect(node.position.x == 0.25 && view.frameDemand == .next)
        view.advance(to: 51)
        #expect(node.position.x == 1 && view.frameDemand == .none)
    }
}
