import VitrineGPU
import VitrineMath
import VitrineScene

/// Draws shadow maps: depth as lights see it, each map in its tile of one atlas.
///
/// Both sides of triangles are drawn: a sheet keeps light off from whichever side it comes, and what faces the light is nearest anyway.
final class ShadowPass {
    private let device: GPUDevice
    private let layout: GPUBindGroupLayout
    private let pipelines: PipelineCache
    private let sampler: GPUSampler
    private var atlas: GPUTextureView
    private var maps, matrices, visible: GrowingBuffer
    /// What the atlas holds; nil: something that may look different next time.
    private var drawn: Drawn?

    /// Everything that maps of casters without holes depend on.
    private struct Drawn: Equatable {
        let views: [ShadowView]
        let casters: [ShadowCasters.Caster]
        let scene: FrameShadows.SceneState
    }

    /// Group 0 of the pipelines that draw casters whose material has holes.
    var casterLayout: GPUBindGroupLayout { layout }

    init(_ device: GPUDevice, _ pipelines: PipelineCache) throws(GPUError) {
        (self.device, self.pipelines) = (device, pipelines)
        layout = try CasterBindings.layout(on: device)
        sampler = try device.makeSampler(GPUSamplerDescriptor("shadow", compare: .greaterEqual))
        atlas = try Self.makeAtlas(device, size: 1)
        maps = try GrowingBuffer(device, "shadow maps", usage: .storage, size: 256)
        matrices = try GrowingBuffer(device, "shadow matrices", usage: .uniform, size: CasterBindings.matrixStride)
        visible = try GrowingBuffer(device, "shadow casters", usage: .storage, size: 256)
    }

    private static func makeAtlas(_ device: GPUDevice, size: Int) throws(GPUError) -> GPUTextureView {
        try device.makeTexture(
            GPUTextureDescriptor(
                "shadow atlas", size: GPUExtent(size, size), format: FrameTargets.depthFormat,
                usage: [.renderAttachment, .textureBinding])
        ).makeView()
    }

    /// Bytes of GPU memory held.
    var memory: Int {
        atlas.texture.width * atlas.texture.height * 4 + maps.buffer.size + matrices.buffer.size + visible.buffer.size
    }

    /// Texels along the largest atlas.
    var limit: Int { min(device.limits.maxTextureDimension2D, 8192) }

    /// What surfaces read of shadows.
    var entries: [GPUBindGroupEntry] {
        [
            .buffer(FrameBindings.shadows, maps.buffer), .texture(FrameBindings.shadowAtlas, atlas),
            .sampler(FrameBindings.shadowSampler, sampler),
        ]
    }

    /// - Parameter instances: by the set's records: their entries in the list of instances.
    func upload(_ shadows: FrameShadows, instances: [UInt32]) throws(GPUError) {
        let plan = shadows.plan
        try maps.write(plan.packed(environment: shadows.environment))
        guard !plan.views.isEmpty else { return }
        if atlas.texture.width != plan.atlasSize {
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

    /// What draws a caster without holes; nil where pipelines that are missing are only noted.
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
    static let depth = GPUDepthStencilState(FrameTargets.depthFormat, depthWrite: true, depthCompare: .greater)

    func encode(
        _ shadows: FrameShadows, _ draws: [CasterDraw], uniforms: GPUBuffer, instances: GPUBuffer, timestamps: GPUPassTimestamps?,
        _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        guard !shadows.plan.views.isEmpty else { return }
        // Textures of materials with holes may change unseen.
        let isSolid = draws.allSatisfy { $0.material == nil }
        let wanted = Drawn(views: shadows.plan.views, casters: shadows.plan.casters.casters, scene: shadows.scene)
        guard !isSolid || wanted != drawn else { return }
        drawn = nil
        let group = try device.makeBindGroup(
            "shadow casters", layout: layout,
            [
                .buffer(FrameBindings.uniforms, uniforms), .buffer(CasterBindings.instances, instances),
                .buffer(CasterBindings.clipFromWorld, matrices.buffer, 0..<64), .buffer(CasterBindings.visible, visible.buffer),
            ])
        let pass = GPURenderPassDescriptor(
            "shadows", depthStencil: GPUDepthStencilAttachment(atlas, depthLoad: .clear(0), depthStore: .store), timestamps: timestamps)
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
        // Where pipelines are missing, so are casters.
        drawn = isSolid && !pipelines.notesMissing ? wanted : nil
    }
}

/// A frame's shadows: the maps, and what is drawn into them.
struct FrameShadows {
    var plan: ShadowPlan
    var set = ShadowSet()
    /// The maps of the environment: the first, and the share of its light that each stands for.
    var environment: (first: Int, weights: [Float]) = (0, [])

    /// Which state of which scene.
    var scene = SceneState()

    struct SceneState: Equatable {
        var store: ObjectIdentifier?
        var update: UInt64 = 0
        var structure: UInt64 = 0
    }

    var isEmpty: Bool { plan.views.isEmpty }

    /// What shaders must be able to do for them.
    var features: SurfaceFeatures {
        guard !isEmpty else { return [] }
        var features: SurfaceFeatures = .shadows
        if plan.views.contains(where: { $0.size > 0 }) { features.insert(.softShadows) }
        if plan.hasCubes { features.insert(.cubeShadows) }
        return features
    }

    /// How coarse casters may be in a map; nil: not at all, as texels of perspective maps grow with the distance.
    func detail(_ view: Int) -> DetailChoice? { plan.views[view].origin.w == 0 ? DetailChoice(texel: plan.views[view].texel) : nil }
}

/// One draw into a shadow map with everything it binds.
struct CasterDraw {
    let view: Int
    let pipeline: GPURenderPipeline
    /// nil: the pipeline reads positions only.
    let material: GPUBindGroup?
    /// In the order of `VertexLayout.buffers`.
    let vertices: [GPUBuffer]
    let indices: GPUBuffer?
    let elementCount: Int
    let firstInstance, instanceCount: Int

    func encode(_ pass: borrowing GPURenderPass) {
        pass.setPipeline(pipeline)
        if let material { pass.setBindGroup(1, material) }
        for (slot, buffer) in vertices.enumerated() { pass.setVertexBuffer(slot, buffer) }
        if let indices {
            pass.setIndexBuffer(indices, .uint32)
            pass.drawIndexed(indexCount: elementCount, instanceCount: instanceCount, firstInstance: firstInstance)
        } else {
            pass.draw(vertexCount: elementCount, instanceCount: instanceCount, firstInstance: firstInstance)
        }
    }
}
