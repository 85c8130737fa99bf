import VitrineGPU
import VitrineMath
import VitrineScene

extension LayerRenderer {
    /// Draws a planned picture: first the pictures that are in it, then its shapes, then what is done to it.
    ///
    /// - Returns: From the pool: to be given back once what reads it is recorded.
    func compose(
        _ plan: PicturePlan, _ resources: LayerResources, isRoot: Bool, _ encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) -> LayerPicture {
        let region = isRoot ? plan.limit : plan.region
        var picture = try drawn(plan, resources, region, encoder)
        for step in plan.steps { picture = try finish(picture, step, region, resources, encoder) }
        return picture
    }

    /// A picture for another one: the last frame's, if nothing about it has changed.
    private func group(
        _ plan: PicturePlan, _ resources: LayerResources, _ encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) -> LayerPicture {
        if let picture = finished.picture(of: plan) {
            statistics.keptPictures += 1
            return picture
        }
        statistics.pictures += 1
        return try compose(plan, resources, isRoot: false, encoder)
    }

    /// The picture without what is done to it afterwards.
    private func drawn(
        _ plan: PicturePlan, _ resources: LayerResources, _ region: PixelRectangle, _ encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) -> LayerPicture {
        // The pieces of one shape show the same picture: it is made once.
        var inner: [InnerPicture] = []
        for plan in plan.innerPlans { inner.append(InnerPicture(plan: plan, picture: try group(plan, resources, encoder))) }
        do throws(GPUError) {
            let picture = try pool.take(region, scale: plan.scale, offset: plan.offset)
            try draw(plan, inner, resources, region, to: picture, encoder)
            for used in inner { finished.take(used.picture, of: used.plan) }
            return picture
        } catch {
            throw .gpu(error, doing: "drawing layers")
        }
    }

    /// A group that is put into a picture.
    private struct InnerPicture {
        let plan: PicturePlan
        let picture: LayerPicture
    }

    // MARK: Shapes

    private func draw(
        _ plan: PicturePlan, _ inner: [InnerPicture], _ resources: LayerResources, _ region: PixelRectangle, to picture: LayerPicture,
        _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        let frame = try pipelines.frameGroup(resources, region)
        let batches = batches(plan)
        statistics.drawCalls += batches.count
        // What mixes with what is behind it begins a pass of its own, and reads a copy.
        var ends = batches.indices.filter { batches[$0].draw.parts.blend != .normal }
        ends.append(batches.count)
        try draw(batches[..<ends[0]], inner, frame, nil, to: picture, clearing: plan.background, encoder)
        for (start, end) in zip(ends, ends.dropFirst()) {
            let behind = try pool.take(region, scale: plan.scale)
            encoder.copy(from: picture.texture.place(), to: behind.texture.place())
            try draw(batches[start..<end], inner, frame, behind, to: picture, clearing: nil, encoder)
            pool.giveBack(behind)
        }
    }

    private func draw(
        _ batches: ArraySlice<Batch>, _ inner: [InnerPicture], _ frame: GPUBindGroup, _ behind: LayerPicture?, to picture: LayerPicture,
        clearing background: Vector4?, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        var ready: [(pipeline: GPURenderPipeline, group: GPUBindGroup, instances: Range<Int>)] = []
        for batch in batches {
            var (view, filter): (GPUTextureView?, FilterMode) = (nil, .linear)
            switch batch.draw.source {
            case .none: break
            case .image(let picture, let wanted): (view, filter) = (picture.view, wanted)
            case .picture(let plan): view = inner.first { $0.plan === plan }?.picture.view
            }
            let second = batch.draw.parts.blend != .normal ? behind?.view : masks.view(batch.draw.page)
            let pipeline = try pipelines.pipeline(batch.draw.parts, batch.draw.joining)
            ready.append((pipeline, try pipelines.pictureGroup(view, filter, masks: second), batch.instances))
        }
        let attachment = GPUColorAttachment(picture.view, load: background.map { .clear(GPUColor($0)) } ?? .load)
        encoder.renderPass(GPURenderPassDescriptor("layers", colors: [attachment])) { pass in
            pass.setBindGroup(0, frame)
            for draw in ready {
                pass.setPipeline(draw.pipeline)
                pass.setBindGroup(1, draw.group)
                pass.draw(vertexCount: 6, instanceCount: draw.instances.count, firstInstance: draw.instances.lowerBound)
            }
        }
    }

    private struct Batch {
        /// The first of them.
        let draw: PicturePlan.Draw
        var instances: Range<Int>
    }

    private func batches(_ plan: PicturePlan) -> [Batch] {
        var batches: [Batch] = []
        for draw in plan.draws {
            if let last = batches.last, last.draw.joins(draw), last.instances.upperBound == draw.instance {
                batches[batches.count - 1].instances = last.instances.lowerBound..<draw.instance + 1
            } else {
                batches.append(Batch(draw: draw, instances: draw.instance..<draw.instance + 1))
            }
        }
        return batches
    }

    // MARK: What is done to a group

    private func finish(
        _ picture: LayerPicture, _ step: PicturePlan.Step, _ region: PixelRectangle, _ resources: LayerResources,
        _ encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) -> LayerPicture {
        if case .effects(let effects, let bounds) = step { return try changed(picture, by: effects, bounds, encoder) }
        var mask: (picture: LayerPicture, offset: Vector2)?
        if case .mask(let cut) = step {
            // A mask that covers nothing still needs a texture: a small one, empty.
            let own = cut.region.isEmpty ? PixelRectangle(x: region.x, y: region.y, width: 16, height: 16) : cut.region
            mask = (try drawn(cut, resources, own, encoder), Vector2(Float(region.x - own.x), Float(region.y - own.y)))
        }
        do throws(GPUError) {
            switch step {
            case .effects: return picture
            case .blur(let deviation): return try finishing.blurred(picture, deviation, encoder)
            case .shadow(let settings, let radius, let offset):
                return try finishing.shadowed(picture, settings, radius: radius, offset: offset, encoder)
            case .mask:
                guard let mask else { return picture }
                let result = try finishing.masked(picture, by: mask.picture, offset: mask.offset, encoder)
                pool.giveBack(mask.picture)
                return result
            }
        } catch {
            throw .gpu(error, doing: "finishing a layer")
        }
    }

    /// What effects make of a picture, cut to the picture's size: room for what they move outwards is there already.
    private func changed(
        _ picture: LayerPicture, by effects: [ShaderEffect], _ bounds: Rectangle, _ encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) -> LayerPicture {
        let renderer = try effectRenderer()
        let result: LayerPicture
        do throws(ShaderError) {
            result = try renderer.apply(effects, to: picture, bounds: bounds, reusing: usedEffectPictures.popLast(), with: encoder)
        } catch {
            throw .shader(error)
        }
        if result.texture === picture.texture { return picture }
        usedEffectPictures.append(result)
        let shift = ((picture.bounds.origin - result.bounds.origin) * picture.scale).rounded(.toNearestOrAwayFromZero)
        encoder.copy(
            from: result.texture.place(x: max(Int(shift.x), 0), y: max(Int(shift.y), 0)), to: picture.texture.place(),
            size: GPUExtent(picture.texture.width, picture.texture.height))
        return picture
    }
}

extension PicturePlan.Draw {
    /// Whether both can be one draw.
    fileprivate func joins(_ next: PicturePlan.Draw) -> Bool {
        guard parts == next.parts, page == next.page, joining == next.joining, blend == .normal, next.blend == .normal else { return false }
        switch (source, next.source) {
        case (.none, .none): return true
        case (.image(let a, let first), .image(let b, let second)): return a === b && first == second
        case (.picture(let a), .picture(let b)): return a === b
        default: return false
        }
    }
}

extension GPUColor {
    fileprivate init(_ color: Vector4) { self.init(Double(color.x), Double(color.y), Double(color.z), Double(color.w)) }
}
