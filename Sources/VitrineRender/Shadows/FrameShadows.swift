import VitrineGPU
import VitrineMath
import VitrineScene

/// A frame's shadow maps and the casters in them.
struct FrameShadows {
    /// The number of directions of the environment's light for shadows.
    static let environmentLightCount = 16

    private(set) var plan: ShadowPlan
    private(set) var set = ShadowSet()
    /// The maps of the environment: index of the first, and the share of its light that each represents.
    private(set) var environment: (first: Int, weights: [Float]) = (0, [])
    /// The maps of the environment's light on surfaces: index of the first, the lights, and the factor on them.
    private var surfaces: (first: Int, lights: [EnvironmentShadowLights.Light], intensity: Float) = (0, [], 0)
    /// The state of the scene that the maps show.
    private(set) var scene = SceneState()

    struct SceneState: Equatable {
        var store: ObjectIdentifier?
        var update: UInt64 = 0
        var structure: UInt64 = 0
    }

    /// Chooses the maps that a frame needs and their tiles in the atlas, and sets the lights' references to them.
    ///
    /// - Parameters:
    ///   - draws: The draws, updated for the frame.
    ///   - limit: Texels along the largest atlas.
    init(
        _ scene: Scene, _ frame: FrameView, _ lights: inout LightList, _ light: EnvironmentLight, _ draws: SceneDraws,
        _ environments: EnvironmentCache, limit: Int, isWarmUp: Bool
    ) throws(RenderError) {
        let showsLight = frame.options.debugView == nil
        let hasReceivers = showsLight && light.isLit && draws.hasShadowReceivers
        let shadesSurfaces =
            showsLight && light.isLit && scene.environment.intensity > 0 && frame.options.environmentShadows
            && frame.options.lightSample.count > 1
        guard showsLight, hasReceivers || shadesSurfaces || !lights.shadowed.isEmpty else {
            plan = ShadowPlan(ShadowCasters([]))
            return
        }
        plan = ShadowPlan(ShadowCasters(draws.list, scene.store), sample: frame.options.lightSample)
        let camera = ViewDepths(frame.view, aspectRatio: frame.aspectRatio)
        for (index, light, world) in lights.shadowed { lights.setShadow(index, plan.add(light, world, seenBy: camera)) }
        if hasReceivers, let image = scene.environment.image {
            environment = plan.add(
                environments.shadowLights(of: image), rotation: scene.environment.rotation,
                resolution: frame.options.environmentShadowResolution)
        }
        if shadesSurfaces, let image = scene.environment.image {
            let sample = frame.options.lightSample
            let count = Self.surfaceMapCount(frames: sample.count)
            let all = environments.surfaceLights(of: image, count: count * sample.count).lights
            surfaces = plan.add(
                EnvironmentShadowLights.Light.frame(sample, of: all), scene.environment,
                resolution: frame.options.environmentShadowResolution)
        }
        // The shadows of a warm-up are not shown.
        let isSmall = isWarmUp && plan.views.count <= 256
        try plan.pack(limit: isSmall ? min(1024, limit) : limit)
        set = ShadowSet(plan, draws.list)
        let store = scene.store
        self.scene = SceneState(store: ObjectIdentifier(store), update: store.updateCount, structure: store.structureVersion)
    }

    var isEmpty: Bool { plan.views.isEmpty }

    /// The shader features that these maps need.
    var features: SurfaceFeatures {
        guard !isEmpty else { return [] }
        var features: SurfaceFeatures = .shadows
        if plan.views.contains(where: { $0.size > 0 }) { features.insert(.softShadows) }
        if plan.hasCubes { features.insert(.cubeShadows) }
        if !surfaces.lights.isEmpty { features.insert(.environmentShadows) }
        if plan.views.count > FrameBindings.mainMapCount { features.insert(.manyShadowMaps) }
        return features
    }

    /// The tolerance for coarser casters in a map; nil for perspective maps, whose texels grow with the distance.
    func detail(_ view: Int) -> DetailLevel? { plan.views[view].origin.w == 0 ? DetailLevel(texel: plan.views[view].texel) : nil }

    /// The maps as shaders read them, after `header`; at least one, as the buffer's type requires.
    var mapUniforms: [ShadowMapUniforms] {
        guard !isEmpty else { return [ShadowMapUniforms()] }
        return plan.views.enumerated().map { index, view in
            let number = index - environment.first
            let isOfEnvironment = environment.weights.indices.contains(number)
            // Rotated by the golden ratio from frame to frame, and from one of the environment's directions to the next.
            let turn = Float(plan.sample.index + (isOfEnvironment ? number : 0)) * 0.618_034
            let weight = isOfEnvironment ? environment.weights[number] : 0
            return ShadowMapUniforms(view, atlas: plan.atlasSize, noiseOffset: turn - turn.rounded(.down), weight: weight)
        }
    }

    /// The number of directions of the environment in each frame of a still.
    ///
    /// - Parameter frames: The number of the still's frames: fewer have more directions each.
    static func surfaceMapCount(frames: Int) -> Int { min(max(128 / frames, 8), EnvironmentShadowUniforms.maximumCount) }

    /// The environment's light on surfaces as shaders read it; nil without shadows of it.
    var surfaceUniforms: (header: EnvironmentShadowUniforms, maps: [EnvironmentShadowMapUniforms])? {
        guard let first = surfaces.lights.first.map({ _ in plan.views[surfaces.first] }) else { return nil }
        let maps = surfaces.lights.enumerated().map { index, light in
            let map = ShadowMapUniforms(plan.views[surfaces.first + index], atlas: plan.atlasSize, noiseOffset: 0, weight: 0)
            return EnvironmentShadowMapUniforms(map, light, intensity: surfaces.intensity)
        }
        var header = EnvironmentShadowUniforms(
            count: UInt32(maps.count), texel: first.texel, depth: first.depth,
            light: surfaces.lights.reduce(0) { $0 + $1.weight } * surfaces.intensity)
        let turn = Float(plan.sample.index) * 0.618_034
        header.noiseOffset = turn - turn.rounded(.down)
        return (header, maps)
    }

    var header: ShadowUniforms {
        ShadowUniforms(environmentFirst: environment.first, environmentCount: environment.weights.count, isPart: plan.sample.count > 1)
    }
}

extension EnvironmentShadowLights.Light {
    /// The lights of one frame of a still: of each group of neighbours another one, with the light of its group.
    fileprivate static func frame(_ sample: LightSample, of all: [Self]) -> [Self] {
        stride(from: 0, to: all.count, by: sample.count).enumerated().compactMap { group, start in
            let size = min(sample.count, all.count - start)
            // Rotated from group to group by the golden ratio.
            let member = (sample.index + Int(Float(group * sample.count) * 0.618_034)) % sample.count
            guard member < size else { return nil }
            let light = all[start + member]
            return Self(direction: light.direction, size: light.size, color: light.color * Float(sample.count))
        }
    }
}

extension ShadowPlan {
    /// Adds maps of an environment's light on surfaces; returns the first, the lights and the factor on them.
    fileprivate mutating func add(
        _ lights: [EnvironmentShadowLights.Light], _ environment: Environment, resolution: Int
    ) -> (first: Int, lights: [EnvironmentShadowLights.Light], intensity: Float) {
        let first = views.count
        guard let sphere = casters.sphere(.max) else { return (first, [], 0) }
        let worldFromEnvironment = Matrix3(Quaternion(angle: environment.rotation, axis: .up))
        for light in lights {
            let source = ParallelLight(
                axes: Axes(along: worldFromEnvironment * -light.direction), size: 0, resolution: ShadowPlan.tile(resolution),
                categories: .max)
            append(source.view(around: sphere, casters: sphere, fadesAtEdge: false))
        }
        return (first, lights, environment.intensity)
    }

    /// Adds the maps of an environment's light; returns the first, and the share that each represents.
    fileprivate mutating func add(
        _ environment: EnvironmentShadowLights, rotation: Angle, resolution: Int
    ) -> (first: Int, weights: [Float]) {
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
