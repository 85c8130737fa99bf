import VitrineGPU
import VitrineMath
import VitrineScene

/// A material on the GPU: its numbers, its maps, and what its shader must do.
final class GPUMaterial {
    var owner: Material
    fileprivate(set) var features: SurfaceFeatures = []
    /// The sets of texture coordinates that go into the first and second stream.
    fileprivate(set) var uvSets: (Int, Int?) = (0, nil)
    fileprivate(set) var normalMapSet: Int?
    fileprivate(set) var bindGroup: GPUBindGroup?
    fileprivate let uniforms: GPUBuffer
    fileprivate var block: [Vector4] = []
    fileprivate var bound: [BoundMap] = []
    fileprivate var anisotropy = 0
    /// The frame in which it was last brought up to date.
    fileprivate(set) var frame: UInt64 = 0

    init(owner: Material, uniforms: GPUBuffer) { (self.owner, self.uniforms) = (owner, uniforms) }
}

/// A map as it was bound: compared with what the material has now.
private struct BoundMap: Equatable {
    var texture: ObjectIdentifier?
    var version = 0
    var sampler = Sampler()
}

/// Materials on the GPU, by identity. A material has no version: its numbers are read again every frame, which is cheap, and uploaded
/// when they changed.
final class MaterialCache {
    private let device: GPUDevice
    let textures: TextureCache
    let layout: GPUBindGroupLayout
    private var entries: [ObjectIdentifier: GPUMaterial] = [:]
    /// 8 vectors of numbers and two rows for each of the nine slots.
    private static let vectorCount = 26

    var memory: Int { textures.memory + entries.count * Self.vectorCount * 16 }

    init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        textures = try TextureCache(device)
        var entries: [GPUBindGroupLayoutEntry] = [.uniformBuffer(0, .fragment, minSize: Self.vectorCount * 16)]
        for slot in MaterialSlot.allCases {
            entries.append(.texture(1 + 2 * slot.rawValue, .fragment))
            entries.append(.sampler(2 + 2 * slot.rawValue, .fragment))
        }
        layout = try device.makeBindGroupLayout("material", entries)
    }

    /// The material as it is now.
    func material(_ material: Material, anisotropy: Int, frame: UInt64) throws(RenderError) -> GPUMaterial {
        let id = ObjectIdentifier(material)
        let entry: GPUMaterial
        if let known = entries[id] {
            if known.frame == frame { return known }
            entry = known
        } else {
            entry = try attempting("material '\(material.name)'") { () throws(GPUError) in
                GPUMaterial(
                    owner: material,
                    uniforms: try device.makeBuffer(material.name, size: Self.vectorCount * 16, usage: [.uniform, .copyDestination]))
            }
            entries[id] = entry
        }
        try update(entry, anisotropy: anisotropy, frame: frame)
        entry.frame = frame
        return entry
    }

    /// Forgets materials and textures that nobody else refers to.
    func purge() {
        for id in Array(entries.keys) {
            guard let entry = entries[id], isKnownUniquelyReferenced(&entry.owner) else { continue }
            entries[id] = nil
        }
        textures.purge()
    }

    private func update(_ entry: GPUMaterial, anisotropy: Int, frame: UInt64) throws(RenderError) {
        let plan = try MaterialPlan(entry.owner)
        entry.features = plan.features
        entry.uvSets = plan.uvSets
        entry.normalMapSet = plan.normalMapSet
        if plan.block != entry.block {
            device.queue.write(plan.block, to: entry.uniforms)
            entry.block = plan.block
        }
        let wanted = plan.maps.map { map in
            map.map { BoundMap(texture: ObjectIdentifier($0.texture), version: $0.texture.version, sampler: $0.texture.sampler) }
                ?? BoundMap()
        }
        if entry.bindGroup == nil || wanted != entry.bound || entry.anisotropy != anisotropy {
            entry.bindGroup = try bind(entry, plan, anisotropy: anisotropy, frame: frame)
            entry.bound = wanted
            entry.anisotropy = anisotropy
        }
    }

    private func bind(
        _ entry: GPUMaterial, _ plan: MaterialPlan, anisotropy: Int, frame: UInt64
    ) throws(RenderError) -> GPUBindGroup {
        var resources: [GPUBindGroupEntry] = [.buffer(0, entry.uniforms)]
        for slot in MaterialSlot.allCases {
            let map = plan.maps[slot.rawValue]
            var view = textures.white
            if let map { view = try textures.view(of: map.texture, as: slot.use, frame: frame) }
            resources.append(.texture(1 + 2 * slot.rawValue, view))
            let sampler = try textures.sampler(map?.texture.sampler ?? Sampler(), anisotropy: map == nil ? 1 : anisotropy)
            resources.append(.sampler(2 + 2 * slot.rawValue, sampler))
        }
        return try attempting("material '\(entry.owner.name)'") { () throws(GPUError) in
            try device.makeBindGroup(entry.owner.name, layout: layout, resources)
        }
    }
}

extension MaterialSlot {
    var use: TextureUse {
        switch self {
        case .baseColor, .emission: .color
        case .normal, .coatNormal: .normal
        case .metalness, .roughness, .occlusion, .coat, .coatRoughness: .data
        }
    }
}
