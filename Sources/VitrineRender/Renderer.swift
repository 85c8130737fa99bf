import VitrineGPU
import VitrineMath
import VitrineScene

/// Draws scenes.
///
/// ```swift
/// let renderer = try Renderer(device: .make())
/// let target = try OffscreenTarget(renderer.device, width: 640, height: 480)
/// try renderer.render(scene, from: .framing(scene.bounds, aspectRatio: 4 / 3), to: target.view)
/// let picture = try target.image()
/// ```
///
/// **A frame.** World transforms are brought up to date, what lies outside the view is left out, parts of equal geometry and material become
/// one instanced draw: opaque parts nearest first, the sky where nothing was drawn, transmissive parts, blended ones farthest first.
///
/// **Dynamic range.** Frames without blended surfaces are tone mapped as they are drawn, straight into 8 bits a channel: every sample of a
/// pixel is mapped before their mean is taken, as the resolve pass does it for other frames, so the picture is the same, and a pass over the
/// picture and half of the memory traffic are saved. With blended or transmissive surfaces, bloom, a vignette or a lens the frame is drawn
/// in half-precision radiance and resolved.
///
/// What was uploaded is kept as long as the scene's objects live; `purge()` frees what belongs to nobody any more. One thread at a time.
public final class Renderer {
    public let device: GPUDevice
    let materials: MaterialCache
    let geometries: GeometryCache
    let pipelines: PipelineCache
    let environments: EnvironmentCache
    let resolve: ResolvePass
    let bloom: BloomPass
    let lensBlur: LensBlurPass
    let occlusionPass: OcclusionPass
    let accumulation: AccumulationPass
    let pyramids: PyramidPass
    let occluderPass: OccluderPass
    let frameLayout: GPUBindGroupLayout
    let shadowPass: ShadowPass
    /// `AreaLightTable`.
    let areaTable: GPUBuffer
    let timer: GPUTimer?
    let deformer: Deformer
    /// Read by draws whose geometry lacks a stream: zeros, and ones.
    let zeros, ones: GPUBuffer
    /// Stands for a picture that a frame does not have: one texel, black and transparent.
    let nothing: Pyramid
    let sceneSampler: GPUSampler

    var list = DrawList()
    var visible = VisibleSet()
    var instances: InstanceList
    var uniforms: GPUBuffer
    var environmentUniforms: GPUBuffer
    var visibleBuffer, lightBuffer, clusterBuffer, lightIndexBuffer: GrowingBuffer
    var targets: FrameTargets?
    /// Draws what nobody sees (`WarmUp`): of every draw one triangle is enough.
    let isUnderstudy: Bool

    public convenience init(device: GPUDevice) throws(RenderError) { try self.init(device, leading: nil) }

    /// - Parameter lead: shares with this one what is uploaded and compiled; what is drawn into, and what is known of a scene, is its own.
    init(_ device: GPUDevice, leading lead: Renderer?) throws(RenderError) {
        (self.device, isUnderstudy) = (device, lead != nil)
        do throws(GPUError) {
            geometries = lead?.geometries ?? GeometryCache(device)
            frameLayout = if let lead { lead.frameLayout } else { try FrameBindings.layout(on: device) }
            pipelines = lead?.pipelines ?? PipelineCache(device, frame: frameLayout)
            materials = if let lead { lead.materials } else { try MaterialCache(device, pipelines, frame: frameLayout) }
            environments = if let lead { lead.environments } else { try EnvironmentCache(device) }
            accumulation = AccumulationPass(device)
            pyramids = try PyramidPass(device, pipelines)
            occluderPass = try OccluderPass(device, pipelines)
            nothing = try Pyramid(device, "nothing", width: 1, height: 1)
            bloom = try BloomPass(device, pipelines, pyramids)
            lensBlur = LensBlurPass(device, pipelines, pyramids)
            occlusionPass = OcclusionPass(device, pipelines)
            resolve = try ResolvePass(device, pipelines, bloom, nothing: nothing.view)
            sceneSampler = try device.makeSampler(GPUSamplerDescriptor("scene"))
            deformer = if let lead { lead.deformer } else { try Deformer(device) }
            shadowPass = try ShadowPass(device, pipelines)
            areaTable =
                if let lead { lead.areaTable } else {
                    try device.makeBuffer("area lights", contents: AreaLightTable.words, usage: .uniform)
                }
            timer = lead == nil && device.features.contains(.timestampQuery) ? try GPUTimer(device, capacity: 32) : nil
            zeros = try device.makeBuffer("zeros", contents: [Float](repeating: 0, count: 12), usage: .vertex)
            ones = try device.makeBuffer("ones", contents: [Float](repeating: 1, count: 4), usage: .vertex)
            instances = try InstanceList(device)
            uniforms = try device.makeBuffer("frame", size: FrameUniforms.vectorCount * 16, usage: [.uniform, .copyDestination])
            environmentUniforms = try device.makeBuffer("environment", size: EnvironmentUniforms.size, usage: [.uniform, .copyDestination])
            visibleBuffer = try GrowingBuffer(device, "visible", usage: .storage, size: 256)
            lightBuffer = try GrowingBuffer(device, "lights", usage: .storage, size: 256)
            clusterBuffer = try GrowingBuffer(device, "clusters", usage: .storage, size: 256)
            lightIndexBuffer = try GrowingBuffer(device, "light indices", usage: .storage, size: 256)
        } catch {
            throw .gpu(error, doing: "setting up the renderer")
        }
    }

    /// Frees the GPU memory of meshes, materials, textures and environments that nobody but the renderer refers to any more.
    public func purge() {
        list = DrawList()
        materials.purge()
        geometries.purge()
        environments.purge()
        bloom.purge()
        lensBlur.purge()
        occlusionPass.purge()
    }

    /// Bytes of GPU memory held.
    var memory: Int {
        materials.memory + geometries.memory + environments.memory + deformer.memory + shadowPass.memory + areaTable.size
            + (targets?.memory ?? 0) + instances.buffer.buffer.size
            + bloom.memory + lensBlur.memory + occlusionPass.memory + visibleBuffer.buffer.size + lightBuffer.buffer.size
            + clusterBuffer.buffer.size
            + lightIndexBuffer.buffer.size
    }

    /// Draws the scene into a texture and hands the work to the GPU without waiting (unless time is measured).
    ///
    /// - Parameters:
    ///   - target: `rgba8` or `bgra8`, plain or sRGB, for a picture to be shown; `rgba16Float` for radiance times exposure, not tone mapped.
    ///     Its contents are replaced. Alpha is premultiplied.
    ///   - occluder: What hides the scene without being drawn, such as what a depth camera sees: metres ahead of the camera, a texel of
    ///     `r32Float` a pixel; 0 where there is nothing.
    @discardableResult
    public func render(
        _ scene: Scene, from view: View, to target: GPUTextureView, options: RenderOptions = RenderOptions(),
        occluder: GPUTextureView? = nil
    ) throws(RenderError) -> FrameStatistics {
        try options.validate()
        try view.validate()
        try OccluderPass.validate(occluder, for: target)
        try scene.environment.validate()
        try device.check("before a frame")
        materials.frame += 1
        scene.update(seenFrom: view.worldFromCamera)
        let isNew = list.follow(scene)
        let size = (width: target.texture.width, height: target.texture.height)
        let aspectRatio = view.wholeAspectRatio(width: size.width, height: size.height)
        let offset = Vector3(options.subpixelOffset.x * -2 / Float(size.width), options.subpixelOffset.y * 2 / Float(size.height), 0)
        let clipFromView = Matrix4(translation: offset) * view.fittingDepthRange(to: scene.store).clipFromView(aspectRatio: aspectRatio)
        let clipFromWorld = clipFromView * view.worldFromCamera.affineInverse
        visible.find(
            in: list, scene.store, clipFromWorld: clipFromWorld, forward: FrameUniforms.forward(view),
            layers: list.batches.map { $0.material.layer })
        var lights = try LightList(list.lights, scene.store, view: view, aspectRatio: aspectRatio)
        let light = try environments.light(of: scene.environment)
        let shadows = try planShadows(scene, &lights, light, seenBy: ViewDepths(view, aspectRatio: aspectRatio), options)
        let exposure = exp2(view.camera.exposure + options.exposure)
        let frameUniforms = FrameUniforms(
            view: view, clipFromWorld: clipFromWorld, size: size, exposure: exposure, options: options, lights: lights)
        let plan = FramePlan(scene, view, target, options, lights, light, visible, shadows: shadows.features)
        do throws(GPUError) {
            try instances.follow(scene.store, list, all: isNew)
            try upload(frameUniforms, lights, light, scene)
            try shadowPass.upload(shadows, instances: entries(of: shadows.set.records, scene.store))
            try plan.makeTargets(device, &targets)
        } catch {
            throw .gpu(error, doing: "uploading a frame")
        }
        var statistics = FrameStatistics()
        let resources = try batchResources(shadows, options)
        let encoder = try attempting("drawing a frame") { () throws(GPUError) in try device.makeCommandEncoder("frame") }
        let deformed = try deformer.deform(list, resources.map { $0?.geometry }, encoder)
        let detail = DetailChoice(
            clipFromWorld: clipFromWorld, clipFromView: clipFromView, near: view.camera.near, size: size)
        let draws = try prepareDraws(plan, resources, deformed, detail, options, &statistics)
        let casters = try prepareCasters(shadows, resources, deformed)
        let hidden = try occluder.map { picture throws(RenderError) in
            try occluderPass.prepare(picture, clipFromView, target: plan, sampleCount: options.sampleCount)
        }
        let occlusion = plan.screenOcclusion.map {
            OcclusionSettings(clipFromView: clipFromView, radius: $0.radius ?? scene.store.radius / 4, offset: options.subpixelOffset)
        }
        try encode(draws, plan, view, light, shadows, casters, occlusion, hidden ?? nil, options, encoder)
        statistics.culled = visible.culled
        statistics.lights = lights.count
        statistics.shadowMaps = shadows.plan.views.count
        statistics.gpuMemory = memory
        if options.measuresTime, let timer {
            let spans = try attempting("reading the frame's time") { () throws(GPUError) in try timer.read() }
            statistics.gpuMilliseconds = spans.reduce(0) { $0 + $1.nanoseconds } / 1e6
        }
        return statistics
    }

    private func upload(
        _ frameUniforms: FrameUniforms, _ lights: LightList, _ light: EnvironmentLight, _ scene: Scene
    ) throws(GPUError) {
        device.queue.write(frameUniforms.vectors, to: uniforms)
        let environment = scene.environment
        device.queue.write(value: light.uniforms(of: environment), to: environmentUniforms)
        try visibleBuffer.write(entries(of: visible.records, scene.store))
        guard lights.count > 0 else { return }
        try lightBuffer.write(lights.lights)
        if lights.boundedCount > 0 {
            try clusterBuffer.write(lights.clusters.ranges)
            try lightIndexBuffer.write(lights.clusters.indices)
        }
    }

    /// Where records are in the list of instances: deformed ones have entries of their own.
    private func entries(of records: [UInt32], _ store: NodeStore) -> [UInt32] {
        guard !list.deformed.isEmpty else { return records.map { UInt32(list.slots[Int($0)]) } }
        var deformed: [Int: UInt32] = [:]
        for (index, entry) in list.deformed.enumerated() { deformed[entry.record] = UInt32(store.worldTransforms.count + index) }
        return records.map { deformed[Int($0)] ?? UInt32(list.slots[Int($0)]) }
    }
}

extension GPUDevice {
    func check(_ doing: String) throws(RenderError) {
        try attempting(doing) { () throws(GPUError) in try checkErrors() }
    }
}
