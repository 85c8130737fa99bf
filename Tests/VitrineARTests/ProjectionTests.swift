import Testing
import VitrineMath
import VitrineVision

@testable import VitrineAR

/// The mapping from camera image to view and the projection over it, for every orientation, wide and tall views.
@Suite struct ProjectionTests {
    private static let viewports: [Vector2] = [[640, 360], [360, 640], [500, 500], [1000, 300], [300, 1000]]
    private static let cases = InterfaceOrientation.allCases.flatMap { orientation in viewports.map { (orientation, $0) } }

    /// An off-centre principal point and different focal lengths.
    private let camera = ARCamera(
        transform: .lookAt(eye: Vector3(0.4, 1.5, 2), target: Vector3(-0.2, 0.3, -0.5), up: normalize(Vector3(0.3, 1, 0.1))),
        model: CameraIntrinsics(width: 640, height: 480, focal: Vector2d(420, 433), center: Vector2d(307, 251)))

    private func frame(_ camera: ARCamera) -> ARFrame {
        ARFrame(timestamp: 0, capturedImage: CapturedImage(luma: Plane(width: 640, height: 480, repeating: 0)), camera: camera)
    }

    /// The pinhole projection of a point in pixels.
    private func pixel(_ point: Vector3) -> Vector2 {
        let inCamera = camera.transform.affineInverse.transform(point: point)
        let projected = camera.intrinsics * Vector3(inCamera.x, -inCamera.y, -inCamera.z)
        return Vector2(projected.x, projected.y) / projected.z
    }

    @Test(arguments: cases) func imagesFillTheView(orientation: InterfaceOrientation, viewport: Vector2) {
        let map = frame(camera).displayTransform(for: orientation, viewportSize: viewport)
        #expect(length(map.transform(point: [0.5, 0.5]) - Vector2(0.5, 0.5)) < 1e-6)
        let corners = [Vector2(0, 0), [1, 0], [0, 1], [1, 1]].map { map.transform(point: $0) }
        let low = corners.reduce(Vector2(9, 9)) { pointwiseMin($0, $1) }
        let high = corners.reduce(Vector2(-9, -9)) { pointwiseMax($0, $1) }
        #expect(low.max() <= 1e-6 && high.min() >= 1 - 1e-6, "a part of the view is not covered")
        #expect(abs(low.max()) < 1e-6 && abs(high.min() - 1) < 1e-6, "the image is larger than necessary")
        // Pixels stay square: both sides of the image have the same scale.
        let (u, v) = (Vector2(map.x.x, map.x.y) * viewport / 640, Vector2(map.y.x, map.y.y) * viewport / 480)
        #expect(abs(length(u) - length(v)) < 1e-4 && abs(dot(u, v)) < 1e-4)
    }

    /// The view positions of the upper left and the upper right corner of the image.
    @Test(arguments: [
        (InterfaceOrientation.landscapeRight, Vector2(0, 0), Vector2(1, 0)), (.landscapeLeft, Vector2(1, 1), Vector2(0, 1)),
        (.portrait, Vector2(1, 0), Vector2(1, 1)), (.portraitUpsideDown, Vector2(0, 1), Vector2(0, 0)),
    ]) func cornersRotateWithTheView(orientation: InterfaceOrientation, first: Vector2, second: Vector2) {
        let map = frame(camera).displayTransform(for: orientation, viewportSize: orientation.isPortrait ? [480, 640] : [640, 480])
        #expect(length(map.transform(point: [0, 0]) - first) < 1e-6)
        #expect(length(map.transform(point: [1, 0]) - second) < 1e-6)
    }

    @Test(arguments: cases) func projectionsMatchTheImage(orientation: InterfaceOrientation, viewport: Vector2) throws {
        let map = frame(camera).displayTransform(for: orientation, viewportSize: viewport)
        let projection = camera.projectionMatrix(for: orientation, viewportSize: viewport, zNear: 0.1, zFar: 50)
        let view = camera.viewMatrix(for: orientation)
        for point in [Vector3(0, 0, 0), [-0.5, 0.6, -1], [0.3, -0.2, 0.4], [-0.2, 0.3, -0.5]] {
            let expected = map.transform(point: pixel(point) / Vector2(640, 480)) * viewport
            let projected = try #require(camera.projectPoint(point, orientation: orientation, viewportSize: viewport))
            #expect(length(projected - expected) < 2e-3)
            let clip = projection * (view * Vector4(point, 1))
            let drawn = Vector2(1 + clip.x / clip.w, 1 - clip.y / clip.w) / 2 * viewport
            #expect(length(drawn - expected) < 2e-3)
            // w is the distance along the viewing direction.
            #expect(abs(clip.w + camera.transform.affineInverse.transform(point: point).z) < 1e-5)
            let back = camera.unprojectPoint(
                projected, ontoPlane: Matrix4(translation: point), orientation: orientation, viewportSize: viewport)
            #expect(length(try #require(back) - point) < 1e-3)
            let query = frame(camera).imagePoint(at: projected, orientation: orientation, viewportSize: viewport)
            #expect(length(query * Vector2(640, 480) - pixel(point)) < 2e-3)
        }
    }

    /// In every orientation of the device, up in the world is up in the view.
    @Test(arguments: InterfaceOrientation.allCases) func upIsUpInEveryOrientation(orientation: InterfaceOrientation) throws {
        // The camera rolled about its axis, for this orientation of the view.
        let roll: Float = [.landscapeRight: 0, .landscapeLeft: .pi, .portrait: -.pi / 2, .portraitUpsideDown: .pi / 2][orientation]!
        let turned = Matrix4(Matrix3(Quaternion(angle: .radians(roll), axis: Vector3(0, 0, 1))))
        let held = ARCamera(transform: turned, model: camera.model)
        let viewport = orientation.isPortrait ? Vector2(480, 640) : [640, 480]
        let low = try #require(held.projectPoint([0, -0.1, -1], orientation: orientation, viewportSize: viewport))
        let high = try #require(held.projectPoint([0, 0.1, -1], orientation: orientation, viewportSize: viewport))
        #expect(high.y < low.y - 50 && abs(high.x - low.x) < 1e-2)
        #expect(held.viewMatrix(for: orientation).isClose(to: .identity))
    }

    @Test func depthsMatchClipSpace() {
        for far in [Float(1000), .infinity] {
            let projection = camera.projectionMatrix(for: .landscapeRight, viewportSize: [640, 480], zNear: 0.001, zFar: far)
            let near = projection * Vector4(0, 0, -0.001, 1)
            #expect(abs(near.z / near.w) < 1e-4)
            let end = projection * Vector4(0, 0, -1000, 1)
            #expect(abs(end.z / end.w - 1) < 1e-5)
        }
    }

    @Test func pointsBehindTheCameraHaveNoProjection() {
        let behind = camera.transform.transform(point: [0, 0, 1])
        #expect(camera.projectPoint(behind, orientation: .portrait, viewportSize: [480, 640]) == nil)
        // A level plane above a camera that looks down.
        let above = Matrix4(translation: Vector3(0, 3, 0))
        let down = ARCamera(transform: .lookAt(eye: .zero, target: Vector3(0, -1, -1)), model: camera.model)
        #expect(down.unprojectPoint([320, 240], ontoPlane: above, orientation: .landscapeRight, viewportSize: [640, 480]) == nil)
    }

    /// A tap on the undistorted image gives the distorted pixel of the captured image.
    @Test func tapsGiveDistortedPixels() throws {
        var model = camera.model
        model.distortion = .brownConrady([-0.28, 0.07, 2e-4, 1e-4])
        let bent = ARCamera(transform: camera.transform, model: model)
        let point = Vector3(-1.4, 1.1, 0.2)
        let view = try #require(bent.projectPoint(point, orientation: .portrait, viewportSize: [480, 640]))
        let inCamera = bent.transform.affineInverse.transform(point: point)
        let seen = model.project(Vector3d(Double(inCamera.x), Double(-inCamera.y), Double(-inCamera.z)))
        let asked = frame(bent).imagePoint(at: view, orientation: .portrait, viewportSize: [480, 640])
        #expect(length(Vector2d(asked) * Vector2d(640, 480) - seen) < 1e-2)
        #expect(length(pixel(point) - Vector2(seen)) > 5, "the lens has no effect here")
    }
}
