import VitrineMath
import VitrineScene

extension COLLADAWriter {
    /// What a node's mesh is instantiated by; nil: the geometry itself.
    func controllerID(_ entry: Int) -> String? {
        if contents.entries[entry].skin != nil { return "skin\(entry)" }
        return isMorphed(entry) ? "morph\(entry)" : nil
    }

    func isMorphed(_ entry: Int) -> Bool { contents.entries[entry].mesh.map { contents.morphTargetCount(ofMesh: $0) > 0 } ?? false }

    mutating func addControllers() {
        let entries = contents.entries.indices.filter { contents.entries[$0].skin != nil || isMorphed($0) }
        guard !entries.isEmpty else { return }
        text.open("library_controllers")
        for index in entries {
            guard let mesh = contents.entries[index].mesh else { continue }
            if isMorphed(index) { addMorph(index, mesh) }
            if let skin = contents.entries[index].skin { addSkin(index, mesh, contents.skins[skin]) }
        }
        text.close()
    }

    private mutating func addMorph(_ entry: Int, _ mesh: Int) {
        let (id, count) = ("morph\(entry)", contents.morphTargetCount(ofMesh: mesh))
        text.open("controller", [("id", id)])
        text.open("morph", [("source", "#" + geometryID(mesh, target: nil)), ("method", "NORMALIZED")])
        let targets = (0..<count).map { geometryID(mesh, target: $0) }
        addSource(id + "-targets", names: targets, "IDREF", kind: "IDREF_array", type: "IDREF")
        addSource(id + "-weights", weights(entry, count), ["MORPH_WEIGHT"])
        text.open("targets")
        text.leaf("input", [("semantic", "MORPH_TARGET"), ("source", "#\(id)-targets")])
        text.leaf("input", [("semantic", "MORPH_WEIGHT"), ("source", "#\(id)-weights")])
        text.close()
        text.close()
        text.close()
    }

    private func weights(_ entry: Int, _ count: Int) -> [Float] {
        let node = contents.entries[entry].node
        let known = node.morphWeights.isEmpty ? node.mesh?.morphWeights ?? [] : node.morphWeights
        return (0..<count).map { $0 < known.count ? known[$0] : 0 }
    }

    // MARK: Skins

    private mutating func addSkin(_ entry: Int, _ mesh: Int, _ skin: SceneContents.SkinEntry) {
        let id = "skin\(entry)"
        text.open("controller", Self.named(id, skin.skin.name))
        text.open("skin", [("source", "#" + (isMorphed(entry) ? "morph\(entry)" : geometryID(mesh, target: nil)))])
        text.leaf("bind_shape_matrix", [], "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1")
        addSource(id + "-joints", names: skin.joints.map { Self.nodeID($0) }, "JOINT")
        addSource(id + "-binds", skin.skin.inverseBindMatrices.flatMap { Self.rows($0) }, ["TRANSFORM"], type: "float4x4")
        let influences = influences(mesh)
        addSource(id + "-weights", influences.weights, ["WEIGHT"])
        text.open("joints")
        text.leaf("input", [("semantic", "JOINT"), ("source", "#\(id)-joints")])
        text.leaf("input", [("semantic", "INV_BIND_MATRIX"), ("source", "#\(id)-binds")])
        text.close()
        text.open("vertex_weights", [("count", "\(influences.counts.count)")])
        text.leaf("input", [("semantic", "JOINT"), ("source", "#\(id)-joints"), ("offset", "0")])
        text.leaf("input", [("semantic", "WEIGHT"), ("source", "#\(id)-weights"), ("offset", "1")])
        text.leaf("vcount", integers: influences.counts)
        text.leaf("v", integers: influences.joints.enumerated().flatMap { [$1, $0] })
        text.close()
        text.close()
        text.close()
    }

    /// Of all positions of a mesh, in their order: how many joints each has, and those with their weights.
    private func influences(_ mesh: Int) -> (counts: [Int], joints: [Int], weights: [Float]) {
        var (counts, joints, weights): ([Int], [Int], [Float]) = ([], [], [])
        for part in writtenParts(mesh) {
            let geometry = contents.parts[mesh][part].geometry
            let sets = geometry.skinSets()
            for vertex in 0..<geometry.vertexCount {
                let before = joints.count
                for set in sets.joints.indices {
                    for index in vertex * 4..<vertex * 4 + 4 where sets.weights[set][index] > 0 {
                        joints.append(Int(sets.joints[set][index]))
                        weights.append(sets.weights[set][index])
                    }
                }
                counts.append(joints.count - before)
            }
        }
        return (counts, joints, weights)
    }

    /// The top of the tree that the joints stand in.
    func skeletonRoot(_ skin: Int) -> Int? {
        guard var entry = contents.skins[skin].joints.first else { return nil }
        while let parent = contents.entries[entry].parent { entry = parent }
        return entry
    }

    static func nodeID(_ entry: Int) -> String { "node\(entry)" }

    /// Sixteen numbers, as the format writes matrices.
    static func rows(_ m: Matrix4) -> [Float] {
        let t = m.transpose
        return [t.x, t.y, t.z, t.w].flatMap { [$0.x, $0.y, $0.z, $0.w] }
    }
}
