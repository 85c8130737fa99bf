import VitrineAR
import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene
import VitrineVision

extension ARSceneRenderer {
    /// Makes ready what will be put into pictures: uploads it and compiles what draws it, by drawing it where nobody sees it. The frame in
    /// which it appears then takes about as long as any other.
    ///
    /// - Parameters:
    ///   - nodes: Of no scene yet.
    ///   - content: What they will be attached to.
    ///   - camera: Whose pictures they will be drawn into.
    ///   - format: Of the target.
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
        // With what a depth camera sees, which is nothing, and without one.
        let depth = DepthImage(metres: Plane(width: 1, height: 1, repeating: 0))
        for depth in [nil, depth] {
            try draw(warmUp, in: Self.frame(camera, of: nodes, anchor, depth), to: target)
        }
        do throws(GPUError) { try device.waitUntilIdle() } catch { throw .gpu(error, doing: "warming up") }
    }

    /// A grey picture of nothing, taken from where all of the nodes are seen.
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
