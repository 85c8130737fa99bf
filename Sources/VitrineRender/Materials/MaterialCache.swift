import VitrineGPU
import VitrineMath
import VitrineScene

/// A material on the GPU: its numbers, its maps, and what its shader must do.
final class GPUMaterial {
    private(set) var owner: Material
    fileprivate(set) var program: SurfaceProgram
    fileprivate(set) var features: SurfaceFeatures = []
    /// The sets of texture coordinates that go into the first and second stream.
    fileprivate(set) var uvSets: (Int, Int?) = (0, nil)
    /// The texture coordinates along which tangents lie; nil: none are needed.
    fileprivate(set) var tangentSet: Int?
    fileprivate(set) var bindGroup: GPUBindGroup?
    fileprivate var uniforms: GPUBuffer
    fileprivate var block: MaterialPlan.Block?
    fileprivate var bound: [BoundMap] = []
    fileprivate var anisotropy = 0
    /// Whether a map is filtered anisotropically.
    fileprivate(set) var filtersAnisotropically = false
    /// Whether all maps have the same size and coordinates.
    fileprivate(set) var hasEqualMaps = false
    /// The surface function's numbers.
    fileprivate var values: GPUBuffer?
    fileprivate var valueBlock: [Vector4] = []
    /// The frame in which it was last updated.
    fileprivate var frame: UInt64?

    init(owner: Material, program: SurfaceProgram, uniforms: GPUBuffer) {
        (self.owner, self.program, self.uniforms) = (owner, program, uniforms)
    }

    /// Whether the scene's material has no other reference than this one.
    func isOnlyReference() -> Bool { isKnownUniquelyReferenced(&owner) }

    fileprivate var memory: Int { uniforms.size + (values?.size ?? 0) }
}

/// A bound map, to be compared with the material's current one.
private struct BoundMap: Equatable {
    var textures: [ObjectIdentifier]
    var versions: [Int]
    var channels: [PackedChannel]
    var use: TextureUse
    var sampler: Sampler
}

/// Materials on the GPU, by identity. A material has no version: its numbers are read again every frame, which is cheap, and uploaded
/// when they changed.
final class MaterialCache {
    private let device: GPUDevice
    let textures: TextureCache
    let programs: SurfaceProgramCache
    private let limits: SurfaceLimits
    /// Bound to shadow receivers that compute their shadow.
    private let receiverPlacement: GPUBuffer
    /// The handler of warnings, set from `Renderer.onWarning`.
    var onWarning: ((String) -> Void)?
    private var entries: [ObjectIdentifier: GPUMaterial] = [:]

    /// Counts the frames of all renderers that share the cache.
    private var frame: UInt64 = 0

    private(set) var blockMemory = 0
    var memory: Int { textures.memory + blockMemory }

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - frame: The layout of group 0, whose textures and samplers count against the limits.
    ///   - limits: The limits of materials; nil for those of the device.
    init(
        _ device: GPUDevice, _ pipelines: PipelineCache, frame: GPUBindGroupLayout, limits: SurfaceLimits? = nil
    ) throws(GPUError) {
        self.device = device
        textures = try TextureCache(device, pipelines)
        receiverPlacement = try device.makeBuffer("shadow receiver", size: 16, usage: [.uniform, .copyDestination])
        programs = SurfaceProgramCache(device, frame: frame)
        self.limits =
            limits
            ?? SurfaceLimits(
                textures: device.limits.maxSampledTexturesPerShaderStage - frame.sampledTextureCount,
                samplers: device.limits.maxSamplersPerShaderStage - frame.samplerCount)
    }

    /// Begins a frame: materials are compared with their GPU copies again.
    func beginFrame() { frame += 1 }

    /// The material's GPU copy, updated at most once per frame.
    func material(_ material: Material, anisotropy: Int) throws(RenderError) -> GPUMaterial {
        if let known = entries[ObjectIdentifier(material)], known.frame == frame { return known }
        let entry = try prepare(material, anisotropy: anisotropy)
        entry.frame = frame
        return entry
    }

    /// Updates the material's GPU copy before the frame that draws it, which updates it again.
    @discardableResult
    func prepare(_ material: Material, anisotropy: Int) throws(RenderError) -> GPUMaterial {
        let plan = try MaterialPlan(material, limits: limits)
        let entry = try entry(of: material, ObjectIdentifier(material), plan)
        entry.frame = nil
        try update(entry, plan, anisotropy: anisotropy)
        return entry
    }

    /// The textures that a material samples, and how.
    func textures(of material: Material) throws(RenderError) -> [TextureContents] {
        try MaterialPlan(material, limits: limits).samples.map { $0.contents }
    }

    /// The texture coordinates for a material's tangents; nil if it needs none.
    func tangentSet(of material: Material) throws(RenderError) -> Int? { try MaterialPlan(material, limits: limits).tangentSet }

    /// The shader to compile for a material; nil if there is none.
    func pendingShader(of material: Material) throws(RenderError) -> ShaderWork? {
        programs.pendingWork(try MaterialPlan(material, limits: limits).key, function: material.surfaceFunction)
    }

    /// Refuses the surface function that an error of an earlier frame concerns, so that materials with it cannot be drawn.
    ///
    /// - Returns: nil if the error does not concern a surface function.
    func refuse(_ error: GPUError) -> SurfaceFunctionError? {
        guard let refused = programs.refuse(error) else { return nil }
        for (id, entry) in entries where entry.program.key == refused.key {
            blockMemory -= entry.memory
            entries[id] = nil
        }
        return refused.reason
    }

    /// Frees materials and textures that only the cache refers to.
    func purge() {
        for id in Array(entries.keys) {
            guard let entry = entries[id], entry.isOnlyReference() else { continue }
            blockMemory -= entry.memory
            entries[id] = nil
        }
        textures.purge()
    }

    private func entry(of material: Material, _ id: ObjectIdentifier, _ plan: MaterialPlan) throws(RenderError) -> GPUMaterial {
        if let known = entries[id], known.program.key == plan.key { return known }
        let program = try programs.program(plan.key, function: material.surfaceFunction)
        let entry = try attempting("material '\(material.name)'") { () throws(GPUError) in
            let uniforms = try device.makeBuffer(
                material.name, size: MaterialUniforms.byteCount(plan.key), usage: [.uniform, .copyDestination])
            return GPUMaterial(owner: material, program: program, uniforms: uniforms)
        }
        blockMemory += entry.memory - (entries[id]?.memory ?? 0)
        entries[id] = entry
        if !plan.droppedSlots.isEmpty { onWarning?(warning(about: plan.droppedSlots, of: material)) }
        return entry
    }

    private func warning(about dropped: [MaterialSlot], of material: Material) -> String {
        var names = ""
        for slot in dropped { names += (names.isEmpty ? "" : ", ") + slot.map.name }
        return "material '\(material.name)' has more textures than this GPU binds (\(limits.textures)): \(names) drawn without map"
    }

    /// The bindings of a shadow receiver without maps that reads a kept shadow.
    func bindGroup(of receiver: GPUMaterial, keptShadow view: GPUTextureView, placement: GPUBuffer) throws(RenderError) -> GPUBindGroup {
        let resources: [GPUBindGroupEntry] = [.buffer(SurfaceBindings.block, receiver.uniforms)]
        let kept = try keptShadow(SurfaceBindings(receiver.program.key), view, placement: placement)
        return try attempting("a shadow receiver") { () throws(GPUError) in
            try device.makeBindGroup("shadow receiver", layout: receiver.program.layout, resources + kept)
        }
    }

    private func keptShadow(
        _ bindings: SurfaceBindings, _ view: GPUTextureView, placement: GPUBuffer
    ) throws(RenderError) -> [GPUBindGroupEntry] {
        let sampler = try textures.sampler(Sampler(wrapS: .clampToEdge, wrapT: .clampToEdge), anisotropy: 1)
        let first = bindings.keptShadow
        return [.texture(first, view), .sampler(first + 1, sampler), .buffer(first + 2, placement)]
    }

    private func update(_ entry: GPUMaterial, _ plan: MaterialPlan, anisotropy: Int) throws(RenderError) {
        entry.features = plan.features
        entry.uvSets = plan.uvSets
        entry.tangentSet = plan.tangentSet
        let block = plan.block
        if block != entry.block {
            device.queue.write(value: block.uniforms, to: entry.uniforms)
            device.queue.write(block.vectors, to: entry.uniforms, at: MaterialUniforms.byteCount)
            entry.block = block
        }
        try updateValues(entry)
        let wanted = plan.samples.map { sample in
            let contents = sample.contents
            return BoundMap(
                textures: contents.textures.map { ObjectIdentifier($0) }, versions: contents.versions,
                channels: contents.packed?.channels ?? [], use: sample.use, sampler: sample.map.texture.sampler)
        }
        if entry.bindGroup == nil || wanted != entry.bound || entry.anisotropy != anisotropy {
            entry.bindGroup = try bind(entry, plan, anisotropy: anisotropy)
            entry.bound = wanted
            entry.anisotropy = anisotropy
            entry.hasEqualMaps = plan.hasEqualMaps
            entry.filtersAnisotropically = plan.samplers.contains { TextureCache.degree(of: $0, anisotropy: anisotropy) > 1 }
        }
    }

    private func updateValues(_ entry: GPUMaterial) throws(RenderError) {
        guard let function = entry.owner.surfaceFunction, function.code.hasUniforms else { return }
        let block = function.block
        if entry.values == nil {
            entry.values = try attempting("material '\(entry.owner.name)'") { () throws(GPUError) in
                try device.makeBuffer("surface function", size: block.count * 16, usage: [.uniform, .copyDestination])
            }
            blockMemory += block.count * 16
        }
        if let values = entry.values, block != entry.valueBlock {
            device.queue.write(block, to: values)
            entry.valueBlock = block
        }
    }

    private func bind(
        _ entry: GPUMaterial, _ plan: MaterialPlan, anisotropy: Int
    ) throws(RenderError) -> GPUBindGroup {
        let bindings = SurfaceBindings(plan.key)
        var resources: [GPUBindGroupEntry] = [.buffer(SurfaceBindings.block, entry.uniforms)]
        for (index, sample) in plan.samples.enumerated() {
            resources.append(.texture(bindings.texture(index), try textures.view(of: sample.contents)))
        }
        for (index, sampler) in plan.samplers.enumerated() {
            resources.append(.sampler(bindings.sampler(index), try textures.sampler(sampler, anisotropy: anisotropy)))
        }
        if let values = entry.values { resources.append(.buffer(bindings.uniforms, values)) }
        if bindings.isShadowReceiver { resources += try keptShadow(bindings, textures.white, placement: receiverPlacement) }
        return try attempting("material '\(entry.owner.name)'") { () throws(GPUError) in
            try device.makeBindGroup(entry.owner.name, layout: entry.program.layout, resources)
        }
    }
}
