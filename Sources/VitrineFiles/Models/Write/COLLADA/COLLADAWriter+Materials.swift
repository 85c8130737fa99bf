import VitrineMath
import VitrineScene

/// The text of effects or materials until it is written to the file.
struct COLLADALibrary {
    let name: String
    let elements: [(id: String, name: String, effect: COLLADAEffect?)]
}

/// The content of an effect, once its images are known.
struct COLLADAEffect {
    enum Slot {
        case color(Vector3)
        case texture(image: Int, sampler: Int, set: Int, transform: TextureTransform)
    }

    struct Surface: Equatable {
        let image: Int
        let sampler: Sampler
    }

    var model = "lambert"
    var emission, diffuse, specular: Slot?
    var shininess: Float?
    var transparent: (slot: Slot, mode: String)?
    var transparency: Float?
    var ior: Float?
    var bump: Slot?
    var isDoubleSided = false
    var surfaces: [Surface] = []

    mutating func index(of surface: Surface) -> Int {
        if let known = surfaces.firstIndex(of: surface) { return known }
        surfaces.append(surface)
        return surfaces.count - 1
    }
}

extension COLLADAWriter {
    mutating func writtenMaterials() throws(ModelFileError) -> [COLLADALibrary] {
        var effects: [(id: String, name: String, effect: COLLADAEffect?)] = []
        for (index, material) in contents.materials.enumerated() {
            effects.append(("effect\(index)", material.name, try effect(material)))
        }
        guard !effects.isEmpty else { return [] }
        let materials = contents.materials.indices.map {
            (id: "material\($0)", name: contents.materials[$0].name, effect: nil as COLLADAEffect?)
        }
        return [COLLADALibrary(name: "library_effects", elements: effects), COLLADALibrary(name: "library_materials", elements: materials)]
    }

    mutating func addLibrary(_ library: COLLADALibrary) {
        text.open(library.name)
        for (index, element) in library.elements.enumerated() {
            if let effect = element.effect {
                add(effect, id: element.id, name: element.name)
            } else {
                text.open("material", Self.named(element.id, element.name))
                text.leaf("instance_effect", [("url", "#effect\(index)")])
                text.close()
            }
        }
        text.close()
    }

    static func named(_ id: String, _ name: String) -> [(String, String)] { name.isEmpty ? [("id", id)] : [("id", id), ("name", name)] }

    // MARK: Conversion of materials

    private mutating func effect(_ material: Material) throws(ModelFileError) -> COLLADAEffect {
        let location = "material \"\(material.name)\""
        var effect = COLLADAEffect()
        let emission = try slot(material.emission, &effect, location: location, "emission")
        let base = try slot(material.baseColor, &effect, location: location, "base colour")
        effect.isDoubleSided = material.isDoubleSided
        switch material.lightingModel {
        case .constant: (effect.model, effect.emission) = ("constant", base)
        case .lambert: (effect.model, effect.diffuse, effect.emission) = ("lambert", base, emission)
        case .phong, .blinn:
            effect.model = material.lightingModel == .phong ? "phong" : "blinn"
            (effect.diffuse, effect.emission) = (base, emission)
            effect.specular = try slot(material.highlight.color, &effect, location: location, "highlight")
            effect.shininess = material.highlight.shininess
            if material.highlight.shininess > 0, material.highlight.shininess <= 1 {
                // Readers interpret numbers up to 1 as a fraction of the greatest exponent.
                effect.shininess = 1.01
                reportOmission(of: "a shininess of \(material.highlight.shininess) (1.01 is written instead)", at: location)
            }
        case .physicallyBased:
            (effect.diffuse, effect.emission) = (base, emission)
            addHighlight(of: material, to: &effect, location: location)
        }
        if material.ior != 1.5, material.ior > 1 { effect.ior = material.ior }
        try addTransparency(of: material, to: &effect, location: location)
        if let map = material.normal.map {
            effect.bump = try slot(map, &effect, location: location)
            if material.normal.scale != 1 { reportOmission(of: "the normal map's scale of \(material.normal.scale)", at: location) }
        }
        report(material, at: location)
        return effect
    }

    /// Approximates metalness and roughness by a Blinn highlight. The mean value of a texture is used.
    private mutating func addHighlight(of material: Material, to effect: inout COLLADAEffect, location: String) {
        let roughness = clamp(mean(of: material.roughness), 0, 1)
        let metalness = clamp(mean(of: material.metalness), 0, 1)
        let isTextured = material.roughness.map != nil || material.metalness.map != nil
        // A rough dielectric is a Lambert surface.
        if !isTextured, roughness >= 0.95, metalness == 0 { return }
        let base = material.baseColor.factor.xyz * material.baseColor.intensity
        let mean = material.baseColor.map.flatMap { pool.meanColor($0.texture) } ?? Vector4(repeating: 1)
        let blinn = BlinnApproximation(base: base * mean.xyz, metalness: metalness, roughness: roughness)
        effect.model = "blinn"
        effect.specular = .color(blinn.specular)
        effect.shininess = blinn.shininess
        if case .color? = effect.diffuse { effect.diffuse = .color(blinn.diffuse) }
        func percent(_ value: Float) -> String { "\(Int((value * 100).rounded())) %" }
        let what = "\(isTextured ? "textures of " : "")metalness (\(percent(metalness))) and roughness (\(percent(roughness)))"
        let loss =
            BlinnApproximation.losesReflections(metalness: metalness, roughness: roughness)
            ? "; reflections of the surroundings are lost: GLB and USD keep them" : ""
        warnings.append(
            ModelWarning(
                location: location, message: "\(what): not supported by COLLADA, written as the most similar Blinn highlight\(loss)"))
    }

    private func mean(of slot: ScalarSlot) -> Float {
        slot.factor * slot.intensity * (slot.map.flatMap { pool.mean($0.texture, slot.channel) } ?? 1)
    }

    private mutating func addTransparency(of material: Material, to effect: inout COLLADAEffect, location: String) throws(ModelFileError) {
        if material.alphaMode == .opaque { return }
        if case .mask = material.alphaMode { reportOmission(of: "the alpha mask's limit (it becomes a blend)", at: location) }
        let factor = clamp(material.baseColor.factor.w * material.opacity.factor * material.opacity.intensity, 0, 1)
        effect.transparency = factor
        effect.transparent = (.color(Vector3(1, 1, 1)), "A_ONE")
        if let map = material.opacity.map {
            if material.opacity.channel == .alpha {
                effect.transparent = (try slot(map, &effect, location: location), "A_ONE")
            } else {
                let source = ChannelSource(texture: map.texture, channel: material.opacity.channel)
                let image = try pool.image(channels: [source, source, source], name: map.texture.name)
                effect.transparent = (slot(map, image: image, &effect, location: location), "RGB_ONE")
            }
            if material.baseColor.map != nil { reportOmission(of: "the base colour image's alpha beside one of opacity", at: location) }
        } else if let map = material.baseColor.map {
            effect.transparent = (try slot(map, &effect, location: location), "A_ONE")
        }
    }

    private mutating func report(_ material: Material, at location: String) {
        if material.occlusion.map != nil { reportOmission(of: "occlusion", at: location) }
        if material.displacement.map != nil { reportOmission(of: "displacement", at: location) }
        if material.clearcoat.factor.factor > 0 { reportOmission(of: "clearcoat", at: location) }
        for loss in material.losses(except: [.ior, .lighting]) { reportOmission(of: loss, at: location) }
    }

    // MARK: Slots

    private mutating func slot(
        _ slot: ColorSlot, _ effect: inout COLLADAEffect, location: String, _ what: String
    ) throws(ModelFileError) -> COLLADAEffect.Slot {
        let factor = slot.factor.xyz * slot.intensity
        guard let map = slot.map else { return .color(factor) }
        if factor == Vector3(repeating: 0) { return .color(factor) }
        if factor != Vector3(repeating: 1) { reportOmission(of: "the \(what) that its image is multiplied with", at: location) }
        return try self.slot(map, &effect, location: location)
    }

    private mutating func slot(_ map: TextureMap, _ effect: inout COLLADAEffect, location: String) throws(ModelFileError)
        -> COLLADAEffect.Slot
    {
        slot(map, image: try pool.image(map.texture), &effect, location: location)
    }

    private mutating func slot(_ map: TextureMap, image: Int, _ effect: inout COLLADAEffect, location: String) -> COLLADAEffect.Slot {
        if map.transform.rotation != .zero {
            reportOmission(of: "the rotation of a texture by \(map.transform.rotation.degrees)°", at: location)
        }
        let sampler = effect.index(of: COLLADAEffect.Surface(image: image, sampler: map.texture.sampler))
        return .texture(image: image, sampler: sampler, set: map.set, transform: map.transform)
    }

    // MARK: Text

    private mutating func add(_ effect: COLLADAEffect, id: String, name: String) {
        text.open("effect", Self.named(id, name))
        text.open("profile_COMMON")
        for (index, surface) in effect.surfaces.enumerated() { add(surface, index) }
        text.open("technique", [("sid", "common")])
        text.open(effect.model)
        add("emission", effect.emission)
        add("diffuse", effect.diffuse)
        add("specular", effect.specular)
        if let shininess = effect.shininess { add("shininess", shininess) }
        if let (slot, mode) = effect.transparent { add("transparent", slot, [("opaque", mode)]) }
        if let transparency = effect.transparency { add("transparency", transparency) }
        if let ior = effect.ior { add("index_of_refraction", ior) }
        text.close()
        if let bump = effect.bump {
            text.open("extra")
            text.open("technique", [("profile", "FCOLLADA")])
            add("bump", bump, [("bumptype", "NORMALMAP")])
            text.close()
            text.close()
        }
        text.close()
        text.open("extra")
        text.open("technique", [("profile", "GOOGLEEARTH")])
        text.leaf("double_sided", [], effect.isDoubleSided ? "1" : "0")
        text.close()
        text.close()
        text.close()
        text.close()
    }

    private mutating func add(_ surface: COLLADAEffect.Surface, _ index: Int) {
        text.open("newparam", [("sid", "surface\(index)")])
        text.open("surface", [("type", "2D")])
        text.leaf("init_from", [], "image\(surface.image)")
        text.close()
        text.close()
        text.open("newparam", [("sid", "sampler\(index)")])
        text.open("sampler2D")
        text.leaf("source", [], "surface\(index)")
        func word(_ mode: WrapMode) -> String {
            switch mode {
            case .repeat: "WRAP"
            case .mirroredRepeat: "MIRROR"
            case .clampToEdge: "CLAMP"
            }
        }
        func word(_ mode: FilterMode) -> String { mode == .nearest ? "NEAREST" : "LINEAR" }
        let sampler = surface.sampler
        text.leaf("wrap_s", [], word(sampler.wrapS))
        text.leaf("wrap_t", [], word(sampler.wrapT))
        text.leaf("minfilter", [], word(sampler.minification) + (sampler.mip.map { "_MIPMAP_" + word($0) } ?? ""))
        text.leaf("magfilter", [], word(sampler.magnification))
        text.close()
        text.close()
    }

    private mutating func add(_ name: String, _ value: Float) {
        text.open(name)
        text.leaf("float", floats: [value])
        text.close()
    }

    private mutating func add(_ name: String, _ slot: COLLADAEffect.Slot?, _ attributes: [(String, String)] = []) {
        guard let slot else { return }
        text.open(name, attributes)
        switch slot {
        case .color(let color):
            text.leaf("color", floats: Self.encoded(color) + [1])
        case .texture(_, let sampler, let set, let transform):
            let names = [("texture", "sampler\(sampler)"), ("texcoord", "UVSET\(set)")]
            if transform == .identity {
                text.leaf("texture", names)
            } else {
                text.open("texture", names)
                text.open("extra")
                text.open("technique", [("profile", "MAYA")])
                text.leaf("repeatU", floats: [transform.scale.x])
                text.leaf("repeatV", floats: [transform.scale.y])
                text.leaf("offsetU", floats: [transform.offset.x])
                // COLLADA's v points up, Vitrine's down.
                text.leaf("offsetV", floats: [1 - transform.scale.y - transform.offset.y])
                text.close()
                text.close()
                text.close()
            }
        }
        text.close()
    }

    /// Returns the three numbers of a colour in sRGB.
    static func encoded(_ linear: Vector3) -> [Float] { linear.array.map { $0 == 1 ? 1 : $0 <= 0 ? 0 : sRGBFromLinear($0) } }
}
