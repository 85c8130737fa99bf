import VitrineGPU
import VitrineMath
import VitrineScene

/// Everything that the passes of one frame draw.
struct FrameContents {
    let frame: FrameView
    let plan: FramePlan
    let light: EnvironmentLight
    let shadows: FrameShadows
    /// The draws, in the order of `VisibleSet`.
    let draws: [SceneDraw]
    /// The draws of the casters, in the order of `FrameShadows.set`.
    let casters: [CasterDraw]
    let deformation: Deformation
    /// The pipeline of the sky; nil if there is no sky, or its pipeline is only recorded as missing.
    let sky: GPURenderPipeline?
    let occluder: OccluderPass.Draw?
    /// Draws a kept shadow before the scene reads it.
    let receivedShadow: ReceivedShadow.Draw?
    /// The radius of screen-space occlusion in metres; nil without it.
    let occlusionRadius: Float?
    /// The probes of the irradiance volume.
    let volume: GPUTextureView
}

/// Declares a frame's passes as a `FrameGraph` and records them.
///
/// To add a pass, declare its textures, reads and writes in `encode`; the graph orders it.
final class FrameEncoder {
    private let resources: RenderResources
    private let mipChains: MipChainPass
    private let bloom: BloomPass
    private let lensBlur: LensBlurPass
    private let materialDepth: MaterialDepth
    private let occlusion: OcclusionPass
    private let resolve: ResolvePass
    private let accumulation: AccumulationPass
    private let timer: GPUTimer?
    /// A texture with one black, transparent texel, which is bound where a pass has no such input.
    private let black: FrameTexture
    private let sceneSampler: GPUSampler
    let shadowPass: ShadowPass
    let occluderPass: OccluderPass
    let receivedShadow: ReceivedShadow
    let pool: TexturePool

    /// Creates an encoder of frames.
    ///
    /// - Parameter measuresTime: Whether frames may ask for their time on the GPU.
    init(_ resources: RenderResources, measuresTime: Bool) throws(GPUError) {
        self.resources = resources
        let (device, pipelines) = (resources.device, resources.pipelines)
        pool = TexturePool(device)
        black = try FrameTexture(device, "black", TextureShape(width: 1, height: 1, format: FrameFormat.radiance))
        mipChains = try MipChainPass(device, pipelines)
        bloom = try BloomPass(device, pipelines, mipChains)
        lensBlur = LensBlurPass(device, pipelines, mipChains)
        materialDepth = try MaterialDepth(device, pipelines)
        occlusion = OcclusionPass(device, pipelines)
        resolve = try ResolvePass(device, pipelines, bloom, black: black.view)
        accumulation = AccumulationPass(device)
        shadowPass = try ShadowPass(device, pipelines)
        occluderPass = try OccluderPass(device, pipelines)
        receivedShadow = ReceivedShadow(device)
        sceneSampler = try device.makeSampler(GPUSamplerDescriptor("scene"))
        timer = measuresTime && device.features.contains(.timestampQuery) ? try GPUTimer(device, capacity: 32) : nil
    }

    /// Bytes of GPU memory.
    var memory: Int { pool.memory + shadowPass.memory + receivedShadow.memory }

    /// Frees transient textures and the kept shadow.
    func purge() {
        pool.purge()
        receivedShadow.purge()
    }

    /// Records the frame's passes.
    func encode(_ contents: FrameContents, _ buffers: FrameBuffers, _ encoder: borrowing GPUCommandEncoder) throws(GPUError) {
        defer { pool.endFrame() }
        let (frame, plan) = (contents.frame, contents.plan)
        let timer = frame.options.measuresTime ? self.timer : nil
        let layers = LayeredDraws(contents.draws)
        var graph = FrameGraph()
        let target = graph.external(frame.target)
        let vertices = graph.external(nil)
        let shadowAtlas = graph.external(nil)
        if !contents.deformation.isEmpty {
            let deformer = resources.deformer
            graph.addPass("deformation", writes: [vertices]) { encoder, _ throws(GPUError) in
                try deformer.encode(contents.deformation, encoder)
            }
        }
        if !contents.shadows.isEmpty {
            let shadowPass = shadowPass
            graph.addPass("shadows", reads: [vertices], writes: [shadowAtlas]) { encoder, _ throws(GPUError) in
                try shadowPass.encode(contents.shadows, contents.casters, buffers, timer, encoder)
            }
        }
        let keptShadow = graph.external(nil)
        if let draw = contents.receivedShadow {
            graph.addPass("received shadow", reads: [vertices, shadowAtlas], writes: [keptShadow]) { [self] encoder, _ throws(GPUError) in
                let group = try bindGroup(contents, buffers)
                let attachment = GPUColorAttachment(draw.target, load: .clear(.clear))
                encoder.renderPass(
                    GPURenderPassDescriptor("received shadow", colors: [attachment], timestamps: timer?.span("received shadow"))
                ) { pass in
                    pass.setPipeline(draw.pipeline)
                    pass.setBindGroup(0, group)
                    pass.setBindGroup(1, draw.material)
                    draw.mesh.encode(pass)
                }
            }
        }
        let occlusion = contents.occlusionRadius.map { radius in
            self.occlusion.addPasses(to: &graph, after: vertices, frame, radius: radius, timer) { [self] pass throws(GPUError) in
                pass.setBindGroup(0, try bindGroup(contents, buffers))
                LayeredDraws.encode(layers.opaque, pass, .geometry)
            }
        }
        let scene = addScenePasses(
            to: &graph, contents, buffers, layers,
            inputs: SceneInputs(vertices: vertices, shadows: shadowAtlas, keptShadow: keptShadow, occlusion: occlusion), target, timer)
        if plan.needsResolve, var color = scene.color {
            if let lens = plan.lens { color = lensBlur.addPasses(to: &graph, color: color, depth: scene.depth, frame, lens) }
            resolve.addPasses(to: &graph, from: color, to: target, width: frame.width, height: frame.height, plan.finish, timer)
        }
        try graph.encode(to: encoder, pool)
        timer?.resolve(with: encoder)
    }

    /// The time that the last frame took on the GPU, if it was measured; waits for it.
    func readMilliseconds() throws(GPUError) -> Double? {
        guard let timer else { return nil }
        return try timer.read().reduce(0) { $0 + $1.nanoseconds } / 1e6
    }

    // MARK: The scene

    private struct SceneInputs {
        let vertices, shadows, keptShadow: FrameGraph.Handle
        let occlusion: FrameGraph.Handle?

        var all: [FrameGraph.Handle] { [vertices, shadows, keptShadow] + (occlusion.map { [$0] } ?? []) }
    }

    /// Opaque parts, sky and translucent parts: in one pass, or in two with a copy of the opaque parts between them if something transmits
    /// light.
    ///
    /// - Returns: The textures of the last pass; no colour if it drew into the target.
    private func addScenePasses(
        to graph: inout FrameGraph, _ contents: FrameContents, _ buffers: FrameBuffers, _ layers: LayeredDraws, inputs: SceneInputs,
        _ target: FrameGraph.Handle, _ timer: GPUTimer?
    ) -> (color: FrameGraph.Handle?, depth: FrameGraph.Handle) {
        let (frame, plan) = (contents.frame, contents.plan)
        var shape = TextureShape(
            width: frame.width, height: frame.height, format: FrameFormat.depth, sampleCount: frame.options.sampleCount)
        let depth = graph.texture("depth", shape)
        let attributes =
            layers.hasDeferred ? addAttributePass(to: &graph, contents, buffers, layers, inputs: inputs, depth: depth, timer) : nil
        // The scene is drawn over the depth of the attributes.
        let sceneDepth = attributes == nil ? depth : graph.version(of: depth)
        shape.format = plan.colorFormat
        let color = plan.drawsIntoTarget ? nil : graph.texture("color", shape)
        // Deferred surfaces of several materials are shaded before the scene's pass, which draws over them.
        let image = color ?? target
        var shaded: FrameGraph.Handle?
        if let attributes, layers.hasSeveralDeferred {
            addShadingPass(to: &graph, contents, buffers, layers, inputs: inputs, attributes, depth: depth, onto: image, timer)
            shaded = image
        }
        let sceneImage = shaded == nil ? image : graph.version(of: image)
        let resolvesInto = color != nil && !plan.needsResolve ? target : nil
        graph.addPass(
            "scene", reads: inputs.all + (attributes?.all ?? []),
            writes: (attributes == nil ? [depth] : []) + (shaded == nil ? [image] : []) + (resolvesInto.map { [$0] } ?? []),
            updates: (attributes == nil ? [] : [(depth, sceneDepth)]) + (shaded == nil ? [] : [(image, sceneImage)])
        ) { [self] encoder, textures throws(GPUError) in
            let descriptor = plan.scenePass(
                color: color == nil ? nil : textures.view(sceneImage), depth: textures.view(sceneDepth), loadsColor: shaded != nil,
                loadsDepth: attributes != nil, target: frame.target, timer?.span("scene"))
            let group = try bindGroup(contents, buffers, occlusion: inputs.occlusion.map { textures.view($0) })
            let attributeGroup = try attributes.map { attributes throws(GPUError) in
                try AttributeBuffer.bindGroup(resources.device, resources.attributeLayout, attributes, textures)
            }
            encoder.renderPass(descriptor) { pass in
                if let occluder = contents.occluder { occluder.encode(pass) }
                pass.setBindGroup(0, group)
                if let attributeGroup, shaded == nil {
                    pass.setBindGroup(2, attributeGroup)
                    LayeredDraws.shadeAttributes(layers.opaque, pass)
                }
                LayeredDraws.encode(layers.opaque, pass)
                guard !plan.hasTransmission else { return }
                drawSky(contents.sky, pass)
                LayeredDraws.encode(layers.translucent, pass)
            }
        }
        guard color != nil else { return (nil, sceneDepth) }
        guard plan.hasTransmission else { return (sceneImage, sceneDepth) }
        return addTranslucentPasses(to: &graph, contents, buffers, layers, inputs: inputs, over: (sceneImage, sceneDepth), timer)
    }

    /// Copies the opaque parts, and draws sky and translucent parts over them.
    private func addTranslucentPasses(
        to graph: inout FrameGraph, _ contents: FrameContents, _ buffers: FrameBuffers, _ layers: LayeredDraws, inputs: SceneInputs,
        over opaque: (color: FrameGraph.Handle, depth: FrameGraph.Handle), _ timer: GPUTimer?
    ) -> (color: FrameGraph.Handle, depth: FrameGraph.Handle) {
        let (frame, plan) = (contents.frame, contents.plan)
        let opaqueScene = graph.texture("opaque scene", .mipChain(width: frame.width, height: frame.height))
        graph.addPass("opaque scene", reads: [opaque.color], writes: [opaqueScene]) { [self] encoder, textures throws(GPUError) in
            try mipChains.copy(textures.view(opaque.color), to: textures[opaqueScene].levels[0], encoder)
            try mipChains.fill(textures[opaqueScene], encoder)
        }
        let (color, depth) = (graph.version(of: opaque.color), graph.version(of: opaque.depth))
        graph.addPass(
            "scene, translucent", reads: inputs.all + [opaqueScene], updates: [(opaque.color, color), (opaque.depth, depth)]
        ) { [self] encoder, textures throws(GPUError) in
            let descriptor = plan.translucentPass(
                color: textures.view(color), depth: textures.view(depth), timer?.span("scene, translucent"))
            let group = try bindGroup(
                contents, buffers, occlusion: inputs.occlusion.map { textures.view($0) }, opaqueScene: textures.view(opaqueScene))
            encoder.renderPass(descriptor) { pass in
                pass.setBindGroup(0, group)
                // The sky is not in the copy: refraction shows another part of it than the one behind the surface.
                drawSky(contents.sky, pass)
                LayeredDraws.encode(layers.translucent, pass)
            }
        }
        return (color, depth)
    }

    /// Draws the attributes and depth of the parts that are shaded deferred.
    private func addAttributePass(
        to graph: inout FrameGraph, _ contents: FrameContents, _ buffers: FrameBuffers, _ layers: LayeredDraws, inputs: SceneInputs,
        depth: FrameGraph.Handle, _ timer: GPUTimer?
    ) -> AttributeBuffer.Textures {
        AttributeBuffer.addPass(
            to: &graph, inputs: inputs.all, depth: depth, hasPosition: contents.plan.attributesHavePosition, contents.frame, timer
        ) { [self] pass throws(GPUError) in
            pass.setBindGroup(0, try bindGroup(contents, buffers))
            LayeredDraws.encode(layers.opaque, pass, .attributes)
        }
    }

    /// Shades the attributes of several materials.
    private func addShadingPass(
        to graph: inout FrameGraph, _ contents: FrameContents, _ buffers: FrameBuffers, _ layers: LayeredDraws, inputs: SceneInputs,
        _ attributes: AttributeBuffer.Textures, depth: FrameGraph.Handle, onto image: FrameGraph.Handle, _ timer: GPUTimer?
    ) {
        let materials = materialDepth.addPass(to: &graph, attributes, depth: depth, contents.frame)
        graph.addPass("deferred shading", reads: inputs.all + attributes.all + [materials], writes: [image]) {
            [self] encoder, textures throws(GPUError) in
            let clear = contents.plan.clearColor
            let descriptor = GPURenderPassDescriptor(
                "deferred shading", colors: [GPUColorAttachment(textures.view(image), load: .clear(clear))],
                depthStencil: GPUDepthStencilAttachment(textures.view(materials), depthLoad: .load, depthStore: .discard),
                timestamps: timer?.span("deferred shading"))
            let group = try bindGroup(contents, buffers)
            let attributeGroup = try AttributeBuffer.bindGroup(resources.device, resources.attributeLayout, attributes, textures)
            encoder.renderPass(descriptor) { pass in
                pass.setBindGroup(0, group)
                pass.setBindGroup(2, attributeGroup)
                LayeredDraws.shadeAttributes(layers.opaque, pass)
            }
        }
    }

    private func drawSky(_ sky: GPURenderPipeline?, _ pass: borrowing GPURenderPass) {
        guard let sky else { return }
        pass.setPipeline(sky)
        pass.draw(vertexCount: 3)
    }

    /// Group 0 of a pass with the textures that the pass reads.
    private func bindGroup(
        _ contents: FrameContents, _ buffers: FrameBuffers, occlusion: GPUTextureView? = nil, opaqueScene: GPUTextureView? = nil
    ) throws(GPUError) -> GPUBindGroup {
        let textures: [GPUBindGroupEntry] = [
            .texture(FrameBindings.opaqueScene, opaqueScene ?? black.view), .sampler(FrameBindings.opaqueSceneSampler, sceneSampler),
            .buffer(FrameBindings.areaLights, resources.areaTable), .texture(FrameBindings.screenOcclusion, occlusion ?? black.view),
            .texture(FrameBindings.irradianceVolume, contents.volume),
        ]
        return try resources.device.makeBindGroup(
            "frame", layout: resources.frameLayout, buffers.entries(contents.light) + textures + shadowPass.entries)
    }

    // MARK: Stills

    /// Adds a share of one frame to the sum of those before, and finishes the image after the last one.
    ///
    /// - Parameters:
    ///   - finish: Effects on the sum, and their target; nil: not finished yet.
    func accumulate(
        _ frame: GPUTextureView, share: Float, onto sum: GPUTextureView, to next: GPUTextureView,
        finish: (target: GPUTextureView, finish: ResolvePass.Finish)?, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        try accumulation.draw(frame, share: share, onto: sum, to: next, encoder)
        guard let (target, finish) = finish else { return }
        var graph = FrameGraph()
        let (source, output) = (graph.external(next), graph.external(target))
        resolve.addPasses(
            to: &graph, from: source, to: output, width: target.texture.width, height: target.texture.height, finish, nil)
        try graph.encode(to: encoder, pool)
    }
}

extension FramePlan {
    /// What the scene is drawn onto. An image that is resolved later is composited over its background then.
    fileprivate var clearColor: GPUColor {
        let clear = needsResolve ? Vector4(repeating: 0) : background
        return GPUColor(Double(clear.x), Double(clear.y), Double(clear.z), Double(clear.w))
    }

    /// The pass that draws the scene, or its opaque half if there are two.
    ///
    /// - Parameters:
    ///   - color: The texture into which the scene is drawn; nil for the target.
    ///   - loadsColor: Whether deferred surfaces were shaded before.
    ///   - loadsDepth: Whether `depth` has that of the attributes.
    fileprivate func scenePass(
        color: GPUTextureView?, depth: GPUTextureView, loadsColor: Bool, loadsDepth: Bool, target: GPUTextureView,
        _ timestamps: GPUPassTimestamps?
    ) -> GPURenderPassDescriptor {
        let attachment = GPUColorAttachment(
            color ?? target, load: loadsColor ? .load : .clear(clearColor),
            store: color == nil || needsResolve ? .store : .discard, resolveTarget: color == nil || needsResolve ? nil : target)
        return GPURenderPassDescriptor(
            "scene", colors: [attachment],
            depthStencil: GPUDepthStencilAttachment(
                depth, depthLoad: loadsDepth ? .load : .clear(0), depthStore: hasTransmission || lens != nil ? .store : .discard),
            timestamps: timestamps)
    }

    /// The second half, drawn over the first one.
    fileprivate func translucentPass(
        color: GPUTextureView, depth: GPUTextureView, _ timestamps: GPUPassTimestamps?
    ) -> GPURenderPassDescriptor {
        GPURenderPassDescriptor(
            "scene, translucent", colors: [GPUColorAttachment(color, load: .load)],
            depthStencil: GPUDepthStencilAttachment(depth, depthLoad: .load, depthStore: lens != nil ? .store : .discard),
            timestamps: timestamps)
    }
}
