import VitrineGPU
import VitrineMath

/// Numbers of the occlusion shaders.
struct OcclusionUniforms: ShaderStructure {
    /// Transforms world directions to the view frame.
    var viewFromWorld: ShaderMatrix3
    /// Metres at 1 m depth (orthographic: at any depth) per unit of clip space.
    var rayScale: Vector2
    /// Clip coordinates of the view frame's axis.
    var center: Vector2
    /// The projection's row that gives depth.
    var depthScale: Float
    var depthOffset: Float
    /// 1 for orthographic projections, otherwise 0.
    var isParallel: Float
    /// The maximum distance of an occluder in metres.
    var radius: Float
    /// Pixels, at half the image's size.
    var size: Vector2
    /// The number of pixels per metre at a depth of 1 m.
    var pixelsPerMetre: Float
    /// Rotates the search directions from frame to frame, 0…1.
    var turn: Float

    static let name = "OcclusionUniforms"
    static let fields: [ShaderField<OcclusionUniforms>] = [
        .init("viewFromWorld") { $0.viewFromWorld }, .init("rayScale") { $0.rayScale }, .init("center") { $0.center },
        .init("depthScale") { $0.depthScale }, .init("depthOffset") { $0.depthOffset }, .init("isParallel") { $0.isParallel },
        .init("radius") { $0.radius }, .init("size") { $0.size }, .init("pixelsPerMetre") { $0.pixelsPerMetre },
        .init("turn") { $0.turn },
    ]

    /// Creates the uniforms of a frame.
    ///
    /// - Parameters:
    ///   - radius: Metres.
    init(_ frame: FrameView, radius: Float) {
        let clipFromView = frame.clipFromView
        let offset = frame.options.subpixelOffset
        let parallel = clipFromView.z.w == 0
        let (width, height) = (Float(frame.width) / 2, Float(frame.height) / 2)
        let m = frame.view.worldFromCamera.affineInverse
        viewFromWorld = ShaderMatrix3(Matrix3(m.x.xyz, m.y.xyz, m.z.xyz))
        rayScale = Vector2(1 / clipFromView.x.x, 1 / clipFromView.y.y)
        // Images may be shifted against the camera's axis.
        center = parallel ? Vector2(clipFromView.w.x, clipFromView.w.y) : Vector2(-clipFromView.z.x, -clipFromView.z.y)
        (depthScale, depthOffset) = (clipFromView.z.z, clipFromView.w.z)
        (isParallel, self.radius) = (parallel ? 1 : 0, radius)
        size = Vector2(width, height)
        pixelsPerMetre = clipFromView.y.y * height / 2
        turn = (offset.x * 7.13 + offset.y * 3.71).truncatingRemainder(dividingBy: 1)
    }
}

/// Computes `ScreenOcclusion`: from depth and normals of the opaque parts at half size, the share of the sky that each pixel sees.
final class OcclusionPass {
    static let normalFormat = GPUTextureFormat.rgba8Unorm

    private let device: GPUDevice
    private let search, smoothing: CoverPass

    init(_ device: GPUDevice, _ pipelines: PipelineCache) {
        self.device = device
        let uniforms = GPUBindGroupLayoutEntry.uniformBuffer(0, .fragment, minSize: OcclusionUniforms.byteCount)
        search = CoverPass(
            device, pipelines, "occlusion", [uniforms, .texture(1, .fragment, .depth), .texture(2, .fragment)],
            code: OcclusionPassShader.search)
        smoothing = CoverPass(
            device, pipelines, "occlusion smoothing", [uniforms, .texture(1, .fragment), .texture(2, .fragment)],
            code: OcclusionPassShader.smoothing)
    }

    /// Adds the passes that draw depth and normals at half size, search and smooth.
    ///
    /// - Parameters:
    ///   - vertices: The resources that the depth pass reads.
    ///   - radius: Metres.
    ///   - draw: Records the opaque parts with their geometry pipelines; called with the render pass.
    /// - Returns: Visible share of the sky, and distance ahead in metres, at half size.
    func addPasses(
        to graph: inout FrameGraph, after vertices: FrameGraph.Handle, _ frame: FrameView, radius: Float, _ timer: GPUTimer?,
        draw: @escaping (borrowing GPURenderPass) throws(GPUError) -> Void
    ) -> FrameGraph.Handle {
        let (width, height) = ((frame.width + 1) / 2, (frame.height + 1) / 2)
        func texture(_ label: String, _ format: GPUTextureFormat) -> FrameGraph.Handle {
            graph.texture(label, TextureShape(width: width, height: height, format: format))
        }
        // World directions as 0.5 + 0.5 · direction; reversed depth.
        let (normals, depth) = (texture("normals", Self.normalFormat), texture("depth before", FrameFormat.depth))
        let (raw, smooth) = (texture("occlusion", .rg16Float), texture("occlusion, smooth", .rg16Float))
        graph.addPass("depth and normals", reads: [vertices], writes: [normals, depth]) { encoder, textures throws(GPUError) in
            let descriptor = GPURenderPassDescriptor(
                "depth and normals", colors: [GPUColorAttachment(textures.view(normals))],
                depthStencil: GPUDepthStencilAttachment(textures.view(depth), depthLoad: .clear(0), depthStore: .store),
                timestamps: timer?.span("depth and normals"))
            try encoder.renderPass(descriptor) { pass throws(GPUError) in
                pass.setViewport(x: 0, y: 0, width: Float(frame.width) / 2, height: Float(frame.height) / 2)
                try draw(pass)
            }
        }
        let uniforms = OcclusionUniforms(frame, radius: radius)
        for (name, pass, input, output) in [("occlusion", search, depth, raw), ("occlusion smoothing", smoothing, raw, smooth)] {
            graph.addPass(name, reads: [input, normals], writes: [output]) { [self] encoder, textures throws(GPUError) in
                let buffer = try device.makeBuffer("occlusion", contents: [uniforms], usage: .uniform)
                try pass.draw(
                    [.buffer(0, buffer), .texture(1, textures.view(input)), .texture(2, textures.view(normals))],
                    to: textures.view(output), encoder)
            }
        }
        return smooth
    }
}
