import VitrineScene

/// Everything that a surface's shader source depends on. Materials with equal keys share module and layout.
struct SurfaceProgramKey: Hashable {
    var lobes: SurfaceLobes
    /// The number of the texture sample that each `MaterialSlot` reads, or `none`.
    var samples: [UInt8]
    /// The number of each sample's sampler.
    var samplers: [UInt8]
    /// The names and numbers of the samples that the surface function reads itself.
    var named: [NamedSample] = []
    var function: SurfaceFunction.Code?
    /// The channel of its texels and of its factor in `MaterialUniforms` that contains each value.
    var roughnessChannel = 0, metalnessChannel = 0, occlusionChannel = 0
    /// Whether the normal map's texels contain x and y only, and other numbers.
    var packsNormal = false

    struct NamedSample: Hashable {
        var name: String
        var sample: UInt8
    }

    static let none = UInt8.max

    init(lobes: SurfaceLobes) {
        self.lobes = lobes
        samples = Array(repeating: Self.none, count: MaterialSlot.allCases.count)
        samplers = []
    }

    subscript(slot: MaterialSlot) -> Int? {
        get { samples[slot.rawValue] == Self.none ? nil : Int(samples[slot.rawValue]) }
        set { samples[slot.rawValue] = newValue.map { UInt8($0) } ?? Self.none }
    }

    var samplerCount: Int { Int(samplers.max().map { $0 + 1 } ?? 0) }

    /// The names that the text tests by `#if`.
    var conditions: [String] {
        var names: [String] = []
        for (lobe, name) in SurfaceLobes.baseNames where lobes.contains(lobe) { names.append(name) }
        for lobe in MaterialLobe.all where lobes.contains(lobe.lobe) { names.append(lobe.condition) }
        for map in MaterialMap.all where self[map.slot] != nil { if let name = map.condition { names.append(name) } }
        if let function, function.hasUniforms { names.append("UNIFORMS") }
        return names
    }

    /// Whether the shader computes tangents.
    var usesTangents: Bool { tangentSlot != nil || lobes.needTangents || lobes.contains(.function) }

    /// Whether a surface can be shaded from an `AttributeBuffer`: the shading needs neither the position nor the code of a surface function.
    var allowsDeferredShading: Bool {
        lobes.isDisjoint(with: [.function, .constant, .shadowReceiver, .transmission])
    }

    /// The slot whose texture coordinates missing tangents follow.
    var tangentSlot: MaterialSlot? {
        if let normals = MaterialMap.all.first(where: { $0.use == .normal && self[$0.slot] != nil }) { return normals.slot }
        for lobe in MaterialLobe.all where lobe.needsTangents {
            if let map = lobe.maps.first(where: { self[$0.slot] != nil }) { return map.slot }
        }
        return nil
    }
}
