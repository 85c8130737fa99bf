import VitrineAR
import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene
import VitrineVision

extension ARSceneRenderer {
    /// Uploads nodes and compiles their pipelines by rendering them off screen, so that the frame in which they appear takes no longer than others.
    ///
    /// - Parameters:
    ///   - nodes: Nodes without a parent.
    ///   - content: The scene to which they will be attached.
    ///   - camera: The camera of the session.
    ///   - format: The format of the target.
    public func prepare(
        _ nodes: [Node], of content: AnchoredScene, for camera: CameraIntrinsics, format: GPUTextureFormat = .rgba8Unorm
    ) throws(ARDrawError) {
        try prepare(content)
        let nodes = nodes.filter { $0.parent == nil && !$0.worldBounds.isEmpty }
        guard !nodes.isEmpty else { return }
        let warmUp = AnchoredScene()
        warmUp.scene.environment = content.scene.environment
        let anchor = ARAnchor(transform: .identity)
        for node in nodes { warmUp.attach(node, to: anchor, standsOnGround: true) }
        defer { for node in nodes { node.removeFromParentNode() } }
        let target: GPUTextureView
        do throws(GPUError) {
            target = try CameraPlanes.texture(device, "warm-up", format, 64, 64, usage: [.renderAttachment])
        } catch {
            throw .gpu(error, doing: "making a warm-up target")
        }
        // With an empty depth image and without one.
        let depth = DepthImage(metres: Plane(width: 1, height: 1, repeating: 0))
        for depth in [nil, depth] {
            try draw(warmUp, in: Self.frame(camera, of: nodes, anchor, depth), to: target)
        }
        do throws(GPUError) { try device.waitUntilIdle() } catch { throw .gpu(error, doing: "warming up") }
    }

    /// A grey frame from a pose in which all nodes are visible.
    private static func frame(_ camera: CameraIntrinsics, of nodes: [Node], _ anchor: ARAnchor, _ depth: DepthImage?) -> ARFrame {
        let bounds = nodes.reduce(BoundingBox.empty) { $0.union($1.worldBounds) }
        let eye = bounds.center + Vector3(0, 1, 2) * max(bounds.radius, 1e-3) * 2
        let grey = CapturedImage(luma: Plane(width: camera.width, height: camera.height, repeating: 128))
        return ARFrame(
            timestamp: 0, capturedImage: grey,
            camera: ARCamera(transform: .lookAt(eye: eye, target: bounds.center), model: camera),
            anchors: [anchor], lightEstimate: ARLightEstimate(), sceneDepth: depth)
    }
}
