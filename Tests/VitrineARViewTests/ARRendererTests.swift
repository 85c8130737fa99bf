import Testing
import VitrineGPU
import VitrineRender
import VitrineTestSupport
import VitrineVision

@testable import VitrineARView

/// The low-level renderer: geometry at anchors over the camera image.
@Suite struct ARRendererTests {
    private func render(
        _ renderer: ARRenderer, _ frame: ARFrame, width: Int = 160, height: Int = 120,
        orientation: InterfaceOrientation = .landscapeRight
    ) throws -> Image {
        try renderer.image(of: frame, width: width, height: height, orientation: orientation)
    }

    /// Colours that do not occur in the camera images of the test room.
    private func isColored(_ c: SIMD3<Int>) -> Float { c.max() - c.min() > 24 ? 1 : 0 }

    @Test func cubeOnTheFloor() throws {
        let renderer = try ARRenderer(GPUDevice.make(), geometry: .box(size: Vector3(repeating: 0.2)))
        let anchors = [Vector3(0, 0.1, 0), [0.5, 0.1, -0.3], [-0.4, 0.1, 0.3]].map { position in
            ARAnchor(transform: Matrix4(Matrix3(Quaternion(angle: .radians(position.x), axis: .up)), translation: position))
        }
        let frame = TestRoom().frame(TestRoom.pose(0.3), anchors: anchors)
        let image = try render(renderer, frame)
        #expect(renderer.drawnAnchorCount == 3)
        try GoldenImage.check(image, named: "ar-renderer")
        try GoldenImage.check(
            try render(renderer, frame, width: 120, height: 160, orientation: .portrait), named: "ar-renderer-portrait")
    }

    /// Along an arc, a sphere is drawn at the projection of its anchor, in every orientation.
    @Test(arguments: InterfaceOrientation.allCases) func geometryStaysAtItsAnchor(orientation: InterfaceOrientation) throws {
        let renderer = try ARRenderer(GPUDevice.make(), geometry: .sphere(radius: 0.03))
        let position = Vector3(0.02, 0, -0.03)
        let size = orientation.isPortrait ? (width: 180, height: 240) : (width: 240, height: 180)
        for step in 0..<6 {
            let frame = TestRoom().frame(TestRoom.pose(Float(step) / 5), anchors: [ARAnchor(transform: Matrix4(translation: position))])
            let image = try render(renderer, frame, width: size.width, height: size.height, orientation: orientation)
            let viewport = Vector2(Float(size.width), Float(size.height))
            let expected = try #require(frame.camera.projectPoint(position, orientation: orientation, viewportSize: viewport))
            let (found, weight) = image.centroid(isColored)
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

    private func matrix(_ m: ShaderMatrix4) -> Matrix4 { Matrix4(m.x, m.y, m.z, m.w) }

    @Test func sharedUniformsMatchTheReference() {
        let frame = ARFrame(
            timestamp: 0, capturedImage: CapturedImage(luma: Plane(width: 160, height: 120, repeating: 0)),
            camera: ARCamera(transform: TestRoom.pose(0.2), model: TestRoom().camera), lightEstimate: ARLightEstimate(ambientIntensity: 600)
        )
        let uniforms = SharedUniforms(frame, .landscapeRight, [160, 120])
        #expect(abs(uniforms.ambient.x - 0.3) < 1e-6 && abs(uniforms.directional.x - 0.36) < 1e-6)
        #expect(uniforms.light == Vector4(0, 0, -1, 30))
        #expect(uniforms.eye.xyz == frame.camera.transform.translation)
        #expect(uniforms.upperCorners == Vector4(0, 0, 1, 0) && uniforms.lowerCorners == Vector4(0, 1, 1, 1))
        #expect(matrix(uniforms.cameraFromWorld).isClose(to: frame.camera.transform.affineInverse))
        let projection = matrix(uniforms.clipFromCamera)
        // Reverse depth.
        let (near, far) = (projection * Vector4(0, 0, -0.001, 1), projection * Vector4(0, 0, -1000, 1))
        #expect(abs(near.z / near.w - 1) < 1e-5)
        #expect(abs(far.z / far.w) < 1e-9)
    }

    /// BT.601, full range, with the coefficients of the reference.
    @Test func cameraColors() throws {
        let renderer = try ARRenderer(GPUDevice.make())
        let image = CapturedImage(
            luma: Plane(width: 4, height: 4, repeating: 120),
            chroma: [UInt8](repeating: 0, count: 8).indices.map { $0 % 2 == 0 ? 100 : 180 },
            matrix: .bt709, range: .video)
        let frame = ARFrame(
            timestamp: 0, capturedImage: image, camera: ARCamera(model: CameraIntrinsics(width: 4, height: 4, verticalFieldOfView: 1)))
        let seen = try render(renderer, frame, width: 4, height: 4).levels(2, 2)
        let (cb, cr) = (Float(100 - 128), Float(180 - 128))
        let expected = Vector3(120 + 1.402 * cr, 120 - 0.3441 * cb - 0.7141 * cr, 120 + 1.772 * cb)
        for channel in 0..<3 { #expect(abs(Float(seen[channel]) - expected[channel]) < 1.01) }
    }

    /// The colour of a square of 4 cm at the origin, seen from `eye` in the centre of the image. Its geometry faces +z: after the flip of z it faces
    /// −z, rotated by `rotation`.
    private func square(_ rotation: Quaternion, from eye: Vector3, intensity: Float?) throws -> Vector3 {
        let renderer = try ARRenderer(GPUDevice.make(), geometry: .plane(width: 0.04, height: 0.04))
        let camera = CameraIntrinsics(width: 160, height: 120, focal: Vector2d(125, 125), center: Vector2d(80, 60))
        let frame = ARFrame(
            timestamp: 0, capturedImage: CapturedImage(luma: Plane(width: 160, height: 120, repeating: 0)),
            camera: ARCamera(transform: .lookAt(eye: eye, target: .zero), model: camera),
            anchors: [ARAnchor(transform: Matrix4(Matrix3(rotation), translation: .zero))],
            lightEstimate: intensity.map { ARLightEstimate(ambientIntensity: $0) })
        // The centre of the square is the corner of four pixels.
        let image = try render(renderer, frame)
        let levels = [(79, 59), (80, 59), (79, 60), (80, 60)].map { image.levels($0.0, $0.1) }
        return levels.reduce(Vector3.zero) { $0 + Vector3(Float($1.x), Float($1.y), Float($1.z)) } / 4
    }

    /// Ambient 0.5 × E, directional 0.6 × E along (0, 0, −1) in the world, E = ambientIntensity / 1000, shininess 30. The camera moves around the
    /// square, the light does not.
    @Test(
        arguments: [
            // Angles of the normal and the eye about y (180: +z, opposite to the light's direction), ambientIntensity.
            (Float(180), Float(180), Float(1000)), (180, 180, 500), (180, 140, 500), (150, 180, 500), (160, 140, 250), (160, 200, 0),
            (40, 0, 1000), (0, 0, 500), (150, 120, 300),
        ])
    func lightMatchesTheReference(normal: Float, eye: Float, intensity: Float) throws {
        let position = Vector3(-0.3 * sin(eye * .pi / 180), 0, -0.3 * cos(eye * .pi / 180))
        let seen = try square(Quaternion(angle: .degrees(normal), axis: .up), from: position, intensity: intensity)
        let n = Vector3(-sin(normal * .pi / 180), 0, -cos(normal * .pi / 180))
        let (toLight, toEye) = (Vector3(0, 0, 1), normalize(position))
        let halfway = normalize(toLight + toEye)
        let factor = intensity / 1000
        let diffuse = max(dot(n, toLight), 0)
        let highlight = length(toLight + toEye) > 1e-3 ? pow(max(dot(n, halfway), 0), 30) : 0
        // The front of the geometry is white.
        let expected = min(0.5 * factor + 0.6 * factor * (diffuse + highlight), 1) * 255
        for channel in 0..<3 { #expect(abs(seen[channel] - expected) < 2, "\(seen), expected \(expected)") }
    }

    /// Without an estimate the light is neutral: white from straight ahead is 0.5 + 0.6 + 0.6, cut off at 1; from the side of the camera 0.5.
    @Test func lightWithoutAnEstimateIsNeutral() throws {
        let away = try square(.identity, from: [0, 0, -0.3], intensity: nil)
        #expect(abs(away.x - 127.5) < 1.5 && abs(away.y - 127.5) < 1.5)
    }

    /// Six faces, six colours, before the flip of z: right green, left red, top blue, bottom orange, front white, back yellow.
    @Test func facesHaveSixColors() throws {
        let renderer = try ARRenderer(GPUDevice.make(), geometry: .box(size: Vector3(repeating: 0.05)))
        let camera = CameraIntrinsics(width: 160, height: 120, focal: Vector2d(125, 125), center: Vector2d(80, 60))
        // Seen from far enough along each axis of the anchor; z is flipped: the geometry's front lies towards −z.
        let faces: [(Vector3, Vector3)] = [
            ([1, 0, 0], [0, 1, 0]), ([-1, 0, 0], [1, 0, 0]), ([0, 1, 0], [0, 0, 1]), ([0, -1, 0], [1, 0.5, 0]), ([0, 0, -1], [1, 1, 1]),
            ([0, 0, 1], [1, 1, 0]),
        ]
        for (side, color) in faces {
            let up: Vector3 = side.y == 0 ? [0, 1, 0] : [0, 0, 1]
            let frame = ARFrame(
                timestamp: 0, capturedImage: CapturedImage(luma: Plane(width: 160, height: 120, repeating: 0)),
                camera: ARCamera(transform: .lookAt(eye: side * 0.4, target: .zero, up: up), model: camera),
                anchors: [ARAnchor(transform: .identity)], lightEstimate: ARLightEstimate(ambientIntensity: 400))
            let seen = try render(renderer, frame).levels(80, 60)
            // The face towards +z has the full diffuse light and highlight; for the sides the half vector is at 45°.
            let toLight = side.z
            let halfway: Float = toLight > 0 ? 1 : toLight < 0 ? 0 : pow(Float(0.5).squareRoot(), 30)
            let light = 0.4 * (0.5 + 0.6 * (max(toLight, 0) + halfway))
            for channel in 0..<3 { #expect(abs(Float(seen[channel]) - color[channel] * light * 255) < 2, "\(side): \(seen)") }
        }
    }

    /// Frames drawn while the GPU works on the previous two have the same bytes as frames drawn alone.
    @Test func threeFramesMayBeInFlight() throws {
        let renderer = try ARRenderer(GPUDevice.make(), geometry: .box(size: Vector3(repeating: 0.2)))
        let frames = (0..<5).map { step in
            TestRoom().frame(
                TestRoom.pose(Float(step) / 4),
                anchors: (0...step).map { ARAnchor(transform: Matrix4(translation: [0.3 * Float($0), 0, 0])) })
        }
        let targets = try frames.map { _ in try OffscreenTarget(renderer.device, width: 160, height: 120) }
        var slots: [Int] = []
        for (frame, target) in zip(frames, targets) {
            try renderer.draw(frame, to: target.view)
            slots.append(renderer.slot)
        }
        #expect(slots == [1, 2, 0, 1, 2])
        for (frame, target) in zip(frames, targets) { #expect(try target.image().bytes == render(renderer, frame).bytes) }
    }

    /// Y at full size, Cb and Cr at half the size, without conversion.
    @Test func planesAreUploadedUnchanged() throws {
        let planes = try CameraPlanes(GPUDevice.make())
        let chroma = (0..<2 * 4 * 3).map { UInt8($0) }
        try planes.upload(CapturedImage(luma: Plane(width: 7, height: 5, repeating: 9), chroma: chroma))
        #expect(planes.luma.format == .r8Unorm && planes.chroma.format == .rg8Unorm)
        #expect(planes.luma.texture.width == 7 && planes.luma.texture.height == 5)
        #expect(planes.chroma.texture.width == 4 && planes.chroma.texture.height == 3)
    }

    /// The inverse display transform gives the texture coordinates of the view's corners.
    @Test(arguments: InterfaceOrientation.allCases) func cornersFollowTheDisplayTransform(orientation: InterfaceOrientation) {
        let frame = TestRoom().frame(TestRoom.pose(0.2))
        let viewport = Vector2(200, 300)
        let uniforms = SharedUniforms(frame, orientation, viewport)
        let inverse = frame.displayTransform(for: orientation, viewportSize: viewport).inverse
        for (corners, y) in [(uniforms.upperCorners, Float(0)), (uniforms.lowerCorners, 1)] {
            let (left, right) = (inverse * Vector3(0, y, 1), inverse * Vector3(1, y, 1))
            #expect(length(corners - Vector4(left.x, left.y, right.x, right.y)) < 1e-6)
        }
    }

    @Test func backFacesAreCulledAfterTheFlip() throws {
        // A square that faces +z before the flip and −z after it: visible from −z only.
        let renderer = try ARRenderer(GPUDevice.make(), geometry: .plane(width: 0.3, height: 0.3))
        var room = TestRoom()
        (room.isPlain, room.spotRadius) = (true, 0)
        let anchor = ARAnchor(transform: Matrix4(translation: [0, 0.3, 0]))
        let front = room.frame(.lookAt(eye: Vector3(0, 0.3, -1), target: Vector3(0, 0.3, 0)), anchors: [anchor])
        let back = room.frame(.lookAt(eye: Vector3(0, 0.3, 1), target: Vector3(0, 0.3, 0)), anchors: [anchor])
        func changed(_ frame: ARFrame, from pose: Matrix4) throws -> Int {
            let (with, without) = (try render(renderer, frame), try render(renderer, room.frame(pose)))
            return (0..<120).reduce(0) { sum, y in sum + (0..<160).count { with.levels($0, y) != without.levels($0, y) } }
        }
        #expect(try changed(front, from: .lookAt(eye: Vector3(0, 0.3, -1), target: Vector3(0, 0.3, 0))) > 500)
        #expect(try changed(back, from: .lookAt(eye: Vector3(0, 0.3, 1), target: Vector3(0, 0.3, 0))) == 0)
    }

    @Test func linearTargetsAreRejected() throws {
        let device = try GPUDevice.make()
        let target = try OffscreenTarget(device, width: 8, height: 8, content: .radiance)
        #expect(throws: GPUError.self) { try ARRenderer(device).draw(TestRoom().frame(TestRoom.pose(0)), to: target.view) }
    }
}
