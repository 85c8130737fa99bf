import VitrineGPU
import VitrineScene

extension Renderer {
    func encode(
        _ draws: [PreparedDraw], _ plan: FramePlan, _ light: EnvironmentLight, _ options: RenderOptions,
        _ encoder: consuming GPUCommandEncoder
    ) throws(RenderError) {
        let sky = try plan.skyKey.map { key throws(RenderError) in try pipelines.pipeline(key) }
        guard let targets else { return }
        let timer = options.measuresTime ? self.timer : nil
        let firstBlended = draws.firstIndex { $0.isBlended } ?? draws.count
        do throws(GPUError) {
            let group = try device.makeBindGroup("frame", layout: frameLayout, frameEntries(light))
            let pass = plan.passDescriptor(targets, timer?.span("scene"))
            encoder.renderPass(pass) { pass in
                pass.setBindGroup(0, group)
                // The sky shows where no opaque surface is, and behind blended ones.
                draw(draws[..<firstBlended], pass)
                if let sky {
                    pass.setPipeline(sky)
                    pass.draw(vertexCount: 3)
                }
                draw(draws[firstBlended...], pass)
            }
            if plan.needsResolve, let color = targets.color {
                try resolve.draw(
                    color, to: plan.target, background: plan.background, toneMapping: plan.toneMapping,
                    timestamps: timer?.span("resolve"), encoder)
            }
            timer?.resolve(with: encoder)
            device.queue.submit(try encoder.finish())
            try device.checkErrors()
        } catch {
            throw .gpu(error, doing: "drawing a frame")
        }
    }

    func frameEntries(_ light: EnvironmentLight) -> [GPUBindGroupEntry] {
        let own: [GPUBindGroupEntry] = [
            .buffer(FrameBindings.uniforms, uniforms), .buffer(FrameBindings.instances, instances.buffer.buffer),
            .buffer(FrameBindings.visible, visibleBuffer.buffer), .buffer(FrameBindings.lights, lightBuffer.buffer),
            .buffer(FrameBindings.clusters, clusterBuffer.buffer), .buffer(FrameBindings.lightIndices, lightIndexBuffer.buffer),
        ]
        return own + light.map.entries(firstBinding: FrameBindings.environment, uniforms: environmentUniforms, sky: light.sky)
    }

    func draw(_ draws: ArraySlice<PreparedDraw>, _ pass: borrowing GPURenderPass) {
        var (pipeline, material): (GPURenderPipeline?, GPUBindGroup?)
        for draw in draws {
            if draw.pipeline !== pipeline {
                pass.setPipeline(draw.pipeline)
                pipeline = draw.pipeline
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
