import VitrineScene

/// What makes two instances show the same mesh.
struct MeshKey: Hashable {
    let geometry: XMLElement
    /// The controller, where one changes the vertices.
    let variant: XMLElement?
    let materials: [ObjectIdentifier]
}

extension COLLADAReader {
    /// A geometry with the materials that an instance binds; nil where there is nothing to show.
    ///
    /// - Parameter geometries: In place of the parts' own, by part.
    func mesh(
        _ geometry: XMLElement, parts: [BuiltPart], variant: XMLElement?, instance: XMLElement, geometries: [Geometry]? = nil,
        morphWeights: [Float] = []
    ) throws(ModelFileError) -> Mesh? {
        guard !parts.isEmpty else { return nil }
        let bindings = instance.child("bind_material", "technique_common")?.children("instance_material") ?? []
        var bound: [String: XMLElement] = [:]
        for binding in bindings { if let symbol = binding["symbol"], bound[symbol] == nil { bound[symbol] = binding } }
        var materials: [Material] = []
        for part in parts {
            if let material = try material(bound[part.symbol], part: part) {
                materials.append(material)
            } else {
                materials.append(try unbound(part, instance: instance))
            }
        }
        let key = MeshKey(geometry: geometry, variant: variant, materials: materials.map { ObjectIdentifier($0) })
        if let known = meshes[key] { return known }
        if let isDoubleSided = Self.isDoubleSided(geometry) { for material in materials { material.isDoubleSided = isDoubleSided } }
        let drawn = parts.indices.map { MeshPart(geometry: geometries?[$0] ?? parts[$0].geometry, material: materials[$0]) }
        let mesh = Mesh(name: geometry.title, parts: drawn, morphWeights: morphWeights)
        meshes[key] = mesh
        return mesh
    }

    /// Old programs name a material by its id, without binding.
    private func unbound(_ part: BuiltPart, instance: XMLElement) throws(ModelFileError) -> Material {
        guard !part.symbol.isEmpty else { return fallbackMaterial() }
        if let element = try files.resolve("#" + part.symbol, from: part.primitive.element), element.name == "material",
            let found = try material(element, binding: nil, part: part)
        {
            return found
        }
        warn(instance, "no material is bound to \"\(part.symbol.prefix(80))\"")
        return fallbackMaterial()
    }
}
