import VitrineAR
import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene

/// A minimal renderer of AR frames: the camera image, and the same geometry at every anchor. Start your own renderer from its source;
/// `ARSceneRenderer` draws whole scenes instead.
///
/// ```swift
/// let renderer = try ARRenderer(geometry: .box(size: Vector3(repeating: 0.1)))
/// let image = try renderer.image(of: frame, width: 640, height: 360)
/// ```
///
/// For each frame, it
/// 1. takes the next of three slots of buffers and textures, because the GPU may still read those of the last two frames;
/// 2. writes what all anchors share: view and projection (near 0.001 m, far 1000 m, reverse depth), an ambient light of 0.5 × E and a directional light of
///    0.6 × E with direction (0, 0, −1) in the world, where E = `ambientIntensity` / 1000 of the light estimate, 1 without one; highlights have
///    shininess 30;
/// 3. writes each anchor's model matrix: its transform with z flipped, which converts geometry from the other handedness. Beyond
///    `maximumAnchorCount` anchors, the newest are drawn;
/// 4. uploads the planes Y and CbCr unchanged;
/// 5. computes the image plane's texture coordinates by the inverse display transform;
/// 6. draws the camera image, always as BT.601 full range (`ARSceneRenderer` applies the image's own format);
/// 7. draws the anchors' geometry, instanced, back faces culled. A cube's faces are, by the geometry's own axes: right (+x) green, left red,
///    top (+y) blue, bottom orange, front (+z) white, back yellow.
///
/// A surface of colour c and normal n shows c × (ambient + directional × (n·l + (n·h)³⁰)), with l the direction to the light and h halfway
/// between l and the direction to the camera, all in the world.
///
/// Colours are not linearized: targets have content `.display`. The lens distortion of the image is not corrected.
///
/// To draw on a device of your own, import VitrineCustomPasses: `ARRenderer(Renderer(on: device))`, and `gpuView` of the target.
public final class ARRenderer {
    /// The most anchors that are drawn.
    public static let maximumAnchorCount = 64
    static let slotCount = 3

    /// The resources of one frame, which the GPU may read until two frames later.
    private struct Slot {
        let shared, models: GPUBuffer
        let planes: CameraPlanes
    }

    package let device: GPUDevice
    private let slots: [Slot]
    private(set) var slot = 0
    private let geometry: (vertices: GPUBuffer, indices: GPUBuffer, count: Int)
    private let shader: GPUShaderModule
    private let layout: GPUBindGroupLayout
    private let sampler: GPUSampler
    private var pipelines: [GPUTextureFormat: (image: GPURenderPipeline, anchors: GPURenderPipeline)] = [:]
    private var depth: GPUTextureView?
    /// The number of anchors in the last frame.
    public private(set) var drawnAnchorCount = 0

    /// The default geometry: a cube of 7.5 cm.
    public static var cube: Geometry { .box(size: Vector3(repeating: 0.075)) }

    /// Creates a renderer on a GPU.
    ///
    /// - Parameter geometry: Drawn at each anchor: triangles with normals, in metres.
    /// - Throws: `RenderError.device` if there is no such GPU, or if the geometry has no triangles or no normals.
    public convenience init(geometry: Geometry = cube, adapter: RenderAdapter = .automatic) throws(RenderError) {
        try self.init(Renderer(adapter: adapter), geometry: geometry)
    }

    /// Creates a renderer on the GPU of another renderer.
    public convenience init(_ renderer: Renderer, geometry: Geometry = cube) throws(RenderError) {
        do throws(GPUError) { try self.init(renderer.device, geometry: geometry) } catch {
            throw .gpu(error, doing: "setting up the AR renderer")
        }
    }

    package init(_ device: GPUDevice, geometry: Geometry = cube) throws(GPUError) {
        self.device = device
        shader = try device.makeShader("ar.wgsl", wgsl: arRendererShader)
        layout = try device.makeBindGroupLayout(
            "ar",
            [
                .uniformBuffer(0, .render), .uniformBuffer(1, .render), .texture(2, .fragment), .texture(3, .fragment),
                .sampler(4, .fragment),
            ])
        sampler = try device.makeSampler(GPUSamplerDescriptor("camera", mipmap: .nearest))
        self.geometry = try Self.upload(geometry, device)
        var slots: [Slot] = []
        for _ in 0..<Self.slotCount {
            slots.append(
                Slot(
                    shared: try device.makeBuffer("shared", size: SharedUniforms.byteCount, usage: [.uniform, .copyDestination]),
                    models: try device.makeBuffer("models", size: Self.maximumAnchorCount * 64, usage: [.uniform, .copyDestination]),
                    planes: try CameraPlanes(device)))
        }
        self.slots = slots
    }

    /// Draws a frame over the whole target; submits the work without waiting.
    ///
    /// - Parameters:
    ///   - target: Its content must be `.display`.
    ///   - orientation: The orientation of the target.
    public func draw(_ frame: ARFrame, to target: OffscreenTarget, orientation: InterfaceOrientation = .landscapeRight) throws(RenderError)
    {
        do throws(GPUError) {
            try draw(frame, to: target.view, orientation: orientation)
        } catch {
            throw .gpu(error, doing: "drawing an AR frame")
        }
    }

    /// Renders without a window and waits for the image: `.rgba8`, sRGB-encoded.
    public func image(
        of frame: ARFrame, width: Int, height: Int, orientation: InterfaceOrientation = .landscapeRight
    ) throws(RenderError) -> Image {
        let target = try OffscreenTarget(device, width: width, height: height)
        try draw(frame, to: target, orientation: orientation)
        return try target.image()
    }

    package func draw(
        _ frame: ARFrame, to target: GPUTextureView, orientation: InterfaceOrientation = .landscapeRight
    ) throws(GPUError) {
        let viewport = Vector2(Float(target.texture.width), Float(target.texture.height))
        slot = (slot + 1) % Self.slotCount
        let current = slots[slot]
        let models = Self.models(frame.anchors)
        drawnAnchorCount = models.count
        device.queue.write(value: SharedUniforms(frame, orientation, viewport), to: current.shared)
        device.queue.write(models.flatMap { [$0.x, $0.y, $0.z, $0.w] }, to: current.models)
        try current.planes.upload(frame.capturedImage)

        let (image, anchors) = try pipelines(for: target.format)
        let group = try device.makeBindGroup(
            "ar", layout: layout,
            [
                .buffer(0, current.shared), .buffer(1, current.models), .texture(2, current.planes.luma),
                .texture(3, current.planes.chroma), .sampler(4, sampler),
            ])
        let encoder = try device.makeCommandEncoder("ar")
        let depth = GPUDepthStencilAttachment(try depth(target.texture), depthLoad: .clear(0), depthStore: .discard)
        encoder.renderPass(GPURenderPassDescriptor("ar", colors: [GPUColorAttachment(target)], depthStencil: depth)) { pass in
            pass.setBindGroup(0, group)
            pass.setPipeline(image)
            pass.draw(vertexCount: 4)
            guard !models.isEmpty else { return }
            pass.setPipeline(anchors)
            pass.setVertexBuffer(0, geometry.vertices)
            pass.setIndexBuffer(geometry.indices, .uint32)
            pass.drawIndexed(indexCount: geometry.count, instanceCount: models.count)
        }
        device.queue.submit(try encoder.finish())
        try device.checkErrors()
    }

    /// The model matrices of the newest anchors, which come last.
    static func models(_ anchors: [ARAnchor]) -> [Matrix4] {
        let flip = Matrix4(scale: Vector3(1, 1, -1))
        // Meshes and probes have no content.
        return anchors.filter { !($0 is ARMeshAnchor || $0 is AREnvironmentProbeAnchor) }.suffix(maximumAnchorCount).map {
            $0.transform * flip
        }
    }

    /// Interleaved positions and normals, six floats per vertex.
    private static func upload(_ geometry: Geometry, _ device: GPUDevice) throws(GPUError) -> (GPUBuffer, GPUBuffer, Int) {
        guard geometry.topology == .triangles, let positions = geometry.attribute(.position), let normals = geometry.attribute(.normal)
        else {
            throw .validation(resource: "ar", message: "the anchors' geometry needs triangles with normals")
        }
        var vertices: [Float] = []
        for vertex in 0..<geometry.vertexCount {
            let components = 3 * vertex..<3 * vertex + 3
            vertices += positions.values[components]
            vertices += normals.values[components]
        }
        let indices = geometry.indices ?? (0..<UInt32(geometry.vertexCount)).map { $0 }
        return (
            try device.makeBuffer("vertices", contents: vertices, usage: .vertex),
            try device.makeBuffer("indices", contents: indices, usage: .index), indices.count
        )
    }

    private func depth(_ target: GPUTexture) throws(GPUError) -> GPUTextureView {
        if let depth, depth.texture.width == target.width, depth.texture.height == target.height { return depth }
        let made = try CameraPlanes.texture(device, "depth", .depth32Float, target.width, target.height, usage: .renderAttachment)
        depth = made
        return made
    }

    private func pipelines(for format: GPUTextureFormat) throws(GPUError) -> (GPURenderPipeline, GPURenderPipeline) {
        if let known = pipelines[format] { return known }
        guard format == .rgba8Unorm || format == .bgra8Unorm else {
            throw .validation(resource: "ar", message: "draws encoded colours: into rgba8Unorm or bgra8Unorm")
        }
        let pipelineLayout = try device.makePipelineLayout("ar", [layout])
        let image = GPURenderPipelineDescriptor(
            "camera image", layout: pipelineLayout, vertex: GPUShaderStage(shader, "imagePlane"), fragment: GPUShaderStage(shader, "image"),
            targets: [GPUColorTarget(format)], topology: .triangleStrip,
            depthStencil: GPUDepthStencilState(.depth32Float, depthWrite: false, depthCompare: .always))
        let stream = GPUVertexBufferLayout(
            stride: 24, [GPUVertexAttribute(.float32x3, location: 0), GPUVertexAttribute(.float32x3, offset: 12, location: 1)])
        // The flip turns counterclockwise triangles clockwise.
        let anchors = GPURenderPipelineDescriptor(
            "anchors", layout: pipelineLayout, vertex: GPUShaderStage(shader, "anchor"), vertexBuffers: [stream],
            fragment: GPUShaderStage(shader, "lit"), targets: [GPUColorTarget(format)], frontFace: .clockwise, cullMode: .back,
            depthStencil: GPUDepthStencilState(.depth32Float, depthCompare: .greater))
        let made = (try device.makeRenderPipeline(image), try device.makeRenderPipeline(anchors))
        pipelines[format] = made
        return made
    }
}
