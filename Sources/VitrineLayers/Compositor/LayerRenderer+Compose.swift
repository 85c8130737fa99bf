import VitrineGPU
import VitrineMath
import VitrineScene

extension LayerRenderer {
    /// Draws a planned picture: first the pictures that are in it, then its shapes, then what is done to it.
    ///
    /// - Returns: From the pool: to be given back once what reads it is recorded.
    func compose(
        _ plan: SurfacePlan, _ resources: LayerResources, isRoot: Bool, _ encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) -> LayerSurface {
        let region = isRoot ? plan.limit : plan.region
        var surface = try drawn(plan, resources, region, encoder)
        for step in plan.steps { surface = try finish(surface, step, region, resources, encoder) }
        return surface
    }

    /// A picture for another one: the last frame's, if nothing about it has changed.
    private func group(
        _ plan: SurfacePlan, _ resources: LayerResources, _ encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) -> LayerSurface {
        if let surface = finished.surface(of: plan) {
            statistics.reusedSurfaces += 1
            return surface
        }
        statistics.surfaces += 1
        return try compose(plan, resources, isRoot: false, encoder)
    }

    /// The picture without what is done to it afterwards.
    private func drawn(
        _ plan: SurfacePlan, _ resources: LayerResources, _ region: PixelRectangle, _ encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) -> LayerSurface {
        // The pieces of one shape show the same picture: it is made once.
        var inner: [InnerSurface] = []
        for plan in plan.innerPlans { inner.append(InnerSurface(plan: plan, surface: try group(plan, resources, encoder))) }
        do throws(GPUError) {
            let surface = try pool.take(region, scale: plan.scale, offset: plan.offset)
            try draw(plan, inner, resources, region, to: surface, encoder)
            for used in inner { finished.take(used.surface, of: used.plan) }
            return surface
        } catch {
            throw .gpu(error, doing: "drawing layers")
        }
    }

    /// A group that is put into a picture.
    private struct InnerSurface {
        let plan: SurfacePlan
        let surface: LayerSurface
    }

    // MARK: Shapes

    private func draw(
        _ plan: SurfacePlan, _ inner: [InnerSurface], _ resources: LayerResources, _ region: PixelRectangle, to surface: LayerSurface,
        _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        let frame = try pipelines.frameGroup(resources, region)
        let batches = batches(plan)
        statistics.drawCalls += batches.count
        // What mixes with what is behind it begins a pass of its own, and reads a copy.
        var ends = batches.indices.filter { batches[$0].draw.parts.blend != .normal }
        ends.append(batches.count)
        try draw(batches[..<ends[0]], inner, frame, nil, to: surface, clearing: plan.background, encoder)
        for (start, end) in zip(ends, ends.dropFirst()) {
            let behind = try pool.take(region, scale: plan.scale)
            encoder.copy(from: surface.texture.place(), to: behind.texture.place())
            try draw(batches[start..<end], inner, frame, behind, to: surface, clearing: nil, encoder)
            pool.giveBack(behind)
        }
    }

    private func draw(
        _ batches: ArraySlice<Batch>, _ inner: [InnerSurface], _ frame: GPUBindGroup, _ behind: LayerSurface?, to surface: LayerSurface,
        clearing background: Vector4?, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        var ready: [(pipeline: GPURenderPipeline, group: GPUBindGroup, instances: Range<Int>)] = []
        for batch in batches {
            var (view, filter): (GPUTextureView?, FilterMode) = (nil, .linear)
            switch batch.draw.source {
            case .none: break
            case .image(let surface, let wanted): (view, filter) = (surface.view, wanted)
            case .surface(let plan): view = inner.first { $0.plan === plan }?.surface.view
            }
            let second = batch.draw.parts.blend != .normal ? behind?.view : masks.view(batch.draw.page)
            let pipeline = try pipelines.pipeline(batch.draw.parts, batch.draw.joining)
            ready.append((pipeline, try pipelines.contentGroup(view, filter, masks: second), batch.instances))
        }
        let attachment = GPUColorAttachment(surface.view, load: background.map { .clear(GPUColor($0)) } ?? .load)
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
        let draw: SurfacePlan.Draw
        var instances: Range<Int>
    }

    private func batches(_ plan: SurfacePlan) -> [Batch] {
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
        _ surface: LayerSurface, _ step: SurfacePlan.Step, _ region: PixelRectangle, _ resources: LayerResources,
        _ encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) -> LayerSurface {
        if case .effects(let effects, let bounds) = step { return try changed(surface, by: effects, bounds, encoder) }
        var mask: (surface: LayerSurface, offset: Vector2)?
        if case .mask(let cut) = step {
            // A mask that covers nothing still needs a texture: a small one, empty.
            let own = cut.region.isEmpty ? PixelRectangle(x: region.x, y: region.y, width: 16, height: 16) : cut.region
            mask = (try drawn(cut, resources, own, encoder), Vector2(Float(region.x - own.x), Float(region.y - own.y)))
        }
        do throws(GPUError) {
            switch step {
            case .effects: return surface
            case .blur(let deviation): return try finishing.blurred(surface, deviation, encoder)
            case .shadow(let settings, let radius, let offset):
                return try finishing.shadowed(surface, settings, radius: radius, offset: offset, encoder)
            case .mask:
                guard let mask else { return surface }
                let result = try finishing.masked(surface, by: mask.surface, offset: mask.offset, encoder)
                pool.giveBack(mask.surface)
                return result
            }
        } catch {
            throw .gpu(error, doing: "finishing a layer")
        }
    }

    /// What effects make of a picture, cut to the picture's size: room for what they move outwards is there already.
    private func changed(
        _ surface: LayerSurface, by effects: [ShaderEffect], _ bounds: Rectangle, _ encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) -> LayerSurface {
        let renderer = try effectRenderer()
        let result: LayerSurface
        do throws(ShaderError) {
            result = try renderer.apply(effects, to: surface, bounds: bounds, reusing: usedEffectSurfaces.popLast(), with: encoder)
        } catch {
            throw .shader(error)
        }
        if result.texture === surface.texture { return surface }
        usedEffectSurfaces.append(result)
        let shift = ((surface.bounds.origin - result.bounds.origin) * surface.scale).rounded(.toNearestOrAwayFromZero)
        encoder.copy(
            from: result.texture.place(x: max(Int(shift.x), 0), y: max(Int(shift.y), 0)), to: surface.texture.place(),
            size: GPUExtent(surface.texture.width, surface.texture.height))
        return surface
    }
}

extension SurfacePlan.Draw {
    /// Whether both can be one draw.
    fileprivate func joins(_ next: SurfacePlan.Draw) -> Bool {
        guard parts == next.parts, page == next.page, joining == next.joining, blend == .normal, next.blend == .normal else { return false }
        switch (source, next.source) {
        case (.none, .none): return true
        case (.image(let a, let first), .image(let b, let second)): return a === b && first == second
        case (.surface(let a), .surface(let b)): return a === b
        default: return false
        }
    }
}

extension GPUColor {
    fileprivate init(_ color: Vector4) { self.init(Double(color.x), Double(color.y), Double(color.z), Double(color.w)) }
}
