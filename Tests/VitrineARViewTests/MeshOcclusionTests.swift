import Testing
import VitrineGPU
import VitrineTestSupport
import VitrineVision

@testable import VitrineARView

/// Real surfaces of the mesh hide virtual objects behind them.
@Suite struct MeshOcclusionTests {
    /// A square of `size` metres in x and y around the anchor's origin that faces +z.
    private func wall(_ size: Float, at position: Vector3) -> ARMeshAnchor {
        let half = size / 2
        return ARMeshAnchor(
            transform: Matrix4(translation: position),
            geometry: ARMeshGeometry(
                vertices: [Vector3(-half, -half, 0), Vector3(half, -half, 0), Vector3(half, half, 0), Vector3(-half, half, 0)],
                normals: Array(repeating: Vector3(0, 0, 1), count: 4), faces: [SIMD3(0, 1, 2), SIMD3(0, 2, 3)]))
    }

    private func isColored(_ c: SIMD3<Int>) -> Float { c.max() - c.min() > 60 ? 1 : 0 }

    @Test func meshesHideWhatIsBehindThem() throws {
        let renderer = try ARSceneRenderer(GPUDevice.make())
        let content = AnchoredScene()
        content.receivesShadows = false
        let ball = Node(mesh: Mesh(geometry: .sphere(radius: 0.2), material: Material(baseColor: Color(sRGB: 0xFF00FF))))
        ball.material?.lightingModel = .constant
        // The camera is 1 m above the floor and looks along −z.
        let anchor = ARAnchor(transform: Matrix4(translation: Vector3(0, 1, -2)))
        content.attach(ball, to: anchor)
        let pose = Matrix4(translation: Vector3(0, 1, 0))
        let room = TestRoom(isPlain: true)
        func weight(_ meshes: [ARMeshAnchor], _ depth: DepthImage? = nil) throws -> (Float, Vector2) {
            let frame = room.frame(pose, anchors: [anchor] + meshes, depth: depth)
            let (center, weight) = try renderer.image(of: content, in: frame, width: 160, height: 120).centroid(isColored)
            return (weight, center)
        }
        let (whole, center) = try weight([])
        #expect(whole > 200)
        // A wall in front of the left half.
        let half = wall(1, at: Vector3(-0.5, 1, -1))
        let (right, rest) = try weight([half])
        #expect(abs(right / whole - 0.5) < 0.06 && rest.x > center.x + 2)
        // Behind the ball, the wall hides nothing.
        #expect(try weight([wall(1, at: Vector3(-0.5, 1, -2.3))]).0 == whole)
        // A surface that is measured 1 cm too near does not cut into an object on it, one 10 cm nearer hides it.
        ball.mesh = Mesh(geometry: .disc(radius: 0.2), material: try #require(ball.material))
        let disc = try weight([]).0
        #expect(disc > 200)
        #expect(try weight([wall(4, at: Vector3(0, 1, -1.99))]).0 == disc)
        #expect(try weight([wall(4, at: Vector3(0, 1, -1.9))]).0 == 0)
        ball.mesh = Mesh(geometry: .sphere(radius: 0.2), material: try #require(ball.material))
        // Measured depth has precedence over the mesh: the wall was removed.
        let far = DepthImage(metres: Plane(width: 16, height: 12, repeating: 4))
        #expect(try weight([half], far).0 == whole)
        // Unknown depth leaves it to the mesh.
        #expect(try weight([half], DepthImage(metres: Plane(width: 16, height: 12, repeating: 0))).0 == right)
        renderer.isOccludedByMesh = false
        #expect(try weight([half]).0 == whole)
    }

    /// A view finds the node of an anchor, and the anchor of a node.
    @Test @MainActor func viewsMakeNodesForAnchors() async throws {
        let source = ImageSource(count: 4)
        let session = ARSession(source: source, pace: .stepped)
        let view = ARSceneView(session)
        var made: [String] = []
        let inner = Node(name: "inner")
        view.makeNode = { anchor in
            made.append(anchor.name ?? "?")
            guard anchor.name == "cube" else { return nil }
            let node = Node(name: "outer")
            node.addChildNode(inner)
            return node
        }
        session.run(ARWorldTrackingConfiguration(tracking: .recorded))
        let (cube, bare) = (
            ARAnchor(name: "cube", transform: Matrix4(translation: [1, 2, 3])), ARAnchor(name: "bare", transform: .identity)
        )
        try session.add(anchor: cube)
        try session.add(anchor: bare)
        try await withTemporaryDirectory { folder in
            _ = try await view.playHeadless(EventScript([]), frames: 2, size: [32, 24], writingTo: folder)
            #expect(made == ["cube", "bare"])
            #expect(view.node(for: cube)?.transform == cube.transform && view.node(for: bare) == nil)
            #expect(view.anchor(for: inner) == cube && view.anchor(for: Node()) == nil)
            session.remove(anchor: cube)
            _ = try await view.playHeadless(EventScript([]), frames: 1, size: [32, 24], writingTo: folder)
            #expect(view.node(for: cube) == nil && view.anchor(for: inner) == nil)
        }
    }
}

/// Grey images of a camera at the origin.
private final class ImageSource: SensorSource {
    let rig = SensorRig(camera: CameraIntrinsics(width: 32, height: 24, verticalFieldOfView: 1), hasInertialUnit: false)
    let isLive = false
    var problems: SourceProblems { SourceProblems() }
    private let count: Int
    private let index = Counter()

    private actor Counter {
        var value = 0
        func next() -> Int {
            defer { value += 1 }
            return value
        }
    }

    init(count: Int) { self.count = count }

    func next() async throws -> SensorEvent? {
        let number = await index.next()
        guard number < count else { return nil }
        return .image(
            CameraSample(
                time: Double(number), image: CapturedImage(luma: Plane(width: 32, height: 24, repeating: 128)), worldFromCamera: .identity))
    }

    func rewind() async throws {}
}
