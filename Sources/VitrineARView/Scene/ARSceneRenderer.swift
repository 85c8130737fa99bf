import VitrineAR
import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene
import VitrineVision

/// Renders an anchored scene over the camera image: lit by the light estimate, with shadows on planes, occluded by the depth image and the mesh.
///
/// ```swift
/// let renderer = try ARSceneRenderer()
/// let image = try renderer.image(of: content, in: frame, width: 640, height: 360)
/// ```
///
/// **A frame.** Renders the scene on a transparent background with a pinhole camera of the same focal length and principal point, only in the
/// visible region. Then draws the undistorted camera image with the scene over it in linear light. The image's own Y′CbCr matrix and range apply.
///
/// **Light.** The environment's intensity follows the estimate's ambient intensity (1000 is neutral); its colour temperature tints the scene.
/// Shadows come from the environment's brightest parts, from the light of the anchored scene, and from the scene's own lights. While nothing
/// moves, shadows on receivers are rendered once; they darken the camera image.
///
/// To draw on a device of your own and use the result in your own passes, import VitrineCustomPasses: `ARSceneRenderer(Renderer(on: device))`
/// draws to an `OffscreenTarget`, whose `gpuView` your passes read.
///
/// Use it from one thread at a time.
public final class ARSceneRenderer {
    /// The renderer of the scene; targets must be on its GPU.
    public let renderer: Renderer
    /// Render options of the scene; they do not affect the camera image.
    public var options = RenderOptions()
    /// Whether the frame's depth image occludes the scene. Default true.
    public var isOccludedByDepth = true
    /// Whether the frame's mesh anchors occlude the scene where there is no depth image, or it has no depth. Default true.
    public var isOccludedByMesh = true
    /// The statistics of the last frame; zero if nothing was visible.
    public private(set) var statistics = FrameStatistics()
    private let background: CameraBackground
    private let depth: CameraDepth
    private let meshDepth: MeshDepthPass
    private var overlay: GPUTextureView?
    private let shadows: ReceiverShadows
    /// The removals of each drawn scene whose resources were freed.
    private var freedRemovals: [ObjectIdentifier: Int] = [:]

    package var device: GPUDevice { renderer.device }

    /// Creates a renderer on a GPU.
    ///
    /// - Throws: `RenderError.device` if there is no such GPU.
    public convenience init(adapter: RenderAdapter = .automatic) throws(RenderError) { try self.init(Renderer(adapter: adapter)) }

    package convenience init(_ device: GPUDevice) throws(RenderError) { try self.init(Renderer(device: device)) }

    /// Creates a renderer that draws scenes with another renderer and shares its GPU.
    public init(_ renderer: Renderer) throws(RenderError) {
        self.renderer = renderer
        let device = renderer.device
        do throws(GPUError) {
            background = try CameraBackground(device)
            depth = try CameraDepth(device)
            meshDepth = try MeshDepthPass(device)
            shadows = try ReceiverShadows(device)
        } catch {
            throw .gpu(error, doing: "preparing the camera image")
        }
    }

    /// Uploads the resources of a scene.
    public func prepare(_ content: AnchoredScene) throws(RenderError) { try renderer.prepare(content.scene, options: options) }

    /// Renders to the whole target; submits the work without waiting.
    ///
    /// - Parameters:
    ///   - target: A target of `renderer`; with content `.radiance` it receives linear light.
    ///   - orientation: The orientation of the target.
    public func draw(
        _ content: AnchoredScene, in frame: ARFrame, to target: OffscreenTarget, orientation: InterfaceOrientation = .landscapeRight
    ) throws(RenderError) { try draw(content, in: frame, to: target.view, orientation: orientation) }

    /// Draws a frame: the camera image and the scene over it.
    ///
    /// - Parameter target: `rgba8` or `bgra8`, plain or sRGB, or `rgba16Float` for linear light.
    package func draw(
        _ content: AnchoredScene, in frame: ARFrame, to target: GPUTextureView, orientation: InterfaceOrientation = .landscapeRight
    ) throws(RenderError) {
        content.update(with: frame)
        // Probes replace the environment every few seconds, for hours.
        let removals = content.removalCount
        if let freed = freedRemovals.updateValue(removals, forKey: ObjectIdentifier(content)), freed != removals { renderer.purge() }
        try shadows.update(content, renderer)
        let view = PinholeView(frame.camera, orientation, width: target.texture.width, height: target.texture.height)
        statistics = FrameStatistics()
        var covered: CameraBackground.Overlay?
        if let region = view.region(of: content.scene, and: shadows.regions, keeping: overlay?.texture) {
            covered = try overlay(content.scene, frame, orientation, view, region)
        }
        do throws(GPUError) {
            try background.draw(frame, to: target, orientation: orientation, overlay: covered)
        } catch {
            throw .gpu(error, doing: "drawing the camera image")
        }
    }

    /// Renders without a window and waits for the image: `.rgba8`, sRGB-encoded.
    public func image(
        of content: AnchoredScene, in frame: ARFrame, width: Int, height: Int, orientation: InterfaceOrientation = .landscapeRight
    ) throws(RenderError) -> Image {
        let target = try OffscreenTarget(device, width: width, height: height)
        try draw(content, in: frame, to: target.view, orientation: orientation)
        return try target.image()
    }

    private func overlay(
        _ scene: Scene, _ frame: ARFrame, _ orientation: InterfaceOrientation, _ view: PinholeView, _ region: PixelRectangle
    ) throws(RenderError) -> CameraBackground.Overlay {
        let rendered: GPUTextureView
        let receiverShadows: GPUTextureView?
        var occluder: GPUTextureView?
        do throws(GPUError) {
            rendered = try target(region)
            if isOccludedByMesh { occluder = try meshDepth.draw(frame.anchors.compactMap { $0 as? ARMeshAnchor }, view, region) }
            if isOccludedByDepth {
                occluder =
                    try depth.occluder(frame, orientation, viewport: view.size, region: region, over: occluder) ?? occluder
            }
            receiverShadows = try shadows.mask(view, region, occluder: occluder)
        } catch {
            throw .gpu(error, doing: "allocating the target of a scene")
        }
        statistics = try renderer.render(scene, from: view.view(of: region), to: rendered, options: options, occluder: occluder)
        return CameraBackground.Overlay(
            image: rendered, shadows: receiverShadows, x: region.x, y: region.y, tint: frame.lightEstimate?.tint ?? Vector3(1, 1, 1))
    }

    /// An sRGB target: reading it gives linear light again after tone mapping for a screen.
    private func target(_ region: PixelRectangle) throws(GPUError) -> GPUTextureView {
        if let overlay, overlay.texture.width == region.width, overlay.texture.height == region.height { return overlay }
        let made = try CameraPlanes.texture(
            device, "scene", .rgba8UnormSRGB, region.width, region.height, usage: [.renderAttachment, .textureBinding])
        overlay = made
        return made
    }
}

extension ARSceneRenderer {
    /// Uploads nodes and compiles their pipelines by rendering them off screen, so that the frame in which they appear takes no longer than others.
    ///
    /// - Parameters:
    ///   - nodes: Nodes without a parent.
    ///   - content: The scene to which they will be attached.
    ///   - camera: The camera of the session.
    public func prepare(_ nodes: [Node], of content: AnchoredScene, for camera: CameraIntrinsics) throws(RenderError) {
        try prepare(nodes, of: content, for: camera, format: .rgba8Unorm)
    }

    /// Compiles the pipelines for a target format, so that the first frame is not delayed.
    ///
    /// - Parameter format: The format of the target.
    package func prepare(
        _ nodes: [Node], of content: AnchoredScene, for camera: CameraIntrinsics, format: GPUTextureFormat
    ) throws(RenderError) {
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
