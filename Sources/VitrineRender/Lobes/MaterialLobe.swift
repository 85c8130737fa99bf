import VitrineMath
import VitrineScene

/// An optional lobe or layer of physically based surfaces: which materials have it, its maps, its numbers and its WGSL.
///
/// Each file of this folder describes one lobe; `MaterialLobe.all` lists them.
struct MaterialLobe: Sendable {
    /// WGSL that the surface's shader contains. Statements run in the order of `MaterialLobe.all`, only for materials with the lobe.
    struct Shader: Sendable {
        /// Members of `Surface`. All materials have them, because surface functions may write those of any lobe.
        var members = ""
        /// Statements that set the members of `(*s)` from the material's numbers and the texels `t`.
        var reading = ""
        /// Statements after a surface function, which may have written anything to `(*s)`.
        var limits = ""
        /// Statements that prepare `s` once the reflectance of metal and dielectric is known; `in` is the fragment.
        var preparation = ""
        /// Statements that add light from behind `s` to `light`, below all layers; `r` is the reflectance.
        var transmitted = ""
        /// Statements that change `light`, the environment's on `s`, and `emission`.
        var environment = ""
        /// Statements that change `result`, the light of one direction `toLight`, with `h`, `nv`, `nl` and `vh` as in `reflectLight`.
        var direction = ""
        /// Statements that change `result`, the light of a rectangle or disc, with `offset`, `nv` and `f` as in `areaLight`.
        var area = ""
        /// The WGSL of the lobe's declarations.
        var functions = ""
    }

    /// A number, or up to four, of the uniform block.
    struct Uniform: Sendable {
        /// The name in WGSL, `material.NAME`, a `vec4f`.
        let name: String
        let value: @Sendable (Material) -> Vector4

        init(_ name: String, _ value: @escaping @Sendable (Material) -> Vector4) { (self.name, self.value) = (name, value) }
    }

    /// The lobe's bit in the key of programs.
    let lobe: SurfaceLobes
    /// The name for `#if`.
    let condition: String
    /// Whether the shader needs tangents.
    let needsTangents: Bool
    let isPresent: @Sendable (Material) -> Bool
    /// The maps in the order of their bindings.
    let maps: [MaterialMap]
    let uniforms: [Uniform]
    let shader: Shader

    init(
        _ lobe: SurfaceLobes, _ condition: String, needsTangents: Bool = false, maps: [MaterialMap] = [], uniforms: [Uniform] = [],
        shader: Shader = Shader(), isPresent: @escaping @Sendable (Material) -> Bool
    ) {
        (self.lobe, self.condition, self.needsTangents, self.isPresent) = (lobe, condition, needsTangents, isPresent)
        (self.maps, self.uniforms, self.shader) = (maps, uniforms, shader)
    }

    // MARK: Text of all lobes

    /// The members of `Surface`.
    static var members: String { all.reduce("") { $0 + $1.shader.members + "\n" } }

    /// Statements of all lobes, each compiled for materials with the lobe.
    static func statements(_ part: (Shader) -> String) -> String {
        var text = ""
        for lobe in all where !part(lobe.shader).isEmpty {
            text += "#if \(lobe.condition)\n{\n\(part(lobe.shader))\n}\n#endif\n"
        }
        return text
    }

    /// Members of the uniform block, in the order of `SurfaceLobes.uniforms`.
    static var uniformMembers: String {
        var text = ""
        for lobe in all where !lobe.uniforms.isEmpty {
            text += "#if \(lobe.condition)\n"
            for uniform in lobe.uniforms { text += "\(uniform.name): vec4f,\n" }
            text += "#endif\n"
        }
        return text
    }
}

/// A map of a material: where it comes from and how its texels are read.
struct MaterialMap: Sendable {
    let slot: MaterialSlot
    /// The function in WGSL that returns the texel, before `Texel`.
    let name: String
    /// The renderer's interpretation of the texels.
    let use: TextureUse
    /// The name for `#if`; nil if no shader tests it.
    let condition: String?
    /// Whether only alpha is read, which is the same in colour and data textures.
    let readsOnlyAlpha: @Sendable (Material) -> Bool
    let map: @Sendable (Material) -> TextureMap?

    init(
        _ slot: MaterialSlot, _ name: String, _ use: TextureUse = .data, condition: String? = nil,
        readsOnlyAlpha: @escaping @Sendable (Material) -> Bool = { _ in false }, map: @escaping @Sendable (Material) -> TextureMap?
    ) {
        (self.slot, self.name, self.use, self.condition) = (slot, name, use, condition)
        (self.readsOnlyAlpha, self.map) = (readsOnlyAlpha, map)
    }
}

extension Material {
    /// Whether the surface function writes a member of `Surface`.
    func functionSets(_ member: StaticString) -> Bool { surfaceFunction?.sets(member) ?? false }
}
