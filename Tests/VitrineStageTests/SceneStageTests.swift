import Testing
import VitrineMath
import VitrineMotion
import VitrineScene
import VitrineStage

/// A stage without a window, as a web page would own it.
@Suite struct SceneStageTests {
    private func stage() -> SceneStage {
        let scene = Scene()
        scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: .box(), material: Material())))
        return SceneStage(scene)
    }

    @Test func aNewFrameIsRequestedForEachChange() {
        let stage = stage()
        var requests = 0
        stage.onNeedsDisplay = { requests += 1 }
        stage.options.exposure = 1
        stage.fieldOfView = .degrees(30)
        stage.handle(InputEvent(.keyPressed(.left, isRepeat: false), time: 1))
        #expect(requests >= 3 && stage.frameDemand == .next)
        stage.advance(to: 9)
        #expect(stage.frameDemand == .none)
    }

    @Test func aSnapshotOfAnotherSizeFitsTheSceneAndChangesNothing() {
        let stage = stage()
        stage.size = Vector2(1600, 900)
        let before = stage.currentView
        let tall = stage.currentView(size: Vector2(300, 900))
        let far = length(tall.worldFromCamera.translation)
        #expect(far > length(before.worldFromCamera.translation) * 1.5 && stage.currentView == before)
    }

    @Test func commandsMoveTheCameraWhetherTheUserMayOrNot() {
        let stage = stage()
        stage.allowsCameraControl = false
        let before = stage.cameraPose
        stage.handle(InputEvent(.keyPressed(.left, isRepeat: false), time: 1))
        stage.advance(to: 2)
        #expect(stage.cameraPose == before)
        stage.perform(.orbitRight, at: 2)
        stage.advance(to: 9)
        #expect(abs(stage.cameraPose.azimuth.degrees - before.azimuth.degrees - 15) < 0.1)
    }

    @Test func theEnvironmentTurnsAndReportsIt() {
        let stage = stage()
        var reports = 0
        stage.onEnvironmentTurn = { _ in reports += 1 }
        let moves: [InputEvent.Kind] = [
            .pointerPressed(.left, at: [100, 100], clicks: 1), .pointerMoved(to: [160, 100]), .pointerReleased(.left, at: [160, 100]),
        ]
        for (index, kind) in moves.enumerated() { stage.handle(InputEvent(kind, modifiers: .shift, time: 1 + Double(index))) }
        stage.advance(to: 4)
        #expect(reports == 2 && stage.scene.environment.rotation > .zero)
    }
}

/// Picking and gestures in an orthographic view.
@Suite struct OrthographicStageTests {
    private func stage() -> SceneStage {
        let scene = Scene()
        scene.rootNode.addChildNode(Node(mesh: Mesh(geometry: .box(), material: Material())))
        let stage = SceneStage(scene)
        stage.size = Vector2(800, 600)
        stage.frameScene(azimuth: .degrees(30), elevation: .degrees(20))
        stage.isOrthographic = true
        return stage
    }

    private func position(_ pointInWorld: Vector3, _ stage: SceneStage) -> Vector2 {
        let projected = stage.projectPoint(pointInWorld)
        return Vector2(projected.x, projected.y)
    }

    @Test func raysAreParallelAndHitThePointsTheyPassThrough() throws {
        let stage = stage()
        let direction = stage.ray(through: Vector2(400, 300)).direction
        for point in [Vector2(400, 300), Vector2(300, 260), Vector2(480, 350)] {
            let ray = stage.ray(through: point)
            #expect(distance(ray.direction, direction) < 1e-6)
            let hit = try #require(stage.scene.pick(ray))
            #expect(distance(position(hit.position, stage), point) < 0.01)
        }
        #expect(stage.scene.pick(stage.ray(through: Vector2(2, 2))) == nil)
    }

    @Test func aPanFollowsThePointerAtEveryDepth() {
        let stage = stage()
        let points = [Vector3(0, 0, 0), Vector3(0.4, 0.2, -0.5), Vector3(-0.5, 0.5, 0.5)]
        let before = points.map { position($0, stage) }
        let moves: [InputEvent.Kind] = [
            .pointerPressed(.right, at: [400, 300], clicks: 1), .pointerMoved(to: [460, 280]), .pointerReleased(.right, at: [460, 280]),
        ]
        // The pointer rests before the release, so that the camera does not coast.
        for (index, kind) in moves.enumerated() { stage.handle(InputEvent(kind, time: 1 + Double(index))) }
        stage.advance(to: 9)
        for (point, old) in zip(points, before) { #expect(distance(position(point, stage), old + Vector2(60, -20)) < 0.1) }
    }

    @Test func zoomKeepsThePointUnderThePointer() throws {
        let stage = stage()
        let pointer = Vector2(460, 250)
        let hit = try #require(stage.scene.pick(stage.ray(through: pointer)))
        let other = position(.zero, stage)
        stage.handle(InputEvent(.scrolled(Vector2(0, 3), at: pointer), time: 1))
        stage.advance(to: 9)
        #expect(distance(position(hit.position, stage), pointer) < 0.1)
        // Wheel notches are factors of 1.15.
        let factor = pow(1.15 as Float, 3)
        #expect(distance(position(.zero, stage), pointer + (other - pointer) * factor) < 0.5)
    }

    @Test func aDoubleTapOrbitsAroundTheSurface() throws {
        let stage = stage()
        let pointer = Vector2(440, 280)
        let hit = try #require(stage.scene.pick(stage.ray(through: pointer)))
        for time in [1.0, 1.2] {
            stage.handle(InputEvent(.touchBegan(id: 1, at: pointer), time: time))
            stage.handle(InputEvent(.touchEnded(id: 1, at: pointer), time: time + 0.05))
        }
        stage.advance(to: 9)
        #expect(distance(stage.cameraPose.target, hit.position) < 1e-3)
    }
}

@Suite struct CameraInteractionTests {
    @Test func aDragBelongsToTheProgramForItsWholeLength() {
        var interaction = CameraInteraction()
        func handle(_ kind: InputEvent.Kind, _ handsOut: Bool) -> [CameraInteraction.Action] {
            interaction.handle(InputEvent(kind, time: 1), handsOutDrags: handsOut, recognizesGestures: true)
        }
        #expect(
            handle(.touchBegan(id: 1, at: [10, 10]), true) == [.drag(ViewDrag(phase: .began, translation: .zero, time: 1))])
        // The handler was removed during the drag: the camera still does not receive it.
        #expect(
            handle(.touchMoved(id: 1, to: [40, 10]), false) == [.drag(ViewDrag(phase: .changed, translation: [30, 0], time: 1))])
        // A second finger pans the camera.
        let second = handle(.touchBegan(id: 2, at: [80, 10]), false)
        #expect(
            second == [
                .drag(ViewDrag(phase: .ended, translation: [30, 0], time: 1)), .gesture(.dragBegan(.pan)), .gesture(.pinchBegan),
            ])
    }

    @Test func keysOfTheDesktopAreNoCommands() {
        #expect(CameraCommand(.left, []) == .orbitLeft && CameraCommand(.left, .shift) == .panLeft)
        #expect(CameraCommand(.left, .control) == nil && CameraCommand(.character("x"), []) == nil)
    }
}

@Suite struct FrameDemandTests {
    @Test func theEarlierDemandCounts() {
        #expect(FrameDemand.none.earlier(.after(2)) == .after(2) && FrameDemand.after(3).earlier(.after(2)) == .after(2))
        #expect(FrameDemand.next.earlier(.none) == .next && FrameDemand.none.earlier(.none) == .none)
    }
}
