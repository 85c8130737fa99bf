/// The parameters of an effect's shader: those of the effect, of its profile, and the values that the material sets.
struct EffectScope {
    let effect: XMLElement
    let profile: XMLElement
    /// The element with the value, by the parameter's name.
    private var values: [String: XMLElement] = [:]

    init(effect: XMLElement, profile: XMLElement, technique: XMLElement, instance: XMLElement) {
        (self.effect, self.profile) = (effect, profile)
        for parent in [effect, profile, technique] {
            for parameter in parent.children("newparam") { if let sid = parameter.sid { values[sid] = Self.value(parameter) } }
        }
        for parameter in instance.children("setparam") { if let ref = parameter["ref"] { values[ref] = Self.value(parameter) } }
    }

    private static func value(_ parameter: XMLElement) -> XMLElement? {
        parameter.children.first { !["annotate", "semantic", "modifier"].contains($0.name) }
    }

    func value(_ name: String?) -> XMLElement? { name.flatMap { values[$0] } }

    /// Returns the content of a slot of the shader: the element with the numbers or the texture.
    func content(_ slot: XMLElement?) -> XMLElement? {
        for child in slot?.children ?? XMLElement.Children(tree: effect.tree, following: -1) {
            switch child.name {
            case "color", "float", "texture": return child
            case "param": return value(child["ref"] ?? child.text)
            default: continue
            }
        }
        return nil
    }

    /// Returns the `<sampler2D>` of a texture, resolving parameters that refer to others.
    func sampler(_ texture: XMLElement) -> XMLElement? {
        let found = value(texture["texture"])
        return found.flatMap { ["sampler2D", "samplerRECT", "samplerCUBE", "sampler3D"].contains($0.name) ? $0 : nil }
    }
}
