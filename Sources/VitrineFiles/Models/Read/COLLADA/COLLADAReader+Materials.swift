import VitrineMath
import VitrineScene

/// A material of the file, once for every way its textures are bound to sets of texture coordinates.
final class ReadMaterial {
    /// The names that its textures have for sets of coordinates, in the order found.
    var semantics: [String] = []
    /// By the sets that those names mean.
    var variants: [[Int]: Material] = [:]
}

extension COLLADAReader {
    /// The material that is bound to a part; nil if there is none.
    func material(_ binding: XMLElement?, part: BuiltPart) throws(ModelFileError) -> Material? {
        guard let binding else { return nil }
        guard let element = try files.resolve(binding["target"], from: binding), element.name == "material" else {
            warn(binding, "there is no material \"\((binding["target"] ?? "").prefix(80))\"")
            return nil
        }
        return try material(element, binding: binding, part: part)
    }

    func material(_ element: XMLElement, binding: XMLElement?, part: BuiltPart) throws(ModelFileError) -> Material? {
        let read = materialsByElement[element] ?? ReadMaterial()
        if materialsByElement[element] == nil {
            materialsByElement[element] = read
            // Once only to learn the names.
            let first = try self.effect(of: element) { name in
                if !read.semantics.contains(name) { read.semantics.append(name) }
                return 0
            }
            let key = read.semantics.map { set($0, binding, part) }
            if key.allSatisfy({ $0 == 0 }) {
                read.variants[key] = first
                materials.append(first)
                return first
            }
        }
        let key = read.semantics.map { set($0, binding, part) }
        if let known = read.variants[key] { return known }
        let made = try self.effect(of: element) { name in read.semantics.firstIndex(of: name).map { key[$0] } ?? 0 }
        read.variants[key] = made
        materials.append(made)
        return made
    }

    /// Our number of the set of texture coordinates that a name of the effect means.
    private func set(_ semantic: String, _ binding: XMLElement?, _ part: BuiltPart) -> Int {
        var number: Int?
        if let bind = binding?.children.first(where: { $0.name == "bind_vertex_input" && $0["semantic"] == semantic }) {
            number = bind["input_set"].flatMap { Int($0) }
        } else if let digits = semantic.split(whereSeparator: { !$0.isNumber }).last, semantic.hasSuffix(digits) {
            // Not bound: "UVSET1", "TEX1", "CHANNEL1" say it by their number.
            number = Int(digits)
        }
        guard let number else { return 0 }
        return part.textureSets.firstIndex(of: number) ?? 0
    }

    // MARK: The effect

    private func effect(of material: XMLElement, set: (String) -> Int) throws(ModelFileError) -> Material {
        let result = Material(name: material.title, baseColor: Color(white: 0.8), metalness: 0, roughness: 1)
        result.lightingModel = .lambert
        guard let instance = material.child("instance_effect"), let effect = try files.resolve(instance["url"], from: instance),
            effect.name == "effect"
        else {
            warn(material, "the material has no effect")
            return result
        }
        guard let profile = effect.child("profile_COMMON"), let technique = profile.child("technique"),
            let shader = technique.children.first(where: { ["constant", "lambert", "phong", "blinn"].contains($0.name) })
        else {
            warn(effect, "the effect has no common profile: a grey surface is shown")
            return result
        }
        let scope = EffectScope(effect: effect, profile: profile, technique: technique, instance: instance)
        try read(shader, scope, into: result, set: set)
        try readBump(technique, scope, into: result, set: set)
        result.isDoubleSided = Self.isDoubleSided(effect) ?? true
        return result
    }

    /// COLLADA knows nothing of culling: both sides show, where a program has said nothing else; nil.
    static func isDoubleSided(_ element: XMLElement) -> Bool? {
        let said = element.descendants.filter { $0.name == "double_sided" }
        return said.isEmpty ? nil : said.contains { $0.isTrue }
    }

    private func read(
        _ shader: XMLElement, _ scope: EffectScope, into material: Material, set: (String) -> Int
    ) throws(ModelFileError) {
        material.baseColor = ColorSlot(Vector4(0, 0, 0, 1))
        switch shader.name {
        case "constant":
            material.lightingModel = .constant
            // A constant shader emits its color; some programs write it as diffuse.
            let slot = shader.child("emission") ?? shader.child("diffuse")
            material.baseColor = try color(slot, scope, set) ?? material.baseColor
        default:
            material.lightingModel = shader.name == "phong" ? .phong : shader.name == "blinn" ? .blinn : .lambert
            material.baseColor = try color(shader.child("diffuse"), scope, set) ?? material.baseColor
            material.emission = try color(shader.child("emission"), scope, set) ?? material.emission
        }
        if shader.name == "phong" || shader.name == "blinn" {
            let shininess = try scope.content(shader.child("shininess"))?.float() ?? 20
            material.highlight = Highlight(
                color: try color(shader.child("specular"), scope, set) ?? ColorSlot(Vector4(0, 0, 0, 1)),
                shininess: shininess.isFinite ? exponent(max(shininess, 0), shader) : 20)
        }
        if let ambient = scope.content(shader.child("ambient")) {
            if ambient.name == "texture" {
                try reportAmbientTexture(ambient, scope, material)
            } else if let color = try color(shader.child("ambient"), scope, set) {
                ambientColors.append((material, color.factor.xyz, shader))
            }
        }
        if let ior = try scope.content(shader.child("index_of_refraction"))?.float(), ior.isFinite, ior > 1 { material.ior = ior }
        if let reflectivity = try scope.content(shader.child("reflectivity"))?.float(), reflectivity > 0,
            let reflective = try color(shader.child("reflective"), scope, set), reflective.factor.xyz != Vector3(repeating: 0)
        {
            warn(shader, "mirror reflections of \(shader.name) are not shown", kind: "reflective")
        }
        try readTransparency(shader, scope, into: material, set: set)
    }

    /// The exponent of the highlight's cosine. The specification says that `<shininess>` is just that. Two kinds of programs write numbers up
    /// to 1 for something else: 3ds Max a share of the sharpest highlight, here 128; others for `<blinn>` the eccentricity of Blinn's paper (1977).
    private func exponent(_ shininess: Float, _ shader: XMLElement) -> Float {
        guard shininess > 0, shininess <= 1 else { return shininess }
        let tool = shader.tree.root.child("asset", "contributor", "authoring_tool")?.text.lowercased() ?? ""
        if tool.contains("max") { return shininess * 128 }
        return shader.name == "blinn" ? Self.exponent(ofEccentricity: shininess) : shininess
    }

    /// Blinn's distribution is (e² / (1 - (1 - e²) cos²))². The cosine's power falls to a half at the same angle.
    static func exponent(ofEccentricity eccentricity: Float) -> Float {
        let squared = eccentricity * eccentricity
        let cosine = (1 - Float(2).squareRoot() * squared) / max(1 - squared, 1e-6)
        // From e = 0.84 on the distribution never falls to a half.
        guard cosine > 0.01 else { return 1 }
        return clamp(log(Float(0.5)) / log(min(cosine, 0.999_999).squareRoot()), 1, 1000)
    }

    /// Materials have no ambient texture. One that repeats the diffuse texture loses nothing.
    private func reportAmbientTexture(_ element: XMLElement, _ scope: EffectScope, _ material: Material) throws(ModelFileError) {
        guard let texture = try texture(element, scope), texture !== material.baseColor.map?.texture else { return }
        warn(element, "the ambient texture \"\(texture.name.prefix(80))\" is not supported: left out", kind: "ambient texture")
    }

    /// A colour, or a texture; nil where the slot is empty.
    private func color(_ slot: XMLElement?, _ scope: EffectScope, _ set: (String) -> Int) throws(ModelFileError) -> ColorSlot? {
        guard let content = scope.content(slot) else { return nil }
        if content.name == "texture" {
            guard let map = try map(content, scope, set) else { return nil }
            return ColorSlot(Vector4(1, 1, 1, 1), map: map)
        }
        let numbers = try content.floats(limit: 16)
        guard !numbers.isEmpty else { return nil }
        return ColorSlot(Vector4(Self.linear(numbers), 1))
    }

    private func map(_ element: XMLElement, _ scope: EffectScope, _ set: (String) -> Int) throws(ModelFileError) -> TextureMap? {
        guard let texture = try texture(element, scope) else { return nil }
        return TextureMap(texture, set: set(element["texcoord"] ?? ""), transform: try Self.transform(element))
    }

    /// Not in the common profile: what programs put beside it.
    private func readBump(
        _ technique: XMLElement, _ scope: EffectScope, into material: Material, set: (String) -> Int
    ) throws(ModelFileError) {
        guard let bump = technique.children("extra").lazy.compactMap({ $0.firstDescendant("bump") }).first,
            let element = bump.child("texture"), let map = try map(element, scope, set), case .encoded(let bytes) = map.texture.content
        else { return }
        if bump["bumptype"]?.uppercased() == "NORMALMAP" || OpacityImage.isNormalMap(bytes, name: map.texture.name) {
            material.normal = NormalSlot(map: map)
        } else {
            warn(bump, "a bump image of heights is not shown", kind: "bump")
        }
    }
}
