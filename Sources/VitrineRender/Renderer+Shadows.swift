import VitrineGPU
import VitrineMath
import VitrineScene

extension Renderer {
    /// The environment's light comes from so many directions, as far as shadows go.
    static let environmentShadowCount = 16

    /// Which shadow maps the frame needs, where in the atlas, and what is drawn into them. Tells the lights where their maps are.
    func planShadows(
        _ scene: Scene, _ lights: inout LightList, _ light: EnvironmentLight, seenBy camera: ViewDepths, _ options: RenderOptions
    ) throws(RenderError) -> FrameShadows {
        let showsLight = options.debugView == nil
        let catches = showsLight && light.isLit && visible.draws.contains { list.batches[Int($0.batch)].material.isShadowCatcher }
        guard showsLight, catches || !lights.shadowed.isEmpty else { return FrameShadows(plan: ShadowPlan(ShadowCasters([]))) }
        var shadows = FrameShadows(plan: ShadowPlan(ShadowCasters(list, scene.store), sample: options.lightSample))
        for (index, light, world) in lights.shadowed {
            lights.setShadow(index, shadows.plan.add(light, world, seenBy: camera))
        }
        if catches, let image = scene.environment.image {
            shadows.environment = shadows.plan.add(
                environments.shadowLights(of: image), rotation: scene.environment.rotation, resolution: options.environmentShadowResolution)
        }
        // Nobody sees an understudy's shadows.
        let isSmall = isUnderstudy && shadows.plan.views.count <= 256
        try shadows.plan.pack(limit: isSmall ? min(1024, shadowPass.limit) : shadowPass.limit)
        shadows.set = ShadowSet(shadows.plan, list)
        let store = scene.store
        shadows.scene = .init(store: ObjectIdentifier(store), update: store.updateCount, structure: store.structureVersion)
        return shadows
    }

    /// By the draws of the frame's shadow maps, in their order.
    func prepareCasters(
        _ shadows: FrameShadows, _ resources: [BatchResources?], _ deformed: [Int: GPUBuffer]
    ) throws(RenderError) -> [CasterDraw] {
        var draws: [CasterDraw] = []
        draws.reserveCapacity(shadows.set.draws.count)
        for draw in shadows.set.draws {
            let batch = list.batches[Int(draw.batch)]
            guard let (geometry, material) = resources[Int(draw.batch)].map({ ($0.geometry, $0.material) }), geometry.elementCount > 0
            else { continue }
            let moving = batch.deformed >= 0 ? deformed[Int(batch.deformed)] ?? geometry.moving : geometry.moving
            let isSolid = batch.material.alphaMode == .opaque && batch.material.layer == .opaque && !draw.isSeenThrough
            let wanted =
                isSolid
                ? try attempting("compiling a shadow's shader") { () throws(GPUError) in try shadowPass.opaquePipeline() }
                : try pipelines.caster(
                    casterKey(batch.material, material, geometry), material.program, casters: shadowPass.casterLayout)
            guard let pipeline = wanted else { continue }
            let level = shadows.detail(draw.view)?.level(
                of: geometry, shown: shadows.set.records[draw.first..<draw.first + draw.count], list)
            let elementCount = level?.elementCount ?? geometry.elementCount
            draws.append(
                CasterDraw(
                    view: draw.view, pipeline: pipeline, material: isSolid ? nil : material.bindGroup,
                    vertices: isSolid ? [moving] : streams(of: geometry, for: material, moving: moving),
                    indices: level?.indices ?? geometry.indices,
                    elementCount: isUnderstudy ? min(elementCount, 3) : elementCount, firstInstance: draw.first,
                    instanceCount: isUnderstudy ? 1 : draw.count))
        }
        return draws
    }

    /// In the order of `VertexLayout.buffers`.
    private func streams(of geometry: GPUGeometry, for material: GPUMaterial, moving: GPUBuffer) -> [GPUBuffer] {
        [
            moving, geometry.textureCoordinates[material.uvSets.0] ?? zeros,
            material.uvSets.1.flatMap { geometry.textureCoordinates[$0] } ?? zeros, geometry.colors ?? ones, geometry.occlusion ?? zeros,
        ]
    }

    private func casterKey(_ material: Material, _ plan: GPUMaterial, _ geometry: GPUGeometry) -> PipelineKey {
        var features = plan.features
        if geometry.colors != nil { features.insert(.vertexColor) }
        var entry = PipelineKey.Entry.casterThinned
        if case .mask = material.alphaMode { entry = .casterCutOut }
        // A node's own opacity thins out as the material's alpha does.
        if entry == .casterThinned { features.insert(.blended) } else { features.remove(.blended) }
        return PipelineKey(
            entry: entry, program: plan.program.number, features: features, toneMapping: .none, debugView: nil,
            format: FrameTargets.depthFormat, sampleCount: 1,
            streams: geometry.streams(for: plan))
    }
}

extension ShadowPlan {
    /// Adds the maps of an environment's light; returns the first, and the share that each stands for.
    mutating func add(_ environment: EnvironmentShadowLights, rotation: Angle, resolution: Int) -> (first: Int, weights: [Float]) {
        let first = views.count
        guard let sphere = casters.sphere(.max) else { return (first, []) }
        let worldFromEnvironment = Matrix3(Quaternion(angle: rotation, axis: .up))
        for light in environment.lights {
            let axes = Axes(along: worldFromEnvironment * -light.direction, tilted: sample.onDisc * light.size)
            let source = ParallelLight(
                axes: axes, size: light.size * sample.scale, resolution: ShadowPlan.tile(resolution), categories: .max)
            append(source.view(around: sphere, casters: sphere, fadesAtEdge: false))
        }
        return (first, environment.lights.map { $0.weight })
    }
}
