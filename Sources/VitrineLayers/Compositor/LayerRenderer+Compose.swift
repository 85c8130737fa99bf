import VitrineGPU
import VitrineMath
import VitrineScene

extension LayerRenderer {
    /// Draws a planned picture: first the pictures that are in it, then its shapes, then what is done to it.
    ///
    /// - Returns: From the pool: to be given back once what reads it is recorded.
    func compose(
        _ plan: PicturePlan, _ resources: LayerResources, isRoot: Bool, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) -> LayerPicture {
        var inner: [LayerPicture?] = []
        for draw in plan.draws {
            if case .picture(let other) = draw.source {
                inner.append(try compose(other, resources, isRoot: false, encoder))
                statistics.pictures += 1
            } else {
                inner.append(nil)
            }
        }
        let region = isRoot ? plan.limit : plan.region
        let picture = try pool.take(region, scale: plan.scale, offset: plan.offset)
        try draw(plan, inner, resources, region, to: picture, encoder)
        for used in inner { if let used { pool.giveBack(used) } }
        return picture
    }

    private func draw(
        _ plan: PicturePlan, _ inner: [LayerPicture?], _ resources: LayerResources, _ region: PixelRectangle, to picture: LayerPicture,
        _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        let frame = try pipelines.frameGroup(resources, region)
        let batches = try batches(plan, inner)
        statistics.drawCalls += batches.count
        encoder.renderPass(GPURenderPassDescriptor("layers", colors: [GPUColorAttachment(picture.view)])) { pass in
            pass.setBindGroup(0, frame)
            for batch in batches {
                pass.setPipeline(batch.pipeline)
                pass.setBindGroup(1, batch.group)
                pass.draw(vertexCount: 6, instanceCount: batch.instances.count, firstInstance: batch.instances.lowerBound)
            }
        }
    }

    private struct Batch {
        let pipeline: GPURenderPipeline
        let group: GPUBindGroup
        var instances: Range<Int>
    }

    private func batches(_ plan: PicturePlan, _ inner: [LayerPicture?]) throws(GPUError) -> [Batch] {
        var batches: [Batch] = []
        var last: PicturePlan.Draw?
        for (number, draw) in plan.draws.enumerated() {
            if let last, last.joins(draw), batches[batches.count - 1].instances.upperBound == draw.instance {
                batches[batches.count - 1].instances = batches[batches.count - 1].instances.lowerBound..<draw.instance + 1
                continue
            }
            last = draw
            var (view, filter): (GPUTextureView?, FilterMode) = (inner[number]?.view, .linear)
            if case .image(let picture, let wanted) = draw.source { (view, filter) = (picture.view, wanted) }
            batches.append(
                Batch(
                    pipeline: try pipelines.pipeline(draw.parts, isAdditive: draw.blend == .plusLighter),
                    group: try pipelines.pictureGroup(view, filter, masks: nil), instances: draw.instance..<draw.instance + 1))
        }
        return batches
    }
}

extension PicturePlan.Draw {
    /// Whether both can be one draw.
    fileprivate func joins(_ next: PicturePlan.Draw) -> Bool {
        guard parts == next.parts, page == next.page, blend == .normal, next.blend == .normal else { return false }
        switch (source, next.source) {
        case (.none, .none): return true
        case (.image(let a, let first), .image(let b, let second)): return a === b && first == second
        default: return false
        }
    }
}
