import VitrineGPU
import VitrineMath
import VitrineScene

/// Renders scenes.
///
/// ```swift
/// let renderer = try Renderer()
/// let target = try OffscreenTarget(renderer, width: 640, height: 480)
/// try renderer.render(scene, from: .framing(scene.bounds, aspectRatio: 4 / 3), to: target)
/// let image = try target.image()
/// ```
///
/// A frame: world transforms are updated, parts outside the view are culled, parts of equal geometry and material become
/// one instanced draw: opaque parts nearest first, then the sky, transmissive parts, and blended parts farthest first.
///
/// Frames without blended surfaces are tone mapped as they are drawn, straight into 8 bits per channel: every sample of a
/// pixel is mapped before they are averaged, as the resolve pass does for other frames, so that the image is the same with one pass and half of
/// the memory traffic less. With blended or transmissive surfaces, bloom, a vignette or a lens, the frame is drawn as half-precision radiance and
/// resolved.
///
/// Uploaded resources live as long as the scene's objects; `purge()` frees those that only the renderer refers to. A renderer belongs to one
/// thread at a time.
public final class Renderer {
    package let device: GPUDevice
    let resources: RenderResources
    private let draws: SceneDraws
    private let encoder: FrameEncoder
    private var buffers: FrameBuffers
    private let isWarmUp: Bool

    /// Called when a material is uploaded that has more textures than the GPU binds, with the names of the maps that are not drawn. With a
    /// browser's default limits, 10 textures are drawn. Default nil.
    public var onWarning: ((String) -> Void)? {
        get { resources.materials.onWarning }
        set { resources.materials.onWarning = newValue }
    }

    /// Makes levels of detail of opaque meshes for shadow maps, when a mesh is uploaded. Default nil: meshes cast shadows unchanged.
    package var casterSimplifier: CasterSimplifier? {
        get { resources.geometries.casterSimplifier }
        set { resources.geometries.casterSimplifier = newValue }
    }

    /// Creates a renderer on a GPU, and compiles the shaders that every frame needs.
    ///
    /// - Throws: `RenderError.device` if there is no such GPU.
    public convenience init(adapter: RenderAdapter = .automatic) throws(RenderError) {
        try self.init(device: try attempting("opening the GPU") { () throws(GPUError) in try GPUDevice.make(adapter.choice) })
    }

    package convenience init(device: GPUDevice) throws(RenderError) {
        let adapter = device.adapter.info
        guard !adapter.backend.isOpenGL else {
            throw .device(
                message: "\(adapter.description): scenes cannot be drawn by OpenGL; install a Vulkan driver",
                doing: "setting up the renderer")
        }
        try self.init(
            try attempting("setting up the renderer") { () throws(GPUError) in try RenderResources(device) }, isWarmUp: false)
    }

    /// Creates a renderer that shares uploaded resources, shaders and pipelines with another one.
    package convenience init(sharing other: Renderer) throws(RenderError) { try self.init(other.resources, isWarmUp: false) }

    /// Creates a renderer with shared resources.
    ///
    /// - Parameters:
    ///   - resources: Shared with other renderers; targets and draw lists are the renderer's own.
    ///   - isWarmUp: Draws a single triangle of every draw (`WarmUp`).
    init(_ resources: RenderResources, isWarmUp: Bool) throws(RenderError) {
        (device, self.resources, self.isWarmUp) = (resources.device, resources, isWarmUp)
        draws = SceneDraws(resources, isWarmUp: isWarmUp)
        do throws(GPUError) {
            encoder = try FrameEncoder(resources, measuresTime: !isWarmUp)
            buffers = try FrameBuffers(resources.device)
        } catch {
            throw .gpu(error, doing: "setting up the renderer")
        }
    }

    /// Frees the GPU memory of meshes, materials, textures and environments that only the renderer refers to.
    public func purge() {
        draws.purge()
        resources.purge()
        encoder.purge()
    }

    /// Bytes of GPU memory.
    private var memory: Int { resources.memory + encoder.memory + buffers.memory }

    /// The transient textures of the last frame, for tests.
    var transientTextures: TexturePool { encoder.pool }

    /// The kept shadow of a receiver, for tests.
    var receivedShadow: ReceivedShadow { encoder.receivedShadow }

    /// The choice of deferred draws, for tests.
    var deferredChoice: DeferredShading.Choice {
        get { draws.deferredChoice }
        set { draws.deferredChoice = newValue }
    }

    // MARK: Frames

    /// Renders a scene into an offscreen target. Submits the work without waiting for the GPU, unless time is measured.
    ///
    /// - Throws: `RenderError.invalidOption` for values out of range; `.device` and others if the GPU cannot render the scene.
    /// - Returns: The cost of the frame.
    @discardableResult
    public func render(
        _ scene: Scene, from view: View, to target: OffscreenTarget, options: RenderOptions = RenderOptions()
    ) throws(RenderError) -> FrameStatistics { try render(scene, from: view, to: target.view, options: options) }

    /// Renders a scene into a texture. Submits the work without waiting for the GPU, unless time is measured.
    ///
    /// - Parameters:
    ///   - target: `rgba8` or `bgra8`, plain or sRGB, for an image to be shown; `rgba16Float` for radiance times exposure, not tone mapped.
    ///     Its contents are replaced. Alpha is premultiplied.
    ///   - occluder: Depth of real objects that occlude the scene, such as a depth camera's image: metres ahead of the camera, `r32Float`, of
    ///     the target's size; 0 where there is nothing.
    @discardableResult
    package func render(
        _ scene: Scene, from view: View, to target: GPUTextureView, options: RenderOptions = RenderOptions(),
        occluder: GPUTextureView? = nil
    ) throws(RenderError) -> FrameStatistics {
        try options.validate()
        try view.validate()
        try OccluderPass.validate(occluder, for: target)
        try scene.environment.validate()
        try checkErrors()
        resources.materials.beginFrame()
        scene.update(seenFrom: view.worldFromCamera)
        let frame = FrameView(view, options, target, scene.store)
        let contents = try contents(scene, frame, occluder)
        try attempting("drawing a frame") { () throws(GPUError) in
            let commands = try device.makeCommandEncoder("frame")
            try encoder.encode(contents.frame, buffers, commands)
            device.queue.submit(try commands.finish())
            try device.checkErrors()
        }
        encoder.receivedShadow.finish(drewTexture: contents.frame.receivedShadow != nil)
        var statistics = contents.statistics
        statistics.gpuMemory = memory
        if options.measuresTime {
            statistics.gpuMilliseconds = try attempting("reading the frame's time") { () throws(GPUError) in
                try encoder.readMilliseconds()
            }
        }
        return statistics
    }

    /// Throws the oldest error of earlier frames. A browser reports errors of surface functions only then.
    private func checkErrors() throws(RenderError) {
        do throws(GPUError) {
            try device.checkErrors()
        } catch {
            if let error = lateError(error) { throw error }
            throw .gpu(error, doing: "before a frame")
        }
    }

    /// The error of a surface function that was compiled in an earlier frame; nil for other errors. The function is no longer drawn.
    package func lateError(_ error: GPUError) -> RenderError? { resources.materials.refuse(error).map { .surfaceFunction($0) } }

    /// Culls the scene, chooses lights and shadow maps, uploads, and makes the draws.
    private func contents(
        _ scene: Scene, _ frame: FrameView, _ occluder: GPUTextureView?
    ) throws(RenderError) -> (frame: FrameContents, statistics: FrameStatistics) {
        let store = scene.store
        let isNew = draws.update(scene, frame)
        var lights = try LightList(draws.list.lights, store, frame)
        let light = try resources.environments.light(of: scene.environment)
        let shadows = try FrameShadows(
            scene, frame, &lights, light, draws, resources.environments, limit: encoder.shadowPass.limit, isWarmUp: isWarmUp)
        let plan = FramePlan(
            frame, scene.environment, light, lights, draws.visible, shadows: shadows.features, hasOccluder: occluder != nil,
            hasVolume: scene.irradianceVolume != nil)
        let volume = try attempting("uploading an irradiance volume") { () throws(GPUError) in
            try resources.volumes.view(of: scene.irradianceVolume)
        }
        try attempting("uploading a frame") { () throws(GPUError) in
            try buffers.updateInstances(from: store, draws.list, all: isNew)
            try encoder.shadowPass.upload(shadows, instances: draws.instances(of: shadows.set.records, store))
        }
        try draws.prepareBatches(shadows, frame.options)
        let deformation = try resources.deformer.update(draws.list, draws.geometries)
        var statistics = FrameStatistics()
        let received = try attempting("drawing a shadow") { () throws(GPUError) in
            try encoder.receivedShadow.texture(of: draws, scene, shadows, lights, frame.options)
        }
        let (sceneDraws, receivedDraw) = try draws.sceneDraws(
            plan, frame, deformed: deformation.vertices, received: received, &statistics)
        var instances = draws.instances(of: draws.visible.records, store)
        DeferredShading.mark(&instances, sceneDraws)
        try attempting("uploading a frame") { () throws(GPUError) in
            try buffers.upload(
                FrameUniforms(frame, lights, scene.irradianceVolume), lights, light.uniforms(of: scene.environment), visible: instances)
        }
        let casters = try draws.casterDraws(shadows, encoder.shadowPass, deformed: deformation.vertices)
        var occluderDraw: OccluderPass.Draw?
        if let occluder { occluderDraw = try encoder.occluderPass.prepare(occluder, frame, format: plan.colorFormat) }
        statistics.culled = draws.visible.culled
        statistics.lights = lights.count
        statistics.shadowMaps = shadows.plan.views.count
        let contents = FrameContents(
            frame: frame, plan: plan, light: light, shadows: shadows, draws: sceneDraws, casters: casters, deformation: deformation,
            sky: try plan.skyKey.flatMap { key throws(RenderError) in try resources.pipelines.sky(key) }, occluder: occluderDraw,
            receivedShadow: receivedDraw,
            occlusionRadius: plan.screenOcclusion.map { $0.radius ?? store.radius / 4 }, volume: volume)
        return (contents, statistics)
    }

    // MARK: Stills

    /// Renders a still image: the mean of several frames, each with its sample elsewhere in the pixel and with sharper textures.
    ///
    /// Fine normal maps, mirrors and distant textures, which a single frame can only blur, are rendered as in a path tracer. The frames are
    /// averaged in linear radiance and tone mapped once. Costs `samples` frames without MSAA; not suited to moving images.
    ///
    /// With a lens (`Camera.lens`) each frame is seen from another point of the aperture, so that surfaces that a blurred edge in the foreground
    /// partly hides are visible; between those points each frame is blurred a little. Use 64 samples or more for large discs.
    ///
    /// - Parameters:
    ///   - samples: 1…256 frames; 1 is `render` with unchanged `options`, and so is every debug view.
    ///   - options: `sampleCount`, `subpixelOffset` and `mipBias` are chosen here.
    ///   - onFrame: Called when the GPU has finished a frame, with the number of finished ones, to report progress. An error that it throws ends
    ///     the work; throw `RenderError.cancelled` to cancel. nil: frames are drawn without waiting for each.
    /// - Returns: The statistics of the last frame.
    @discardableResult
    public func renderStill(
        _ scene: Scene, from view: View, to target: OffscreenTarget, samples: Int = 16, options: RenderOptions = RenderOptions(),
        onFrame: ((_ finished: Int) throws(RenderError) -> Void)? = nil
    ) throws(RenderError) -> FrameStatistics {
        guard (1...256).contains(samples) else { throw .invalidOption(name: "samples", reason: "is \(samples), not 1…256") }
        guard samples > 1, options.debugView == nil else { return try render(scene, from: view, to: target.view, options: options) }
        try options.validate()
        try view.validate()
        let textures = try attempting("allocating a still image") { () throws(GPUError) in try StillTextures(device, target) }
        // A radiance target without bloom and vignette takes the last sum itself.
        let needsFinish = target.content == .display || options.bloom != nil || options.vignette != nil
        let finish = (target: target.view, finish: ResolvePass.Finish(stillOf: scene, target, options))
        var statistics = FrameStatistics()
        for (index, frame) in StillFrames(view, target, samples: samples, options).frames.enumerated() {
            statistics = try render(scene, from: frame.view, to: textures.frame, options: frame.options)
            let isLast = index == samples - 1
            try attempting("accumulating a still image") { () throws(GPUError) in
                let commands = try device.makeCommandEncoder("still")
                let sum = textures.sums[index % 2]
                let next = isLast && !needsFinish ? target.view : textures.sums[(index + 1) % 2]
                try encoder.accumulate(
                    textures.frame, share: 1 / Float(samples), onto: sum, to: next, finish: isLast && needsFinish ? finish : nil, commands)
                device.queue.submit(try commands.finish())
            }
            if let onFrame {
                // The GPU draws frames while the next ones are encoded: without waiting all would seem finished at once.
                try attempting("drawing a still image") { () throws(GPUError) in try device.waitUntilIdle() }
                try onFrame(index + 1)
            }
        }
        return statistics
    }

    // MARK: Preparation

    /// Uploads everything that the scene shows, so that the first frame is complete and fast.
    ///
    /// The work is done in small steps (a band of a texture, a mip level, a geometry, four million texel reads of an environment), between which
    /// `progress` may stop it; the next call continues where it stopped.
    ///
    /// - Parameters:
    ///   - waits: Whether to return only when the GPU has finished.
    ///   - progress: Called with the completed share, 0…1; return false to stop (uploaded resources stay).
    /// - Returns: Whether everything is uploaded.
    @discardableResult
    public func prepare(
        _ scene: Scene, options: RenderOptions = RenderOptions(), waits: Bool = true, progress: (Double) -> Bool = { _ in true }
    ) throws(RenderError) -> Bool {
        try options.validate()
        scene.update()
        return try ResourcePreparation(scene, resources).upload(anisotropy: options.anisotropy, waits: waits, progress: progress)
    }

    /// Compiles and uploads materials, textures and environment, but no geometry: while another thread still changes vertices. The GPU may not have finished.
    package func prepareMaterials(of scene: Scene, options: RenderOptions = RenderOptions()) throws(RenderError) {
        scene.update()
        let preparation = ResourcePreparation(scene, resources)
        for work in try preparation.pendingShaders() { take(try work.run()) }
        while try !preparation.upload(anisotropy: options.anisotropy, waits: false, geometries: false, progress: { _ in true }) {}
    }

    /// Geometry work that can run on any thread before `prepare`; pass the results to `take`.
    package func pendingWork(for scene: Scene) throws(RenderError) -> [GeometryWork] {
        try ResourcePreparation(scene, resources).pendingGeometry()
    }

    /// Shaders that can be compiled on any thread before `prepare`: of materials, mip levels and environments. Pass the results to `take`.
    package func pendingPrograms(for scene: Scene) throws(RenderError) -> [ShaderWork] {
        try ResourcePreparation(scene, resources).pendingShaders()
    }

    /// Adds a shader that was compiled elsewhere.
    package func take(_ result: ShaderWork.Result) {
        switch result.outcome {
        case .program(let key, let program): resources.materials.programs.take(key, program)
        case .pipeline(let name, let pipeline): resources.pipelines.take(name, pipeline)
        case .prefilter(let prefilter): resources.environments.take(prefilter)
        }
    }

    /// Adds the result of `pendingWork`, so that `prepare` uploads it without computing it again.
    package func take(_ result: GeometryWork.Result) { resources.geometries.take(result) }

    /// Adds an environment's image that was read and checked on another thread, so that `prepare` does not do it again.
    package func adopt(_ source: EnvironmentSource) { resources.environments.adopt(source) }

    /// Creates a warm-up of a scene's first frame.
    ///
    /// - Parameters:
    ///   - view: The view of the first frame.
    ///   - format: The format of the texture that the first frame is drawn into.
    ///   - options: The options of the first frame.
    package func warmUp(
        of scene: Scene, from view: View, to format: GPUTextureFormat, options: RenderOptions = RenderOptions()
    ) throws(RenderError) -> WarmUp { try WarmUp(resources, scene, view, format, options) }
}

extension ResolvePass.Finish {
    fileprivate init(stillOf scene: Scene, _ target: OffscreenTarget, _ options: RenderOptions) {
        self.init(toneMapping: options.toneMapping, bloom: options.bloom, vignette: options.vignette)
        // Frames of radiance contain the background colour already.
        if target.content == .display, case .color(let color) = scene.environment.background {
            background = color.premultiplied(for: target.view.texture.format)
        }
    }
}
