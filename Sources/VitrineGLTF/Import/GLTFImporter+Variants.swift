import VitrineScene

/// KHR_materials_variants: names at the root, and at each primitive which material it has in which of them.
extension GLTFImporter {
    func readVariants() throws(GLTFError) {
        guard let json = try root.extension("KHR_materials_variants") else { return }
        guard let list = try json.array("variants") else { throw json.failure("variants", "is missing") }
        guard list.count <= limits.variants else { throw limitFailure(list, "more than \(limits.variants) material variants") }
        for index in 0..<list.count {
            guard let name = try list[index].string("name") else { throw list[index].failure("name", "is missing") }
            variantNames.append(name)
        }
    }

    func alternatives(of primitive: JSONValue) throws(GLTFError) -> [MaterialAlternative] {
        guard let mappings = try primitive.extension("KHR_materials_variants")?.array("mappings") else { return [] }
        var alternatives: [MaterialAlternative] = []
        for index in 0..<mappings.count {
            let mapping = mappings[index]
            let material = try mapping.requireIndex("material", below: materials.count)
            guard let variants = try mapping.array("variants") else { throw mapping.failure("variants", "is missing") }
            for position in 0..<variants.count {
                try spend(alternatives.count + 1, at: mapping)
                let name = variantNames[try variants[position].index(below: variantNames.count)]
                guard !alternatives.contains(where: { $0.variant == name }) else {
                    warn(variants[position], "'\(name)' has a material already; this one was ignored")
                    continue
                }
                alternatives.append(MaterialAlternative(variant: name, material: materials[material]))
            }
        }
        return alternatives
    }
}
