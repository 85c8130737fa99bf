import VitrineGPU
import VitrineScene

extension Renderer {
    /// Records a frame's passes, in the order in which each needs what the one before has drawn, and hands them to the GPU.
    ///
    /// A plain frame is the first of the scene's passes alone, straight into the target. A pass that comes before the scene (of shadows, of
    /// depth) belongs before `encodeScene`, one that works on the finished picture between it and `encodeResolve`.
    func encode(
        _ draws: [PreparedDraw], _ plan: FramePlan, _ view: View, _ light: EnvironmentLight, _ shadows: FrameShadows,
        _ casters: [CasterDraw], _ occlusion: OcclusionSettings?, _ occluder: OccluderPass.Draw?, _ options: RenderOptions,
        _ encoder: consuming GPUCommandEncoder
    ) throws(RenderError) {
        let sky = try plan.skyKey.flatMap { key throws(RenderError) in try pipelines.sky(key) }
        guard let targets else { return }
        let timer = options.measuresTime ? self.timer : nil
        do throws(GPUError) {
            try shadowPass.encode(
                shadows, casters, uniforms: uniforms, instances: instances.buffer.buffer,
                timestamps: shadows.isEmpty ? nil : timer?.span("shadows"),
                encoder)
            let found = try occlusion.map { _ throws(GPUError) in
                try occlusionPass.textures(width: plan.target.texture.width, height: plan.target.texture.height)
            }
            let group = try device.makeBindGroup("frame", layout: frameLayout, frameEntries(light, targets, found))
            let draws = LayeredDraws(draws)
            if let occlusion, let found { try encodeOcclusion(draws, group, view, occlusion, found, timer, encoder) }
            try encodeScene(draws, occluder, sky, group, plan, targets, timer, encoder)
            try encodeResolve(plan, view, targets, timer, encoder)
            timer?.resolve(with: encoder)
            device.queue.submit(try encoder.finish())
            try device.checkErrors()
        } catch {
            throw .gpu(error, doing: "drawing a frame")
        }
    }

    /// Depth and normals of the opaque parts, and from them what they keep off each other.
    private func encodeOcclusion(
        _ draws: LayeredDraws, _ group: GPUBindGroup, _ view: View, _ settings: OcclusionSettings, _ textures: OcclusionPass.Textures,
        _ timer: GPUTimer?, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        encoder.renderPass(occlusionPass.passDescriptor(textures, timer?.span("depth and normals"))) { pass in
            pass.setViewport(x: 0, y: 0, width: Float(textures.width) / 2, height: Float(textures.height) / 2)
            pass.setBindGroup(0, group)
            draw(draws.opaque, pass, geometryOnly: true)
        }
        try occlusionPass.draw(textures, settings, worldFromCamera: view.worldFromCamera, encoder)
    }

    /// What hides the scene, opaque parts, the sky where nothing was drawn, then what is seen through: in one pass, or in two with a copy of the opaque parts
    /// between them where something lets light through.
    private func encodeScene(
        _ draws: LayeredDraws, _ occluder: OccluderPass.Draw?, _ sky: GPURenderPipeline?, _ group: GPUBindGroup, _ plan: FramePlan,
        _ targets: FrameTargets, _ timer: GPUTimer?, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        encoder.renderPass(plan.passDescriptor(targets, timer?.span("scene"))) { pass in
            if let occluder { occluder.encode(pass) }
            pass.setBindGroup(0, group)
            draw(draws.opaque, pass)
            if !plan.hasOpaqueScene {
                drawSky(sky, pass)
                draw(draws.seenThrough, pass)
            }
        }
        guard let opaqueScene = targets.opaqueScene, let color = targets.color else { return }
        try pyramids.copy(color, to: opaqueScene.levels[0], encoder)
        try pyramids.fill(opaqueScene, encoder)
        encoder.renderPass(plan.secondPassDescriptor(targets, timer?.span("scene, seen through"))) { pass in
            pass.setBindGroup(0, group)
            // Not in the copy: what is refracted sees another part of the sky than what lies behind it in the picture.
            drawSky(sky, pass)
            draw(draws.seenThrough, pass)
        }
    }

    private func drawSky(_ sky: GPURenderPipeline?, _ pass: borrowing GPURenderPass) {
        guard let sky else { return }
        pass.setPipeline(sky)
        pass.draw(vertexCount: 3)
    }

    /// The lens, then bloom, vignette and tone mapping on the way to the target.
    private func encodeResolve(
        _ plan: FramePlan, _ view: View, _ targets: FrameTargets, _ timer: GPUTimer?, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        guard plan.needsResolve, var color = targets.color else { return }
        if let lens = plan.lens {
            let aspectRatio = Float(color.texture.width) / Float(color.texture.height)
            color = try lensBlur.draw(color, depth: targets.depth, lens, view.camera, aspectRatio: aspectRatio, encoder)
        }
        let finish = ResolvePass.Finish(
            background: plan.background, toneMapping: plan.toneMapping, bloom: plan.bloom, vignette: plan.vignette)
        try resolve.draw(color, to: plan.target, finish, timestamps: timer?.span("resolve"), encoder)
    }

    func frameEntries(
        _ light: EnvironmentLight, _ targets: FrameTargets, _ occlusion: OcclusionPass.Textures?
    ) -> [GPUBindGroupEntry] {
        let own: [GPUBindGroupEntry] =
            [
                .buffer(FrameBindings.uniforms, uniforms), .buffer(FrameBindings.instances, instances.buffer.buffer),
                .buffer(FrameBindings.visible, visibleBuffer.buffer), .buffer(FrameBindings.lights, lightBuffer.buffer),
                .buffer(FrameBindings.clusters, clusterBuffer.buffer), .buffer(FrameBindings.lightIndices, lightIndexBuffer.buffer),
                .texture(FrameBindings.opaqueScene, (targets.opaqueScene ?? nothing).view),
                .sampler(FrameBindings.opaqueSceneSampler, sceneSampler), .buffer(FrameBindings.areaLights, areaTable),
                .texture(FrameBindings.screenOcclusion, occlusion?.smooth ?? nothing.view),
            ] + shadowPass.entries
        return own + light.map.entries(firstBinding: FrameBindings.environment, uniforms: environmentUniforms, sky: light.sky)
    }

    /// - Parameter geometryOnly: normals and depth, before the scene.
    func draw(_ draws: ArraySlice<PreparedDraw>, _ pass: borrowing GPURenderPass, geometryOnly: Bool = false) {
        var (pipeline, material): (GPURenderPipeline?, GPUBindGroup?)
        for draw in draws {
            guard let wanted = geometryOnly ? draw.geometryPipeline : draw.pipeline else { continue }
            if wanted !== pipeline {
                pass.setPipeline(wanted)
                pipeline = wanted
            }
            if draw.material !== material {
                pass.setBindGroup(1, draw.material)
                material = draw.material
            }
            pass.setVertexBuffer(0, draw.vertices.0)
            pass.setVertexBuffer(1, draw.vertices.1)
            pass.setVertexBuffer(2, draw.vertices.2)
            pass.setVertexBuffer(3, draw.vertices.3)
            pass.setVertexBuffer(4, draw.vertices.4)
            if let indices = draw.indices {
                pass.setIndexBuffer(indices, .uint32)
                pass.drawIndexed(indexCount: draw.elementCount, instanceCount: draw.instanceCount, firstInstance: draw.firstInstance)
            } else {
                pass.draw(vertexCount: draw.elementCount, instanceCount: draw.instanceCount, firstInstance: draw.firstInstance)
            }
        }
    }
}

/// A frame's draws by the pass that takes them.
struct LayeredDraws {
    let opaque: ArraySlice<Renderer.PreparedDraw>
    /// Transmissive parts, then blended ones.
    let seenThrough: ArraySlice<Renderer.PreparedDraw>

    /// - Parameter draws: in the order of `VisibleSet`.
    init(_ draws: [Renderer.PreparedDraw]) {
        let end = draws.firstIndex { $0.layer != .opaque } ?? draws.count
        (opaque, seenThrough) = (draws[..<end], draws[end...])
    }
}
