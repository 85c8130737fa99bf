import VitrineMath
import VitrineScene

/// The material extensions beside clearcoat: only what differs from a plain surface is written.
extension GLBWriter {
    mutating func lobes(_ m: Material) throws(ModelFileError) -> [(String, JSONText)] {
        var members: [(String, JSONText)] = []
        if m.ior != 1.5 { members.append(use("KHR_materials_ior", .object([("ior", .float(m.ior))]))) }
        try add("KHR_materials_specular", specular(m), to: &members)
        try add("KHR_materials_sheen", sheen(m), to: &members)
        try add("KHR_materials_transmission", transmission(m), to: &members)
        try add("KHR_materials_volume", volume(m), to: &members)
        if m.transmission.dispersion > 0 {
            members.append(use("KHR_materials_dispersion", .object([("dispersion", .float(m.transmission.dispersion))])))
        }
        try add("KHR_materials_iridescence", iridescence(m), to: &members)
        try add("KHR_materials_anisotropy", anisotropy(m), to: &members)
        return members
    }

    private mutating func add(_ name: String, _ lobe: [(String, JSONText)], to members: inout [(String, JSONText)]) {
        if !lobe.isEmpty { members.append(use(name, .object(lobe))) }
    }

    private mutating func specular(_ m: Material) throws(ModelFileError) -> [(String, JSONText)] {
        var members: [(String, JSONText)] = []
        let factor = unit(m.specular.factor, "specular", m)
        if factor != 1 { members.append(("specularFactor", .float(factor))) }
        try addAlpha(m.specular.factor, "specularTexture", "specular", m, to: &members)
        let color = m.specular.color.factor.xyz * m.specular.color.intensity
        if color != Vector3(1, 1, 1) { members.append(("specularColorFactor", .floats(color.array))) }
        try addColor(m.specular.color.map, "specularColorTexture", to: &members)
        return members
    }

    private mutating func sheen(_ m: Material) throws(ModelFileError) -> [(String, JSONText)] {
        let color = m.sheen.color.factor.xyz * m.sheen.color.intensity
        guard color.max() > 0 else { return [] }
        let inside = pointwiseMin(pointwiseMax(color, Vector3(0, 0, 0)), Vector3(1, 1, 1))
        if inside != color { leaveOut("sheen outside 0…1", m) }
        var members: [(String, JSONText)] = [("sheenColorFactor", .floats(inside.array))]
        try addColor(m.sheen.color.map, "sheenColorTexture", to: &members)
        members.append(("sheenRoughnessFactor", .float(unit(m.sheen.roughness, "sheen roughness", m))))
        try addAlpha(m.sheen.roughness, "sheenRoughnessTexture", "sheen roughness", m, to: &members)
        return members
    }

    private mutating func transmission(_ m: Material) throws(ModelFileError) -> [(String, JSONText)] {
        let factor = unit(m.transmission.factor, "transmission", m)
        guard factor > 0 else { return [] }
        var members: [(String, JSONText)] = [("transmissionFactor", .float(factor))]
        try addChannel(0, m.transmission.factor.map, m.transmission.factor.source, "transmissionTexture", m, to: &members)
        return members
    }

    private mutating func volume(_ m: Material) throws(ModelFileError) -> [(String, JSONText)] {
        let thickness = m.volume.thickness.factor * m.volume.thickness.intensity
        guard thickness > 0 else { return [] }
        var members: [(String, JSONText)] = [("thicknessFactor", .float(thickness))]
        try addChannel(1, m.volume.thickness.map, m.volume.thickness.source, "thicknessTexture", m, to: &members)
        if m.volume.attenuationDistance.isFinite, m.volume.attenuationDistance > 0 {
            members.append(("attenuationDistance", .float(m.volume.attenuationDistance)))
        }
        if m.volume.attenuationColor != Vector3(1, 1, 1) { members.append(("attenuationColor", .floats(m.volume.attenuationColor.array))) }
        return members
    }

    private mutating func iridescence(_ m: Material) throws(ModelFileError) -> [(String, JSONText)] {
        let factor = unit(m.iridescence.factor, "iridescence", m)
        guard factor > 0 else { return [] }
        let film = m.iridescence
        var members: [(String, JSONText)] = [("iridescenceFactor", .float(factor))]
        try addChannel(0, film.factor.map, film.factor.source, "iridescenceTexture", m, to: &members)
        members.append(("iridescenceIor", .float(film.ior)))
        members.append(("iridescenceThicknessMinimum", .float(film.thickness.minimum)))
        members.append(("iridescenceThicknessMaximum", .float(film.thickness.maximum)))
        let source = film.thicknessMap.map { ChannelSource(texture: $0.texture, channel: .green) }
        try addChannel(1, film.thicknessMap, source, "iridescenceThicknessTexture", m, to: &members)
        return members
    }

    private mutating func anisotropy(_ m: Material) throws(ModelFileError) -> [(String, JSONText)] {
        guard m.anisotropy.strength != 0 else { return [] }
        let strength = clamp(m.anisotropy.strength, 0, 1)
        if strength != m.anisotropy.strength { leaveOut("anisotropy outside 0…1", m) }
        var members: [(String, JSONText)] = [
            ("anisotropyStrength", .float(strength)), ("anisotropyRotation", .float(m.anisotropy.rotation.radians)),
        ]
        if let map = m.anisotropy.map { members.append(("anisotropyTexture", try info(map, image: try pool.image(map.texture)))) }
        return members
    }

    // MARK: Textures

    private mutating func addColor(
        _ map: TextureMap?, _ name: String, to members: inout [(String, JSONText)]
    ) throws(ModelFileError) {
        if let map { members.append((name, try info(map, image: try pool.image(map.texture)))) }
    }

    /// Red (0) or green (1): other channels are moved there.
    private mutating func addChannel(
        _ channel: Int, _ map: TextureMap?, _ source: ChannelSource?, _ name: String, _ m: Material,
        to members: inout [(String, JSONText)]
    ) throws(ModelFileError) {
        guard let map, let source else { return }
        var sources: [ChannelSource?] = [nil, nil, nil]
        sources[channel] = source
        members.append((name, try info(map, image: try channels(sources, isFree: [true, true, true], name, m))))
    }

    /// glTF reads alpha: a map in another channel would have to be encoded again.
    private mutating func addAlpha(
        _ slot: ScalarSlot, _ name: String, _ what: String, _ m: Material, to members: inout [(String, JSONText)]
    ) throws(ModelFileError) {
        guard let map = slot.map else { return }
        guard slot.channel == .alpha else { return leaveOut("the \(what) texture, whose number is not in alpha", m) }
        members.append((name, try info(map, image: try pool.image(map.texture))))
    }

    // MARK: Variants

    /// Which materials a primitive has in variants; nil: it has one for all.
    mutating func variantMappings(_ part: MeshPart) -> (String, JSONText)? {
        let known = part.alternatives.filter { contents.variantNames.contains($0.variant) }
        guard !known.isEmpty else { return nil }
        var mappings: [JSONText] = []
        for alternative in known {
            let variant = contents.variantNames.firstIndex(of: alternative.variant) ?? 0
            mappings.append(
                .object([
                    ("material", .integer(contents.index(of: alternative.material))), ("variants", .array([.integer(variant)])),
                ]))
        }
        return use("KHR_materials_variants", .object([("mappings", .array(mappings))]))
    }

    /// The names, for the root.
    var variantList: JSONText { .object([("variants", .array(contents.variantNames.map { .object([("name", .string($0))]) }))]) }
}
