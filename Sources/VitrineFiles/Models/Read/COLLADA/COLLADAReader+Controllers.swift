import VitrineMath
import VitrineScene

/// A skinned mesh whose joints are looked for once all nodes stand.
struct ControllerInstance {
    let node: Node
    let skin: XMLElement
    let instance: XMLElement
}

/// A mesh that a morph controller changes.
struct MorphedNode {
    let node: Node
    let morph: XMLElement
}

/// What an `<instance_controller>` leads to.
private struct ControllerChain {
    var skin, morph: XMLElement?
    let geometry: XMLElement
}

extension COLLADAReader {
    private static var maximumControllers: Int { 8 }

    func place(_ controller: XMLElement, instance: XMLElement, on entry: PlacedNode) throws(ModelFileError) {
        guard let chain = try chain(controller) else { return }
        let parts = try self.parts(of: chain.geometry)
        guard !parts.isEmpty else { return }
        let morph: MorphData? = if let morph = chain.morph { try self.morph(morph) } else { nil }
        let geometries: [Geometry]
        if let known = controllerGeometries[controller] {
            geometries = known
        } else {
            let data: SkinData? = if let skin = chain.skin { try self.skin(skin) } else { nil }
            var made: [Geometry] = []
            for part in parts { made.append(try geometry(part, skin: data, morph: morph, controller)) }
            geometries = made
            controllerGeometries[controller] = made
        }
        let mesh = try mesh(
            chain.geometry, parts: parts, variant: controller, instance: instance, geometries: geometries,
            morphWeights: geometries.contains { !$0.morphTargets.isEmpty } ? morph?.weights ?? [] : [])
        guard let mesh else { return }
        let node = show(mesh, on: entry)
        if let skin = chain.skin { controllersToBind.append(ControllerInstance(node: node, skin: skin, instance: instance)) }
        if let morph = chain.morph, mesh.morphTargetCount > 0 { morphedNodes.append(MorphedNode(node: node, morph: morph)) }
    }

    /// A skin may stand on a morph and a morph on a skin.
    private func chain(_ controller: XMLElement) throws(ModelFileError) -> ControllerChain? {
        var (skin, morph): (XMLElement?, XMLElement?)
        var current = controller
        for _ in 0..<Self.maximumControllers {
            guard let kind = current.children.first(where: { $0.name == "skin" || $0.name == "morph" }) else {
                warn(current, "the controller is neither skin nor morph")
                return nil
            }
            if kind.name == "skin" {
                if skin != nil { warn(kind, "a skin on a skin is not read") }
                skin = skin ?? kind
            } else {
                if morph != nil { warn(kind, "a morph on a morph is not read") }
                morph = morph ?? kind
            }
            guard let source = try files.resolve(kind["source"], from: kind) else {
                warn(kind, "there is no geometry \"\((kind["source"] ?? "").prefix(80))\"")
                return nil
            }
            if source.name == "geometry" { return ControllerChain(skin: skin, morph: morph, geometry: source) }
            guard source.name == "controller" else { break }
            current = source
        }
        warn(controller, "the controller leads to no geometry")
        return nil
    }

    private func geometry(
        _ part: BuiltPart, skin: SkinData?, morph: MorphData?, _ controller: XMLElement
    ) throws(ModelFileError) -> Geometry {
        var attributes = part.geometry.attributes
        if let skin { attributes += skin.attributes(part.positionIndices) }
        let targets: [MorphTarget] = if let morph { try self.targets(morph, of: part) } else { [] }
        do throws(GeometryError) {
            return try Geometry(
                topology: part.geometry.topology, attributes: attributes, indices: part.geometry.indices, morphTargets: targets)
        } catch {
            throw controller.failure("\(error)")
        }
    }

    // MARK: Joints

    func bindControllers(in tops: [PlacedNode]) throws(ModelFileError) {
        var tables: [ObjectIdentifier: [String: PlacedNode]] = [:]
        for instance in controllersToBind {
            let data = try skin(instance.skin)
            var roots: [PlacedNode] = []
            for skeleton in instance.instance.children("skeleton") {
                guard let element = try files.resolve(skeleton.text, from: skeleton), let root = placedByElement[element]?.first else {
                    warn(skeleton, "there is no skeleton \"\(skeleton.text.prefix(80))\" in the scene")
                    continue
                }
                roots.append(root)
            }
            var joints: [Node] = []
            var matrices: [Matrix4] = []
            for (index, name) in data.jointNames.enumerated() {
                if let joint = try joint(name, data, roots, tops, &tables) {
                    joints.append(joint.node)
                    matrices.append(data.inverseBindMatrices[index] * data.bindShape)
                } else {
                    warn(instance.skin, "there is no joint \"\(name.prefix(80))\": its vertices stand still", kind: "no joint")
                    joints.append(instance.node)
                    matrices.append(.identity)
                }
            }
            if Self.usesJoint(data.jointNames.count, instance.node) {
                joints.append(instance.node)
                matrices.append(data.bindShape)
            }
            instance.node.skin = Skin(name: instance.skin.parent?.title ?? "", joints: joints, inverseBindMatrices: matrices)
        }
    }

    /// Whether vertices hang on the joint behind the named ones, which stands for the mesh's own node.
    private static func usesJoint(_ number: Int, _ node: Node) -> Bool {
        let parts = node.mesh?.parts ?? []
        return parts.contains { $0.geometry.attribute(.joints(set: 0))?.values.contains(Float(number)) ?? false }
    }

    private func joint(
        _ name: String, _ data: SkinData, _ roots: [PlacedNode], _ tops: [PlacedNode],
        _ tables: inout [ObjectIdentifier: [String: PlacedNode]]
    ) throws(ModelFileError) -> PlacedNode? {
        if data.namesAreIDs, let element = try files.resolve("#" + name, from: data.element), let found = placedByElement[element]?.first {
            return found
        }
        for root in roots + tops {
            let id = ObjectIdentifier(root)
            if tables[id] == nil { tables[id] = Self.names(below: root) }
            if let found = tables[id]?[name] { return found }
        }
        return nil
    }

    /// By sid, then by id and name where no sid is the same.
    private static func names(below root: PlacedNode) -> [String: PlacedNode] {
        var (sids, others): ([String: PlacedNode], [String: PlacedNode]) = ([:], [:])
        var stack = [root]
        while let entry = stack.popLast() {
            if let sid = entry.element.sid, sids[sid] == nil { sids[sid] = entry }
            for name in [entry.element.id, entry.element["name"]] { if let name, others[name] == nil { others[name] = entry } }
            stack += entry.children.reversed()
        }
        return sids.merging(others) { sid, _ in sid }
    }
}
