/// A variant name that a scene does not have.
public struct UnknownVariant: Error, Equatable, Sendable, CustomStringConvertible {
    /// The unknown name.
    public let name: String
    /// The variants of the scene.
    public let known: [String]

    public var description: String {
        var text = "there is no material variant '\(name)': "
        if known.isEmpty { return text + "the scene has none" }
        text += "the scene has "
        for (index, name) in known.enumerated() { text += (index == 0 ? "'" : ", '") + name + "'" }
        return text
    }
}

extension Scene {
    /// Sets every part's material of a variant (KHR_materials_variants); parts without one for this variant keep their own.
    ///
    /// Meshes shared with other scenes change there, too.
    ///
    /// - Parameter name: nil: the materials without a variant.
    /// - Throws: `UnknownVariant` if `variantNames` does not contain the name.
    public func choose(variant name: String?) throws(UnknownVariant) {
        if let name, !variantNames.contains(name) { throw UnknownVariant(name: name, known: variantNames) }
        var seen: Set<ObjectIdentifier> = []
        for slot in store.order {
            guard let mesh = store.meshes[Int(slot)], seen.insert(ObjectIdentifier(mesh)).inserted else { continue }
            if mesh.parts.contains(where: { !$0.alternatives.isEmpty }) { mesh.parts = mesh.parts.map { $0.wearing(variant: name) } }
        }
        variant = name
    }
}

extension MeshPart {
    /// The material without a variant.
    public var ownMaterial: Material { plain ?? material }

    fileprivate func wearing(variant name: String?) -> MeshPart {
        guard !alternatives.isEmpty else { return self }
        var part = self
        let chosen = alternatives.first { $0.variant == name }
        part.material = chosen?.material ?? ownMaterial
        part.plain = chosen == nil ? nil : ownMaterial
        return part
    }
}
