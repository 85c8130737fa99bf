import Foundation
import Testing
import VitrineGPU
import VitrineTestSupport
import VitrineVision

@testable import VitrineARView

/// Anchored scenes over the camera image.
@Suite struct ARSceneTests {
    private static let lenses: [LensDistortion] = [
        .brownConrady(.zero), .brownConrady([-0.28, 0.07, 2e-4, -3e-4]), .kannalaBrandt([-0.02, 0.03, -0.02, 0.005]),
    ]

    /// A node in a colour that does not occur in the room.
    private func ball(_ radius: Float) -> Node {
        let node = Node(mesh: Mesh(geometry: .sphere(radius: radius), material: Material(baseColor: Color(sRGB: 0xFF00FF))))
        node.material?.lightingModel = .constant
        return node
    }

    private func isColored(_ c: SIMD3<Int>) -> Float { Float(max(c.max() - c.min() - 8, 0)) }

    private static let floor = UUID()

    private func plane(_ half: Float = 1, height: Float = 0) -> ARPlaneAnchor {
        ARPlaneAnchor(
            transform: Matrix4(translation: [0, height, 0]), identifier: Self.floor, alignment: .horizontal,
            planeExtent: ARPlaneExtent(width: 2 * half, height: 2 * half),
            geometry: ARPlaneGeometry(boundaryVertices: [[-half, 0, -half], [-half, 0, half], [half, 0, half], [half, 0, -half]]))
    }

    /// Along an arc, an object is drawn at the projection of its anchor, and the undistorted image shows a spot of the floor at its projection: both
    /// to half a pixel, for every lens and orientation.
    @Test(arguments: lenses.indices, [InterfaceOrientation.landscapeRight, .portrait])
    func objectsStayAtTheirAnchors(lens: Int, orientation: InterfaceOrientation) throws {
        let renderer = try ARSceneRenderer(GPUDevice.make())
        let content = AnchoredScene()
        let position = Vector3(0.24, 0.1, -0.12)
        let anchor = ARAnchor(transform: Matrix4(translation: position))
        content.attach(ball(0.03), to: anchor)
        var room = TestRoom(isPlain: true)
        room.camera.distortion = Self.lenses[lens]
        let (width, height) = orientation.isPortrait ? (180, 240) : (240, 180)
        let viewport = Vector2(Float(width), Float(height))
        for step in 0..<5 {
            let frame = room.frame(TestRoom.pose(Float(step) / 4), anchors: [anchor])
            let image = try renderer.image(of: content, in: frame, width: width, height: height, orientation: orientation)
            let expected = try #require(frame.camera.projectPoint(position, orientation: orientation, viewportSize: viewport))
            let (drawn, weight) = image.centroid(isColored)
            #expect(weight > 5000)
            #expect(length(drawn - expected) < 0.5, "\(step): drawn at \(drawn), projected to \(expected)")
            let spot = try #require(frame.camera.projectPoint(.zero, orientation: orientation, viewportSize: viewport))
            let seen = image.centroid { c in c.max() - c.min() < 4 && c.x < 140 && c.x > 10 ? Float(153 - c.x) : 0 }
            #expect(length(seen.centroid - spot) < 0.5, "\(step): the spot is seen at \(seen.centroid), projected to \(spot)")
        }
    }

    /// The distortion of the lenses is large enough for the test above to detect a missing undistortion.
    @Test func lensesMovePointsByPixels() {
        for lens in Self.lenses.dropFirst() {
            var camera = TestRoom().camera
            camera.distortion = lens
            let point = Vector2d(0.4, 0.3)
            #expect(length((camera.distortion.distort(point) - point) * camera.focal) > 2)
        }
    }

    @Test func cubeInARoom() throws {
        let renderer = try ARSceneRenderer(GPUDevice.make())
        let content = AnchoredScene()
        let anchor = ARAnchor(transform: Matrix4(Matrix3(Quaternion(angle: .degrees(25), axis: .up)), translation: [0, 0, 0]))
        let cube = Node(
            mesh: Mesh(
                geometry: .box(size: Vector3(repeating: 0.3), chamferRadius: 0.02),
                material: Material(baseColor: Color(sRGB: 0xE4572E), roughness: 0.35)))
        cube.position = [0, 0.15, 0]
        content.attach(cube, to: anchor)
        var room = TestRoom()
        room.camera = CameraIntrinsics(width: 320, height: 240, focal: Vector2d(250, 250), center: Vector2d(160, 120))
        let frame = room.frame(TestRoom.pose(0.3), anchors: [plane(), anchor])
        let image = try renderer.image(of: content, in: frame, width: 320, height: 240)
        try GoldenImage.check(image, named: "cube-in-a-room")
        // The shadow makes the image darker.
        content.receivesShadows = false
        let without = try renderer.image(of: content, in: frame, width: 320, height: 240)
        let (shadow, plain) = (mean(image), mean(without))
        #expect(shadow < plain - 0.5)
        // Pixels far from the cube are unchanged.
        for (x, y) in [(4, 4), (300, 20), (10, 230), (312, 232)] { #expect(image.levels(x, y) == without.levels(x, y)) }
    }

    private func mean(_ image: Image) -> Float {
        var sum: Float = 0
        for y in 0..<image.height {
            for x in 0..<image.width { sum += Float(image.levels(x, y)[0] + image.levels(x, y)[1] + image.levels(x, y)[2]) }
        }
        return sum / Float(3 * image.width * image.height)
    }

    /// Planes that move, probes that change and objects that are removed: an hour of them needs no more GPU memory than a minute.
    @Test func removedContentIsFreed() throws {
        let renderer = try ARSceneRenderer(GPUDevice.make())
        let content = AnchoredScene()
        let room = TestRoom(isPlain: true)
        let pose = Matrix4.lookAt(eye: [0, 0.8, 0.8], target: .zero)
        let stays = ARAnchor(transform: .identity)
        content.attach(ball(0.1), to: stays)
        var memory: [Int] = []
        for step in 0..<8 {
            let anchor = ARAnchor(transform: Matrix4(translation: [0.2, 0, 0]))
            content.attach(Node(mesh: Mesh(geometry: .sphere(radius: 0.05, segments: 64), material: Material())), to: anchor)
            let map = try Image(width: 64, height: 32, format: .rgba32Float, bytes: [UInt8](repeating: 60, count: 64 * 32 * 16))
            let probe = AREnvironmentProbeAnchor(transform: .identity, extent: [1, 1, 1], environmentTexture: map)
            // Beyond the tolerance of a plane that stays: its receiver is made again.
            let anchors = [stays, anchor, probe, plane(height: step % 2 == 0 ? -0.06 : -0.1)]
            _ = try renderer.image(of: content, in: room.frame(pose, anchors: anchors), width: 80, height: 60)
            memory.append(renderer.statistics.gpuMemory)
            content.detach(from: anchor)
        }
        #expect(memory[7] <= memory[3], "\(memory)")
    }

    /// A shadow is visible on the plane and nowhere else, and fades at its edge.
    @Test func shadowsEndAtThePlanesOutline() throws {
        let renderer = try ARSceneRenderer(GPUDevice.make())
        var room = TestRoom(isPlain: true)
        room.spotRadius = 0
        let pose = Matrix4.lookAt(eye: [0, 1.6, 0.01], target: .zero)
        func shadow(_ anchors: [ARAnchor], standsOnGround: Bool = false) throws -> Image {
            let content = AnchoredScene()
            let anchor = ARAnchor(transform: .identity)
            let box = Node(mesh: Mesh(geometry: .box(size: [0.2, 0.3, 0.2]), material: Material()))
            box.position = [0, 0.15, 0]
            content.attach(box, to: anchor, standsOnGround: standsOnGround)
            return try renderer.image(of: content, in: room.frame(pose, anchors: anchors + [anchor]), width: 160, height: 120)
        }
        let (none, whole, own) = (try shadow([]), try shadow([plane()]), try shadow([], standsOnGround: true))
        // The right half of the floor only.
        let half = ARPlaneAnchor(
            transform: .identity, alignment: .horizontal, planeExtent: ARPlaneExtent(width: 1, height: 2),
            geometry: ARPlaneGeometry(boundaryVertices: [[0, 0, -1], [0, 0, 1], [1, 0, 1], [1, 0, -1]]))
        let right = try shadow([half])
        var darkening = (left: 0, right: 0, rightOnly: 0, wrong: 0)
        for y in 0..<120 {
            for x in 0..<160 {
                let lost = none.levels(x, y).x - whole.levels(x, y).x
                if x < 70 { darkening.left += lost }
                if x > 85 { darkening.right += lost }
                if x < 70, length(SIMD3<Float>(right.levels(x, y) &- none.levels(x, y))) > 3 { darkening.wrong += 1 }
                if x > 85 { darkening.rightOnly += none.levels(x, y).x - right.levels(x, y).x }
            }
        }
        #expect(darkening.left > 500 && darkening.right > 500 && darkening.wrong == 0)
        #expect(abs(darkening.rightOnly - darkening.right) < darkening.right / 10)
        #expect(abs(mean(own) - mean(whole)) < 0.05)
        // The shadow fades towards the edge of the plane, which is at the column 80.
        func share(_ columns: Range<Int>) -> Float {
            var (part, all) = (0, 0)
            for y in 0..<120 {
                for x in columns {
                    part += none.levels(x, y).x - right.levels(x, y).x
                    all += none.levels(x, y).x - whole.levels(x, y).x
                }
            }
            return Float(part) / Float(max(all, 1))
        }
        let shares = [share(80..<83), share(83..<86), share(86..<89), share(92..<100)]
        #expect(shares[0] > 0.2 && shares[0] < 0.6 && shares[3] > 0.95, "\(shares)")
        #expect(shares[1] > shares[0] + 0.2 && shares[1] < 0.98, "\(shares)")
    }

    /// The centroid and the darkness of a shadow, seen from above.
    private func shadow(_ renderer: ARSceneRenderer, _ content: AnchoredScene, _ anchors: [ARAnchor], depth: Float? = nil) throws -> (
        centroid: Vector2, weight: Float
    ) {
        var room = TestRoom(isPlain: true)
        room.spotRadius = 0
        let measured = depth.map { DepthImage(metres: Plane(width: 8, height: 6, repeating: $0)) }
        let frame = room.frame(.lookAt(eye: [0, 1.6, 0.01], target: .zero), anchors: anchors, depth: measured)
        let image = try renderer.image(of: content, in: frame, width: 160, height: 120)
        return image.centroid { Float(max(153 - $0.x, 0)) }
    }

    /// The shadow of a moving object moves with it in every frame; once the object stops, the shadow is rendered at full resolution.
    @Test func shadowsMoveWithTheirObjects() throws {
        let renderer = try ARSceneRenderer(GPUDevice.make())
        let content = AnchoredScene()
        let anchor = ARAnchor(transform: .identity)
        let box = Node(mesh: Mesh(geometry: .box(size: [0.12, 0.12, 0.12]), material: Material(baseColor: Color(sRGB: 0x999999))))
        box.isHidden = false
        content.attach(box, to: anchor)
        var seen: [(centroid: Vector2, weight: Float)] = []
        for x: Float in [-0.3, -0.15, 0, 0.15, 0.15, 0.15] {
            box.position = [x, 0.06, 0]
            seen.append(try shadow(renderer, content, [plane(), anchor]))
        }
        for index in 1..<4 { #expect(abs(seen[index].centroid.x - seen[index - 1].centroid.x - 0.15 / 1.6 * 125) < 2.5, "\(seen)") }
        // The first frame after the object stops; then the shadow does not change.
        #expect(length(seen[4].centroid - seen[3].centroid) < 1 && abs(seen[4].weight / seen[3].weight - 1) < 0.15, "\(seen)")
        #expect(seen[5] == seen[4])
    }

    /// A growing plane shows more of the same shadow. Depth in front of the plane hides the shadow.
    @Test func shadowsStayWhilePlanesGrow() throws {
        let renderer = try ARSceneRenderer(GPUDevice.make())
        let content = AnchoredScene()
        let anchor = ARAnchor(transform: .identity)
        let box = Node(mesh: Mesh(geometry: .box(size: [0.12, 0.12, 0.12]), material: Material(baseColor: Color(sRGB: 0x999999))))
        box.position = [0, 0.06, 0]
        content.attach(box, to: anchor)
        let small = try shadow(renderer, content, [plane(0.08), anchor])
        let large = try shadow(renderer, content, [plane(), anchor])
        #expect(large.weight > small.weight * 1.2)
        #expect(try shadow(renderer, content, [plane(1.5), anchor]) == large)
        // A small correction of the plane keeps the cached shadow; a larger one does not.
        #expect(try shadow(renderer, content, [plane(1.5, height: -0.015), anchor]) == large)
        #expect(try shadow(renderer, content, [plane(1.5, height: -0.03), anchor]) != large)
        #expect(try shadow(renderer, content, [plane(1.5), anchor], depth: 0.5).weight == 0)
        #expect(try shadow(renderer, content, [plane(1.5), anchor], depth: 1.7).weight > large.weight * 0.95)
    }

    /// Depth in front of the ball occludes it, in the left half of the image.
    @Test func depthOccludes() throws {
        let renderer = try ARSceneRenderer(GPUDevice.make())
        let content = AnchoredScene()
        let anchor = ARAnchor(transform: .identity)
        content.attach(ball(0.3), to: anchor)
        let room = TestRoom(isPlain: true)
        let pose = Matrix4.lookAt(eye: Vector3(0, 0, 2), target: .zero)
        func weight(_ left: Float, _ right: Float, confidence: UInt8? = nil) throws -> (left: Float, right: Float) {
            var metres = Plane<Float>(width: 40, height: 30, repeating: right)
            for y in 0..<30 { for x in 0..<19 { metres[x, y] = left } }
            let depth = DepthImage(metres: metres, confidence: confidence.map { Plane(width: 40, height: 30, repeating: $0) })
            let image = try renderer.image(of: content, in: room.frame(pose, anchors: [anchor], depth: depth), width: 160, height: 120)
            var sums: (left: Float, right: Float) = (0, 0)
            for y in 0..<120 {
                for x in 0..<160 {
                    let share = min(isColored(image.levels(x, y)), 1)
                    if x < 76 { sums.left += share } else { sums.right += share }
                }
            }
            return sums
        }
        let (all, none, half) = (try weight(0, 0), try weight(1, 1), try weight(1, 3))
        #expect(all.left > 300 && all.right > 300)
        #expect(none == (0, 0))
        #expect(half == (0, all.right))
        #expect(try weight(1, 1, confidence: 0) == all, "low confidence occludes nothing")
        // The ball's front is 1.7 m away: depth behind it does not occlude it.
        #expect(try weight(2.05, 2.05).left > 300)
        renderer.isOccludedByDepth = false
        #expect(try weight(1, 1) == all)
    }

    /// Light is proportional to the ambient intensity; a low colour temperature gives warm light.
    @Test func lightFollowsTheEstimate() throws {
        let renderer = try ARSceneRenderer(GPUDevice.make())
        renderer.options.toneMapping = .none
        let content = AnchoredScene()
        let anchor = ARAnchor(transform: .identity)
        content.attach(
            Node(mesh: Mesh(geometry: .sphere(radius: 0.5), material: Material(baseColor: Color(white: 0.7), roughness: 1))), to: anchor)
        let base = TestRoom(isPlain: true).frame(.lookAt(eye: Vector3(0, 0, 2), target: .zero), anchors: [anchor])
        func color(_ estimate: ARLightEstimate?) throws -> Vector3 {
            let frame = ARFrame(
                timestamp: 0, capturedImage: base.capturedImage, camera: base.camera, anchors: base.anchors, lightEstimate: estimate)
            let c = try renderer.image(of: content, in: frame, width: 160, height: 120).levels(77, 62)
            return Vector3(linearFromSRGB(Float(c.x) / 255), linearFromSRGB(Float(c.y) / 255), linearFromSRGB(Float(c.z) / 255))
        }
        let neutral = try color(ARLightEstimate())
        let dim = try color(ARLightEstimate(ambientIntensity: 500))
        let warm = try color(ARLightEstimate(ambientColorTemperature: 3000))
        #expect(length(dim / neutral - Vector3(repeating: 0.5)) < 0.02)
        #expect(try color(nil) == neutral)
        #expect(warm.x / warm.z > 1.5 * neutral.x / neutral.z)
        let luminance = Vector3(0.2126, 0.7152, 0.0722)
        #expect(abs(dot(warm, luminance) / dot(neutral, luminance) - 1) < 0.03)
    }

    @Test func nodesWithoutTheirAnchorAreHidden() throws {
        let renderer = try ARSceneRenderer(GPUDevice.make())
        let content = AnchoredScene()
        let anchor = ARAnchor(transform: .identity)
        content.attach(ball(0.1), to: anchor)
        let room = TestRoom(isPlain: true)
        func weight(_ anchors: [ARAnchor]) throws -> Float {
            try renderer.image(of: content, in: room.frame(TestRoom.pose(0.5), anchors: anchors), width: 160, height: 120)
                .centroid(isColored).weight
        }
        #expect(try weight([anchor]) > 0)
        #expect(try weight([]) == 0)
        #expect(renderer.statistics == FrameStatistics())
        #expect(try weight([anchor]) > 0)
        content.detach(from: anchor)
        #expect(try weight([anchor]) == 0 && content.nodes(on: anchor).isEmpty)
    }

    @Test func regionsCoverTheBounds() throws {
        let size = (width: 640, height: 360)
        #expect(PixelRectangle(from: [700, 10], to: [720, 20], in: size) == nil)
        #expect(PixelRectangle(from: [.infinity, .infinity], to: [-.infinity, -.infinity], in: size) == nil)
        let region = try #require(PixelRectangle(from: [600.5, -20], to: [700, 40.2], in: size))
        #expect(region == PixelRectangle(x: 576, y: 0, width: 64, height: 64))
        #expect(PixelRectangle(from: [10, 10], to: [40, 40], in: size, keeping: (96, 64))?.width == 96)
    }
}
