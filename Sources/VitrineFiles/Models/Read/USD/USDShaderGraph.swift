/// What an input of a shader gets.
enum USDInput {
    /// Its own value, or one that it is connected to.
    case value(USDField, USDStage.Site)
    /// A shader's output.
    case shader(prim: Int, output: String)
}

/// Connections between the shaders of a stage.
struct USDShaderGraph {
    let stage: USDStage

    /// What an attribute gets: through materials' and node graphs' own inputs and outputs to a shader or a value.
    func follow(_ prim: Int, _ attribute: String) -> USDInput? {
        var (prim, attribute) = (prim, attribute)
        for _ in 0..<32 {
            if let path = stage.connections(prim, attribute).first {
                let (owner, name) = USDPath.split(path)
                guard let next = stage.primOfPath[owner] else { return nil }
                // Its one output, where a prim is named instead of it.
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

    /// The primvar that a reader reads.
    func primvarName(_ shader: Int) -> String? {
        guard let id = stage.start(shader, "info:id")?.text, id.hasPrefix("UsdPrimvarReader") else { return nil }
        return value(shader, "varname")?.text
    }
}
