import Testing
import VitrineTestSupport
import VitrineVision

@testable import VitrineARView

/// The short renderer, and what both renderers have to keep: things stay where they were put.
@Suite struct ARRendererTests {
    private func picture(
        _ renderer: ARRenderer, _ frame: ARFrame, width: Int = 160, height: Int = 120,
        orientation: InterfaceOrientation = .landscapeRight
    ) throws -> Image {
        let target = try OffscreenTarget(renderer.device, width: width, height: height)
        try renderer.draw(frame, to: target.view, orientation: orientation)
        return try target.image()
    }

    /// Colours that no camera picture of the test room has.
    private func isColored(_ c: SIMD3<Int>) -> Float { c.max() - c.min() > 24 ? 1 : 0 }

    @Test func cubeOnTheFloor() throws {
        let renderer = try ARRenderer(GPUDevice.make(), geometry: .box(size: Vector3(repeating: 0.2)))
        let anchors = [Vector3(0, 0.1, 0), [0.5, 0.1, -0.3], [-0.4, 0.1, 0.3]].map { place in
            ARAnchor(transform: Matrix4(Matrix3(Quaternion(angle: .radians(place.x), axis: .up)), translation: place))
        }
        let frame = TestRoom().frame(TestRoom.pose(0.3), anchors: anchors)
        let picture = try picture(renderer, frame)
        #expect(renderer.drawnAnchorCount == 3)
        try GoldenImage.check(picture, named: "ar-renderer")
        try GoldenImage.check(
            try self.picture(renderer, frame, width: 120, height: 160, orientation: .portrait), named: "ar-renderer-portrait")
    }

    /// Over the replay of an arc, a cube's centre is drawn where the anchor is projected, in every orientation.
    @Test(arguments: InterfaceOrientation.allCases) func cubesStayPut(orientation: InterfaceOrientation) throws {
        let renderer = try ARRenderer(GPUDevice.make(), geometry: .sphere(radius: 0.03))
        let place = Vector3(0.02, 0, -0.03)
        let size = orientation.isPortrait ? (width: 180, height: 240) : (width: 240, height: 180)
        for step in 0..<6 {
            let frame = TestRoom().frame(TestRoom.pose(Float(step) / 5), anchors: [ARAnchor(transform: Matrix4(translation: place))])
            let picture = try picture(renderer, frame, width: size.width, height: size.height, orientation: orientation)
            let viewport = Vector2(Float(size.width), Float(size.height))
            let expected = try #require(frame.camera.projectPoint(place, orientation: orientation, viewportSize: viewport))
            let (found, weight) = picture.centroid(isColored)
            #expect(weight > 20)
            #expect(length(found - expected) < 0.5, "\(step): drawn at \(found), projected to \(expected)")
        }
    }

    @Test func newestAnchorsAreKept() throws {
        let anchors = (0..<70).map { ARAnchor(transform: Matrix4(translation: Vector3(Float($0), 0, 0))) }
        let models = ARRenderer.models(anchors)
        #expect(models.count == 64 && models[0].translation.x == 6 && models[63].translation.x == 69)
        #expect(models[0].z == Vector4(0, 0, -1, 0), "z is flipped")
    }

    @Test func sharedUniformsAreTheReferences() {
        let frame = ARFrame(
            timestamp: 0, capturedImage: CapturedImage(luma: Plane(width: 160, height: 120, repeating: 0)),
            camera: ARCamera(transform: TestRoom.pose(0.2), model: TestRoom().camera), lightEstimate: ARLightEstimate(ambientIntensity: 600)
        )
        let v = SharedUniforms(frame, .landscapeRight, [160, 120]).vectors
        #expect(abs(v[8].x - 0.3) < 1e-6 && v[9].xyz == Vector3(repeating: 0.6) && v[10] == Vector4(0, 0, -1, 30))
        #expect(v[11] == Vector4(0, 0, 1, 0) && v[12] == Vector4(0, 1, 1, 1))
        #expect(Matrix4(v[4], v[5], v[6], v[7]).isClose(to: frame.camera.transform.affineInverse))
        let projection = Matrix4(v[0], v[1], v[2], v[3])
        #expect(abs((projection * Vector4(0, 0, -0.001, 1)).z) < 1e-7)
        let far = projection * Vector4(0, 0, -1000, 1)
        #expect(abs(far.z / far.w - 1) < 1e-5)
    }

    /// BT.601, full range, with the reference's own coefficients.
    @Test func cameraColors() throws {
        let renderer = try ARRenderer(GPUDevice.make())
        let image = CapturedImage(
            luma: Plane(width: 4, height: 4, repeating: 120),
            chroma: [UInt8](repeating: 0, count: 8).indices.map { $0 % 2 == 0 ? 100 : 180 },
            matrix: .bt709, range: .video)
        let frame = ARFrame(
            timestamp: 0, capturedImage: image, camera: ARCamera(model: TrackingCamera(width: 4, height: 4, verticalFieldOfView: 1)))
        let seen = try picture(renderer, frame, width: 4, height: 4).levels(2, 2)
        let (cb, cr) = (Float(100 - 128), Float(180 - 128))
        let expected = Vector3(120 + 1.402 * cr, 120 - 0.3441 * cb - 0.7141 * cr, 120 + 1.772 * cb)
        for channel in 0..<3 { #expect(abs(Float(seen[channel]) - expected[channel]) < 1.01) }
    }

    @Test func backFacesAreCulledAfterTheFlip() throws {
        // A square that faces +Z before the flip, −Z after it: seen from there only.
        let renderer = try ARRenderer(GPUDevice.make(), geometry: .plane(width: 0.3, height: 0.3))
        var room = TestRoom()
        (room.isPlain, room.spotRadius) = (true, 0)
        let anchor = ARAnchor(transform: Matrix4(translation: [0, 0.3, 0]))
        let front = room.frame(.lookAt(eye: Vector3(0, 0.3, -1), target: Vector3(0, 0.3, 0)), anchors: [anchor])
        let back = room.frame(.lookAt(eye: Vector3(0, 0.3, 1), target: Vector3(0, 0.3, 0)), anchors: [anchor])
        #expect(try picture(renderer, front).centroid(isColored).weight > 500)
        #expect(try picture(renderer, back).centroid(isColored).weight == 0)
    }

    @Test func otherTargetsAreRefused() throws {
        let device = try GPUDevice.make()
        let target = try OffscreenTarget(device, width: 8, height: 8, content: .radiance)
        #expect(throws: GPUError.self) { try ARRenderer(device).draw(TestRoom().frame(TestRoom.pose(0)), to: target.view) }
    }
}
