import VitrineGPU
import VitrineMath
import VitrineScene

/// Draws shadow maps: depth as seen from lights, each map in its tile of one atlas.
///
/// Draws both sides of triangles: a sheet blocks light from either side, and the side that faces the light is nearest anyway.
final class ShadowPass {
    private let device: GPUDevice
    private let layout: GPUBindGroupLayout
    private let pipelines: PipelineCache
    private let sampler: GPUSampler
    private var atlas: GPUTextureView
    private var maps, matrices, visible: GrowingBuffer
    private let mainMaps, environmentMaps: GPUBuffer
    /// The contents of the atlas; nil if they may change without notice.
    private var drawn: Drawn?

    /// Everything that maps of opaque casters depend on.
    private struct Drawn: Equatable {
        let views: [ShadowView]
        let casters: [ShadowCasters.Caster]
        let scene: FrameShadows.SceneState
    }

    /// Group 0 of the pipelines that draw casters with holes.
    var casterLayout: GPUBindGroupLayout { layout }

    init(_ device: GPUDevice, _ pipelines: PipelineCache) throws(GPUError) {
        (self.device, self.pipelines) = (device, pipelines)
        layout = try CasterBindings.layout(on: device)
        sampler = try device.makeSampler(GPUSamplerDescriptor("shadow", compare: .greaterEqual))
        atlas = try Self.makeAtlas(device, size: SIMD2(1, 1))
        maps = try GrowingBuffer(device, "shadow maps", usage: .storage, size: 256)
        mainMaps = try device.makeBuffer(
            "main shadow maps", size: FrameBindings.mainMapCount * ShadowMapUniforms.byteCount, usage: [.uniform, .copyDestination])
        environmentMaps = try device.makeBuffer(
            "environment shadow maps", size: FrameBindings.environmentShadowsSize, usage: [.uniform, .copyDestination])
        matrices = try GrowingBuffer(device, "shadow matrices", usage: .uniform, size: CasterBindings.matrixStride)
        visible = try GrowingBuffer(device, "shadow casters", usage: .storage, size: 256)
    }

    private static func makeAtlas(_ device: GPUDevice, size: SIMD2<Int>) throws(GPUError) -> GPUTextureView {
        try device.makeTexture(
            GPUTextureDescriptor(
                "shadow atlas", size: GPUExtent(size.x, size.y), format: FrameFormat.depth,
                usage: [.renderAttachment, .textureBinding])
        ).makeView()
    }

    /// Bytes of GPU memory held.
    var memory: Int {
        atlas.texture.width * atlas.texture.height * 4 + maps.buffer.size + matrices.buffer.size + visible.buffer.size
    }

    /// Texels along the largest atlas.
    var limit: Int { min(device.limits.maxTextureDimension2D, 8192) }

    /// The shadow bindings of surfaces.
    var entries: [GPUBindGroupEntry] {
        [
            .buffer(FrameBindings.shadows, maps.buffer), .texture(FrameBindings.shadowAtlas, atlas),
            .sampler(FrameBindings.shadowSampler, sampler), .buffer(FrameBindings.mainMaps, mainMaps),
            .buffer(FrameBindings.environmentShadows, environmentMaps),
        ]
    }

    /// Uploads the uniforms of the shadow maps.
    ///
    /// - Parameter instances: The instance of each of the set's records.
    func upload(_ shadows: FrameShadows, instances: [UInt32]) throws(GPUError) {
        let plan = shadows.plan
        let uniforms = shadows.mapUniforms
        try maps.write(header: shadows.header, uniforms)
        device.queue.write(Array(uniforms.prefix(FrameBindings.mainMapCount)), to: mainMaps)
        if let (header, maps) = shadows.surfaceUniforms {
            device.queue.write(value: header, to: environmentMaps)
            device.queue.write(maps, to: environmentMaps, at: EnvironmentShadowUniforms.byteCount)
        }
        guard !plan.views.isEmpty else { return }
        if SIMD2(atlas.texture.width, atlas.texture.height) != plan.atlasSize {
            atlas = try Self.makeAtlas(device, size: plan.atlasSize)
            drawn = nil
        }
        let stride = CasterBindings.matrixStride / 16
        var vectors = [Vector4](repeating: Vector4(repeating: 0), count: plan.views.count * stride)
        for (index, view) in plan.views.enumerated() {
            let m = view.clipFromWorld
            vectors.replaceSubrange(index * stride..<index * stride + 4, with: [m.x, m.y, m.z, m.w])
        }
        try matrices.write(vectors)
        if !instances.isEmpty { try visible.write(instances) }
    }

    /// The pipeline of opaque casters; nil while missing pipelines are only recorded.
    func opaquePipeline() throws(GPUError) -> GPURenderPipeline? {
        let (device, layout) = (device, layout)
        return try pipelines.pipeline(.caster) { () throws(GPUError) in
            let module = try device.makeShader("caster.wgsl", wgsl: casterShader)
            return try device.makeRenderPipeline(
                GPURenderPipelineDescriptor(
                    "shadow caster", layout: try device.makePipelineLayout("shadow caster", [layout]),
                    vertex: GPUShaderStage(module, "castShadow"),
                    vertexBuffers: [
                        GPUVertexBufferLayout(stride: VertexLayout.movingStride, [GPUVertexAttribute(.float32x3, location: 0)])
                    ],
                    depthStencil: Self.depth))
        }
    }

    /// Nearer is greater.
    static let depth = GPUDepthStencilState(FrameFormat.depth, depthWrite: true, depthCompare: .greater)

    func encode(
        _ shadows: FrameShadows, _ draws: [CasterDraw], _ buffers: FrameBuffers, _ timer: GPUTimer?,
        _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        // The textures of materials with holes may change without notice.
        let isSolid = draws.allSatisfy { $0.material == nil }
        let wanted = Drawn(views: shadows.plan.views, casters: shadows.plan.casters.casters, scene: shadows.scene)
        guard !isSolid || wanted != drawn else { return }
        drawn = nil
        let group = try device.makeBindGroup(
            "shadow casters", layout: layout,
            [
                .buffer(FrameBindings.uniforms, buffers.uniforms), .buffer(CasterBindings.instances, buffers.instances.buffer),
                .buffer(CasterBindings.clipFromWorld, matrices.buffer, 0..<64), .buffer(CasterBindings.visible, visible.buffer),
            ])
        let pass = GPURenderPassDescriptor(
            "shadows", depthStencil: GPUDepthStencilAttachment(atlas, depthLoad: .clear(0), depthStore: .store),
            timestamps: timer?.span("shadows"))
        encoder.renderPass(pass) { pass in
            var current = -1
            for draw in draws {
                if draw.view != current {
                    current = draw.view
                    let view = shadows.plan.views[current]
                    pass.setBindGroup(0, group, dynamicOffset: UInt32(current * CasterBindings.matrixStride))
                    pass.setViewport(
                        x: Float(view.tile.x), y: Float(view.tile.y), width: Float(view.resolution), height: Float(view.resolution))
                    pass.setScissor(x: view.tile.x, y: view.tile.y, width: view.resolution, height: view.resolution)
                }
                draw.encode(pass)
            }
        }
        // While pipelines are missing, casters are too.
        drawn = isSolid && !pipelines.recordsMissing ? wanted : nil
    }
}
