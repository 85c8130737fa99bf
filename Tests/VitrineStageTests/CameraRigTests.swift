import Testing
import VitrineMath
import VitrineMotion
import VitrineRender
import VitrineScene

@testable import VitrineStage

private let box = BoundingBox(minimum: Vector3(-1, 0, -1), maximum: Vector3(1, 2, 1))

@Suite struct CameraRigTests {
    /// Returns the position of a point of the world in the view, −1…1.
    private func projected(_ point: Vector3, _ view: View, aspectRatio: Float = 16.0 / 9) -> Vector3 {
        (view.camera.clipFromView(aspectRatio: aspectRatio) * view.worldFromCamera.affineInverse).project(point)
    }

    @Test(arguments: [Vector2(1600, 900), Vector2(400, 900)], [false, true])
    func everythingIsInsideTheView(size: Vector2, isOrthographic: Bool) {
        var rig = CameraRig()
        rig.viewportSize = size
        rig.isOrthographic = isOrthographic
        rig.frame(box)
        for corner in 0..<8 {
            let point = Vector3(corner & 1 == 0 ? -1 : 1, corner & 2 == 0 ? 0 : 2, corner & 4 == 0 ? -1 : 1)
            let seen = projected(point, rig.view, aspectRatio: size.x / size.y)
            #expect(abs(seen.x) < 1 && abs(seen.y) < 1 && seen.z > 0 && seen.z < 1, "\(point) is seen at \(seen)")
        }
    }

    @Test func anUnmovedCameraFitsTheSceneAfterResizing() {
        var rig = CameraRig()
        rig.viewportSize = Vector2(1600, 900)
        rig.frame(box)
        let wide = rig.pose.distance
        rig.viewportSize = Vector2(400, 900)
        #expect(rig.pose.distance > wide * 1.5)
        rig.userMoved()
        let before = rig.pose
        rig.viewportSize = Vector2(1600, 900)
        #expect(rig.pose == before)
    }

    @Test func panAndZoomCanBeForbidden() {
        var rig = CameraRig()
        rig.viewportSize = Vector2(800, 600)
        rig.frame(box)
        let before = rig.pose
        (rig.allowsPan, rig.allowsZoom) = (false, false)
        for gesture in [
            CameraGesture.dragBegan(.pan), .dragged(by: Vector2(50, 20)), .dragEnded, .pinchBegan, .pinched(by: 2, at: Vector2(10, 10)),
            .pinchEnded,
            .scrolled(3, at: Vector2(10, 10)),
        ] { rig.apply(gesture, at: 1) }
        for command in [CameraCommand.panLeft, .panUp, .zoomIn, .zoomOut] { rig.perform(command, at: 1) }
        rig.orbit(around: Vector3(1, 1, 1), at: 1)
        rig.update(at: 5)
        #expect(rig.pose == before)
        rig.allowsZoom = true
        rig.apply(.scrolled(3, at: Vector2(10, 10)), at: 6)
        rig.update(at: 10)
        #expect(rig.pose.distance < before.distance && rig.pose.target == before.target)
    }

    @Test func aMinimizedWindowChangesNothing() {
        var rig = CameraRig()
        rig.viewportSize = Vector2(1600, 900)
        rig.frame(box)
        let before = (rig.pose, rig.viewportSize)
        rig.viewportSize = Vector2(0, 0)
        #expect(rig.pose == before.0 && rig.viewportSize == before.1)
    }

    @Test func takesOverFromAFilesCameraWithoutAJump() {
        let view = View(
            camera: Camera(projection: .perspective(fieldOfView: .degrees(30)), exposure: 1),
            worldFromCamera: .lookAt(eye: Vector3(3, 2, 4), target: Vector3(0.2, 1.1, 0)))
        var rig = CameraRig()
        rig.takeOver(from: view, bounds: box)
        #expect(rig.fieldOfView == .degrees(30) && rig.view.camera.exposure == 1)
        #expect(rig.view.worldFromCamera.isClose(to: view.worldFromCamera, tolerance: 1e-4))
        for point in [Vector3(0, 1, 0), Vector3(0.7, 0.3, -0.4)] {
            let (a, b) = (projected(point, view), projected(point, rig.view))
            #expect(abs(a.x - b.x) < 1e-3 && abs(a.y - b.y) < 1e-3)
        }
    }

    @Test func takesOverFromAnOrthographicCamera() {
        let view = View(
            camera: Camera(projection: .orthographic(scale: 2.5), near: 0.1, far: 100),
            worldFromCamera: .lookAt(eye: Vector3(0, 5, 5), target: Vector3(0, 1, 0)))
        var rig = CameraRig()
        rig.takeOver(from: view, bounds: box)
        for point in [Vector3(0, 1, 0), Vector3(0.7, 0.3, -0.4)] {
            let (a, b) = (projected(point, view), projected(point, rig.view))
            #expect(abs(a.x - b.x) < 1e-3 && abs(a.y - b.y) < 1e-3)
        }
    }

    @Test func emptyScenesHaveACamera() {
        var rig = CameraRig()
        rig.frame(.empty)
        #expect(rig.view.worldFromCamera.translation.isFinite)
        rig.isOrthographic = true
        #expect(projected(Vector3(0, 0, 0), rig.view).isFinite)
    }
}
