import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene

/// Draws trees of layers.
///
/// ```swift
/// let renderer = try LayerRenderer(device)
/// let image = try renderer.image(of: root, size: [320, 200], scale: 2)   // 640 × 400 pixels, without a window
/// try renderer.render(root, to: frame.target, scale: frame.scale, background: .white)
/// ```
///
/// **A frame.** The tree becomes a list of shapes in painter's order; shapes that follow each other and need the same pipeline and picture
/// are one instanced draw. They are put over each other in half precision, linear light, premultiplied; the last pass encodes and dithers.
/// What must be put together apart gets a picture of its own, from a pool. Images, pictures of drawings and masks of paths are kept from
/// frame to frame, those that 120 frames have not shown are let go.
///
/// Each call draws: whoever shows a tree calls it when `Layer.changeCount` has risen. One thread at a time.
public final class LayerRenderer {
    public let device: GPUDevice
    let images: ImageCache
    let drawings: DrawingCache
    let masks: MaskAtlas
    let pool: SurfacePool
    let finishing: FinishingPasses
    let finished: SurfaceCache
    let pipelines: LayerPipelines
    let output: OutputPass
    private var drawing = FrameDrawing()
    private var frame: UInt64 = 0
    private var scenes: Renderer?
    private var effects: EffectRenderer?
    private var particles: ParticleRenderer?
    /// What effects have drawn into, to be drawn into again in the next frame.
    var usedEffectSurfaces: [LayerSurface] = []
    /// Whether large shapes are drawn in cells, and finished pictures kept: what is seen is the same without, as tests show.
    var takesShortcuts = true
    /// What the last frame took.
    public internal(set) var statistics = LayerStatistics()

    public init(_ device: GPUDevice) throws(LayerError) {
        self.device = device
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

    /// What draws 3D scenes in layers; made when it is first asked for.
    public func sceneRenderer() throws(LayerError) -> Renderer {
        if let scenes { return scenes }
        do throws(RenderError) {
            let made = try Renderer(device: device)
            scenes = made
            return made
        } catch {
            throw .scene(error)
        }
    }

    func effectRenderer() throws(LayerError) -> EffectRenderer {
        if let effects { return effects }
        do throws(ShaderError) {
            let made = try EffectRenderer(device)
            effects = made
            return made
        } catch {
            throw .shader(error)
        }
    }

    /// What draws clouds of particles in layers; made when it is first asked for.
    public func particleRenderer() throws(LayerError) -> ParticleRenderer {
        if let particles { return particles }
        do throws(ParticleError) {
            let made = try ParticleRenderer(device)
            particles = made
            return made
        } catch {
            throw .particles(error)
        }
    }

    /// Draws the tree into a texture and hands the work to the GPU without waiting.
    ///
    /// - Parameters:
    ///   - root: Placed in the target's points: its parent is the screen, whose origin is the upper left corner.
    ///   - target: `rgba8` or `bgra8`, plain or sRGB, for a picture to be shown; `rgba16Float` for linear light. Its contents are replaced;
    ///     alpha is premultiplied (after encoding, where it is encoded).
    ///   - scale: Pixels a point, 1/16…16.
    ///   - background: What is behind all layers, and blended with; clear by default.
    @discardableResult
    public func render(
        _ root: Layer, to target: GPUTextureView, scale: Float = 1, background: Color = .clear
    ) throws(LayerError) -> LayerStatistics {
        guard scale >= 1 / 16, scale <= 16 else { throw .invalidOption(name: "scale", reason: "is \(scale), not 1/16…16") }
        frame += 1
        (images.frame, drawings.frame, masks.frame) = (frame, frame, frame)
        let last = drawing
        drawing = FrameDrawing()
        var planner = LayerPlanner(self, screenScale: Double(scale), reusing: consume last)
        let plan = try planner.plan(root, width: target.texture.width, height: target.texture.height)
        drawing = planner.drawing
        plan.background = background.drawn
        statistics = LayerStatistics(layers: drawing.shapeCount)
        let resources = try attempting("uploading layers") { () throws(GPUError) in
            try device.checkErrors()
            return try pipelines.upload(drawing)
        }
        if takesShortcuts { finished.begin(plan, drawing) }
        let encoder = try attempting("drawing layers") { () throws(GPUError) in try device.makeCommandEncoder("layers") }
        let surface = try compose(plan, resources, isRoot: true, encoder)
        do throws(GPUError) {
            try output.draw(surface.view, to: target, encoder)
            pool.giveBack(surface)
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

    /// Draws the tree without a window and waits for the picture.
    ///
    /// - Parameters:
    ///   - size: In points; sizes in pixels are rounded up.
    ///   - scale: Pixels a point.
    /// - Returns: `.rgba8`, sRGB-encoded, straight alpha.
    public func image(
        of root: Layer, size: Vector2, scale: Float = 1, background: Color = .clear
    ) throws(LayerError) -> Image {
        try image(of: root, size: size, scale: scale, background: background, .display)
    }

    /// The same in linear light: `.rgba32Float`, straight alpha, from half precision.
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

    /// Frees what the last frame didn't need.
    public func purge() {
        images.purge(unusedSince: frame)
        drawings.purge(unusedSince: frame)
        masks.purge()
        finished.purge()
        pool.purge()
        usedEffectSurfaces = []
        scenes?.purge()
    }

    /// Bytes of GPU memory held, without that of 3D scenes.
    public var memory: Int { images.memory + drawings.memory + masks.memory + finished.memory + pool.memory + pipelines.memory }
}

/// What a frame of layers took.
public struct LayerStatistics: Equatable, Sendable {
    /// Shapes that are drawn, pictures of groups among them.
    public var layers = 0
    public var drawCalls = 0
    /// Groups that were put together apart.
    public var surfaces = 0
    /// Groups whose picture was there from the frame before.
    public var reusedSurfaces = 0

    public init(layers: Int = 0, drawCalls: Int = 0, surfaces: Int = 0, reusedSurfaces: Int = 0) {
        (self.layers, self.drawCalls, self.surfaces, self.reusedSurfaces) = (layers, drawCalls, surfaces, reusedSurfaces)
    }
}
