import VitrineGLTF

/// Finds the Material prim that is bound to a prim (UsdShadeMaterialBindingAPI).
struct USDMaterialBinding {
    let stage: USDStage

    /// The purposes of bindings, that for previews first.
    private static let purposes = ["material:binding:preview", "material:binding", "material:binding:full"]

    func hasBinding(_ prim: Int) -> Bool {
        Self.purposes.contains { !stage.targets(prim, $0).isEmpty }
    }

    /// Returns the Material prim that is bound to a prim or to an ancestor.
    func material(of prim: Int) -> Int? {
        for purpose in Self.purposes {
            if let material = material(of: prim, purpose: purpose) { return material }
        }
        return nil
    }

    /// Returns the nearest binding, or that of an ancestor that is declared stronger.
    private func material(of prim: Int, purpose: String) -> Int? {
        var (found, current): (Int?, Int?) = (nil, prim)
        while let index = current {
            // The binding of a collection has priority over a direct one of the same prim.
            for name in [collectionBinding(of: prim, at: index, purpose), purpose].compactMap({ $0 }) {
                let isStrong = stage.field(index, name, "bindMaterialAs")?.text == "strongerThanDescendants"
                guard found == nil || isStrong, let material = target(ofBinding: name, at: index) else { continue }
                found = material
                break
            }
            current = stage.prims[index].parent
        }
        return found
    }

    private func target(ofBinding name: String, at prim: Int) -> Int? {
        let targets = stage.targets(prim, name)
        let isCollection = name.contains(":collection:")
        let isPlain = targets.count <= (isCollection ? 2 : 1)
        if !isPlain { stage.warn(prim, "\(MessageText.name(name)) has \(targets.count) targets; the last material was used") }
        guard let path = targets.last(where: { !$0.contains(".") }) else { return nil }
        guard let material = stage.primOfPath[path], stage.prims[material].typeName == "Material" else {
            stage.warn(prim, "is bound to <\(MessageText.name(path, limit: 200))>, which is not a material")
            return nil
        }
        return material
    }

    /// Returns the first collection of `owner` with a material that contains `prim`.
    private func collectionBinding(of prim: Int, at owner: Int, _ purpose: String) -> String? {
        stage.properties(owner, prefix: purpose + ":collection:").first { name in
            guard let collection = stage.targets(owner, name).first(where: { $0.contains(".collection:") }) else { return false }
            let (path, property) = USDPath.split(collection)
            guard let holder = stage.primOfPath[path] else { return false }
            return isMember(prim, of: property, at: holder)
        }
    }

    /// Returns whether a prim or an ancestor is included, and it is not excluded further down.
    private func isMember(_ prim: Int, of collection: String, at holder: Int) -> Bool {
        let rule = stage.start(holder, collection + ":expansionRule")?.text ?? "expandPrims"
        let path = stage.prims[prim].path
        func nearest(_ list: [String]) -> Int? {
            list.filter { path == $0 || (rule != "explicitOnly" && path.hasPrefix($0 == "/" ? "/" : $0 + "/")) }.map(\.utf8.count).max()
        }
        var included = nearest(stage.targets(holder, collection + ":includes"))
        if stage.start(holder, collection + ":includeRoot")?.number == 1 { included = included ?? 0 }
        guard let included else { return false }
        return (nearest(stage.targets(holder, collection + ":excludes")) ?? -1) < included
    }
}
