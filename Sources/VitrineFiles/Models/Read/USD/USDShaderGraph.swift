/// The source of a shader's input.
enum USDInput {
    /// The value of the input, or of the attribute to which it is connected.
    case value(USDField, USDStage.Site)
    /// The output of a shader.
    case shader(prim: Int, output: String)
}

/// The connections between the shaders of a stage.
struct USDShaderGraph {
    let stage: USDStage

    /// Returns the source of an attribute, following the inputs and outputs of materials and node graphs to a shader or a value.
    func follow(_ prim: Int, _ attribute: String) -> USDInput? {
        var (prim, attribute) = (prim, attribute)
        for _ in 0..<32 {
            if let path = stage.connections(prim, attribute).first {
                let (owner, name) = USDPath.split(path)
                guard let next = stage.primOfPath[owner] else { return nil }
                // The only output, if the connection refers to a prim.
                if name.isEmpty, attribute.hasPrefix("outputs:"), stage.has(next, "info:id") {
                    return .shader(prim: next, output: "outputs:surface")
                }
                if name.hasPrefix("outputs:"), stage.has(next, "info:id") { return .shader(prim: next, output: name) }
                (prim, attribute) = (next, name)
                continue
            }
            guard let opinion = stage.opinion(prim, attribute), let value = opinion.start else { return nil }
            return .value(value, opinion.site)
        }
        return nil
    }

    func value(_ shader: Int, _ input: String) -> USDField? {
        if case .value(let value, _)? = follow(shader, "inputs:\(input)") { return value }
        return nil
    }

    func number(_ shader: Int, _ input: String, _ fallback: Float) -> Float {
        let value = value(shader, input)?.float ?? fallback
        return value.isFinite ? value : fallback
    }

    /// Returns the name of the primvar that a primvar reader reads.
    func primvarName(_ shader: Int) -> String? {
        guard let id = stage.start(shader, "info:id")?.text, id.hasPrefix("UsdPrimvarReader") else { return nil }
        return value(shader, "varname")?.text
    }
}
