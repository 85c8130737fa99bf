import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene

/// Renders trees of layers to images, without a window; `LayerView` shows them in a window.
///
/// ```swift
/// let renderer = try LayerRenderer()
/// let image = try renderer.image(of: root, size: [320, 200], scale: 2)   // 640 × 400 pixels
/// ```
///
/// A frame is a list of shapes in painter's order. Consecutive shapes with the same pipeline and texture are one instanced draw. Shapes are
/// composited in half precision, linear light, premultiplied; the last pass encodes and dithers. Groups that need one get an offscreen surface from
/// a pool. Images, drawings and path masks are cached, and released after 120 frames without use.
///
/// Every call draws: call it only if `Layer.changeCount` has changed. Use a renderer from one thread at a time.
public final class LayerRenderer {
    /// The device that draws.
    package let device: GPUDevice
    let images: ImageCache
    let drawings: DrawingCache
    let masks: MaskAtlas
    private let pool: SurfacePool
    private let finishing: FinishingPasses
    private let finished: SurfaceCache
    private let pipelines: LayerPipelines
    private let output: OutputPass
    private var drawing = FrameDrawing()
    private var frame: UInt64 = 0
    private var scenes: Renderer?
    /// How many replaced scenes of each drawing were freed.
    private var freedScenes: [ObjectIdentifier: Int] = [:]
    private var effects: EffectRenderer?
    /// The renderer with which this one shares compiled shaders, effects, particles and the resources of scenes.
    private let shared: LayerRenderer?
    /// The number of shaders that were rejected after they had been drawn, for all renderers that share them, and the number that this renderer has
    /// handled.
    private var refusals = 0, seenRefusals = 0
    private var particles: ParticleRenderer?
    /// The results of effects, reused in the next frame.
    private var usedEffectSurfaces: [LayerSurface] = []
    /// Whether large shapes are drawn in cells and group surfaces are cached, which does not change the image.
    var usesOptimizations = true
    /// The statistics of the last frame.
    public private(set) var statistics = LayerStatistics()

    /// Creates a renderer on a GPU. Opening the GPU takes longer than a frame: keep the renderer.
    public convenience init(adapter: RenderAdapter = .automatic) throws(LayerError) {
        try self.init(try attempting("opening the GPU") { () throws(GPUError) in try GPUDevice.make(adapter.choice) })
    }

    /// Creates a renderer.
    ///
    /// - Parameter shared: A renderer of the same device with which to share compiled shaders and the resources of 3D scenes; nil for none.
    package init(_ device: GPUDevice, sharing shared: LayerRenderer? = nil) throws(LayerError) {
        (self.device, self.shared) = (device, shared)
        do throws(GPUError) {
            images = try ImageCache(device)
            drawings = DrawingCache(device)
            masks = MaskAtlas(device)
            pool = SurfacePool(device)
            finishing = try FinishingPasses(device, pool)
            finished = SurfaceCache(pool)
            pipelines = try LayerPipelines(device)
            output = try OutputPass(device)
        } catch {
            throw .gpu(error, doing: "setting up layers")
        }
    }

    /// Returns the renderer of 3D scenes in layers, created on first use.
    func sceneRenderer() throws(LayerError) -> Renderer {
        if let scenes { return scenes }
        let other = try shared?.sceneRenderer()
        do throws(RenderError) {
            let made: Renderer
            if let other { made = try Renderer(sharing: other) } else { made = try Renderer(device: device) }
            scenes = made
            return made
        } catch {
            throw .scene(error)
        }
    }

    /// Frees the GPU memory of a drawing's earlier scenes, whenever their number has changed.
    func freeScenes(replacedIn drawing: DrawingContent, count: Int) {
        if freedScenes.updateValue(count, forKey: ObjectIdentifier(drawing)) ?? 0 != count { scenes?.purge() }
    }

    /// Returns the renderer of effects, created on first use.
    package func effectRenderer() throws(LayerError) -> EffectRenderer {
        if let effects { return effects }
        let other = try shared?.effectRenderer()
        do throws(ShaderError) {
            let made = try EffectRenderer(device, sharing: other)
            effects = made
            return made
        } catch {
            throw .shader(error)
        }
    }

    /// Returns the renderer of particle clouds in layers, created on first use.
    package func particleRenderer() throws(LayerError) -> ParticleRenderer {
        if let particles { return particles }
        let made: ParticleRenderer
        if let shared { made = try shared.particleRenderer() } else { made = try ParticleRenderer(device) }
        particles = made
        return made
    }

    /// Renders the tree into a texture and submits the work to the GPU without waiting.
    ///
    /// - Parameters:
    ///   - root: The root of the tree, positioned in points of the target, with the origin in the upper left corner.
    ///   - target: The target: `rgba8` or `bgra8`, plain or sRGB, for display; `rgba16Float` for linear light. Its content is replaced; alpha is
    ///     premultiplied (after encoding, if the format is encoded).
    ///   - scale: The number of pixels per point, 1/16…16.
    ///   - background: The colour behind all layers. Default clear.
    @discardableResult
    package func render(
        _ root: Layer, to target: GPUTextureView, scale: Float = 1, background: Color = .clear
    ) throws(LayerError) -> LayerStatistics {
        guard scale >= 1 / 16, scale <= 16 else { throw .invalidOption(name: "scale", reason: "must be 1/16…16, but is \(scale)") }
        frame += 1
        images.beginFrame(frame)
        drawings.beginFrame(frame)
        masks.beginFrame(frame)
        try checkErrors()
        let last = drawing
        drawing = FrameDrawing()
        var planner = LayerPlanner(self, screenScale: Double(scale), reusing: consume last)
        let plan = try planner.plan(root, width: target.texture.width, height: target.texture.height)
        drawing = planner.drawing
        plan.background = background.drawn
        statistics = LayerStatistics(layers: drawing.shapeCount)
        let resources = try attempting("uploading layers") { () throws(GPUError) in try pipelines.upload(drawing) }
        if usesOptimizations { finished.begin(plan, drawing) }
        let encoder = try attempting("drawing layers") { () throws(GPUError) in try device.makeCommandEncoder("layers") }
        let surface = try compose(plan, resources, isRoot: true, encoder)
        do throws(GPUError) {
            try output.draw(surface.view, to: target, encoder)
            pool.recycle(surface)
            device.queue.submit(try encoder.finish())
        } catch {
            throw .gpu(error, doing: "drawing layers")
        }
        pool.trim()
        masks.trim()
        if frame.isMultiple(of: 60), frame > 120 {
            images.purge(unusedSince: frame - 120)
            drawings.purge(unusedSince: frame - 120)
        }
        return statistics
    }

    /// Handles the errors of earlier frames. A browser reports errors in shaders only after they were drawn; from then on, drawing content with such a
    /// shader throws its error. The shader may belong to another renderer that shares compiled shaders with this one.
    private func checkErrors() throws(LayerError) {
        let root = shared ?? self
        while true {
            do throws(GPUError) {
                try device.checkErrors()
                break
            } catch {
                guard root.refuseShader(error) else { throw .gpu(error, doing: "drawing an earlier frame") }
            }
        }
        guard seenRefusals != root.refusals else { return }
        // Draws the layers with these shaders again.
        seenRefusals = root.refusals
        finished.purge()
        drawings.purge(unusedSince: .max)
    }

    /// Rejects the effect, particle function or surface function that an error concerns.
    ///
    /// - Returns: Whether there is such a function.
    private func refuseShader(_ error: GPUError) -> Bool {
        let isEffect = effects?.lateError(error) != nil || particles?.lateError(error) != nil
        guard isEffect || scenes?.lateError(error) != nil else { return false }
        refusals += 1
        return true
    }

    /// Renders the tree to an image and waits for the GPU.
    ///
    /// - Parameters:
    ///   - size: The size in points; the size in pixels is rounded up.
    ///   - scale: The number of pixels per point.
    /// - Returns: `.rgba8`, sRGB-encoded, straight alpha.
    public func image(
        of root: Layer, size: Vector2, scale: Float = 1, background: Color = .clear
    ) throws(LayerError) -> Image {
        try image(of: root, size: size, scale: scale, background: background, .display)
    }

    /// Renders the tree to an image in linear light: `.rgba32Float`, straight alpha, computed in half precision.
    public func linearImage(
        of root: Layer, size: Vector2, scale: Float = 1, background: Color = .clear
    ) throws(LayerError) -> Image {
        try image(of: root, size: size, scale: scale, background: background, .radiance)
    }

    private func image(
        of root: Layer, size: Vector2, scale: Float, background: Color, _ content: OffscreenTarget.Content
    ) throws(LayerError) -> Image {
        let pixels = (size * scale).rounded(.up)
        guard pixels.isFinite, pixels.min() >= 1, pixels.max() <= 65_536 else {
            throw .invalidOption(name: "size", reason: "must be at least a pixel and at most 65,536")
        }
        let target: OffscreenTarget
        do throws(RenderError) {
            target = try OffscreenTarget(device, width: Int(pixels.x), height: Int(pixels.y), content: content)
        } catch {
            throw .target(error)
        }
        try render(root, to: target.view, scale: scale, background: background)
        do throws(RenderError) { return try target.image() } catch { throw .target(error) }
    }

    /// Frees GPU memory that the last frame did not use.
    public func purge() {
        images.purge(unusedSince: frame)
        drawings.purge(unusedSince: frame)
        masks.purge()
        finished.purge()
        pool.purge()
        usedEffectSurfaces = []
        scenes?.purge()
    }

    /// The memory of cached group surfaces in bytes.
    var cachedSurfaceMemory: Int { finished.memory }

    /// The GPU memory in bytes, without that of 3D scenes.
    public var memory: Int { images.memory + drawings.memory + masks.memory + finished.memory + pool.memory + pipelines.memory }
}

// MARK: - Compositing

extension LayerRenderer {
    /// Draws a planned surface: its inner surfaces, its shapes, and the passes over it.
    ///
    /// - Returns: A surface of the pool. Return it once the commands that read it are recorded.
    private func compose(
        _ plan: SurfacePlan, _ resources: LayerResources, isRoot: Bool, _ encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) -> LayerSurface {
        let region = isRoot ? plan.limit : plan.region
        var surface = try drawn(plan, resources, region, encoder)
        for step in plan.steps { surface = try finish(surface, step, region, resources, encoder) }
        return surface
    }

    /// Returns the surface of a group: that of the previous frame if its content is unchanged.
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

    /// Draws the surface without the passes over it.
    private func drawn(
        _ plan: SurfacePlan, _ resources: LayerResources, _ region: PixelRectangle, _ encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) -> LayerSurface {
        // All pieces of a group use the same surface.
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

    /// A group that is composited into a surface.
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
        // A blend mode other than normal starts a new pass that reads a copy of the target.
        var ends = batches.indices.filter { batches[$0].draw.parts.blend != .normal }
        ends.append(batches.count)
        try draw(batches[..<ends[0]], inner, frame, nil, to: surface, clearing: plan.background, encoder)
        for (start, end) in zip(ends, ends.dropFirst()) {
            let behind = try pool.take(region, scale: plan.scale)
            encoder.copy(from: surface.texture.copyInfo(), to: behind.texture.copyInfo())
            try draw(batches[start..<end], inner, frame, behind, to: surface, clearing: nil, encoder)
            pool.recycle(behind)
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
        /// The first draw of the batch.
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

    // MARK: Passes over a group

    private func finish(
        _ surface: LayerSurface, _ step: SurfacePlan.Step, _ region: PixelRectangle, _ resources: LayerResources,
        _ encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) -> LayerSurface {
        if case .effects(let effects, let bounds) = step { return try changed(surface, by: effects, bounds, encoder) }
        var mask: (surface: LayerSurface, offset: Vector2)?
        if case .mask(let cut) = step {
            // An empty mask requires a small empty texture.
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
                pool.recycle(mask.surface)
                return result
            }
        } catch {
            throw .gpu(error, doing: "finishing a layer")
        }
    }

    /// Applies effects to a surface in place: the surface has the margin that they require.
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
            from: result.texture.copyInfo(x: max(Int(shift.x), 0), y: max(Int(shift.y), 0)), to: surface.texture.copyInfo(),
            size: GPUExtent(surface.texture.width, surface.texture.height))
        return surface
    }
}

extension SurfacePlan.Draw {
    /// Returns whether both can be drawn as one instanced draw.
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

/// The statistics of a frame of layers.
public struct LayerStatistics: Equatable, Sendable {
    /// The number of drawn shapes, including group surfaces.
    public var layers = 0
    /// The number of draw calls.
    public var drawCalls = 0
    /// The number of groups drawn into surfaces.
    public var surfaces = 0
    /// The number of groups whose cached surface was reused.
    public var reusedSurfaces = 0

    /// Creates a value.
    public init(layers: Int = 0, drawCalls: Int = 0, surfaces: Int = 0, reusedSurfaces: Int = 0) {
        (self.layers, self.drawCalls, self.surfaces, self.reusedSurfaces) = (layers, drawCalls, surfaces, reusedSurfaces)
    }
}
