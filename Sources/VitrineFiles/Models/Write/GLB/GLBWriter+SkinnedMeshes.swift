import VitrineScene

/// Skinned meshes at the root of the scene.
///
/// glTF (section 3.7.3.3) ignores the transforms of a skinned mesh's node and of the nodes above it, and asks for such nodes to be roots
/// without a transform: readers that apply the transforms nevertheless would move the mesh twice.
extension GLBWriter {
    /// A skinned mesh that is written at the root, though its entry lies deeper or has a transform.
    struct SkinnedRoot {
        let entry: Int
        /// The number of the node with the mesh in the file: the entry's own, or that of an additional node, if the entry's node is needed
        /// where it is.
        let number: Int
    }

    mutating func findSkinnedMeshes() {
        let joints = Set(contents.skins.flatMap(\.joints))
        let moved = Set(contents.clips.flatMap(\.tracks).filter { $0.track.target != .morphWeights }.map(\.entry))
        var next = nodeNumbers.reduce(0) { max($0, $1 + 1) }
        for (index, entry) in contents.entries.enumerated() where entry.skin != nil {
            if let mesh = entry.mesh { skinnedMeshes.insert(mesh) }
            guard entry.parent != nil || entry.parentFromLocal != .identity else { continue }
            let isOnlyMesh =
                entry.children.isEmpty && entry.node.camera == nil && entry.node.light == nil && !joints.contains(index)
                && !moved.contains(index)
            skinnedRoots.append(SkinnedRoot(entry: index, number: isOnlyMesh ? nodeNumbers[index] : next))
            next += isOnlyMesh ? 0 : 1
        }
        for root in skinnedRoots { skinnedNumbers[root.entry] = root.number }
    }

    /// The number of the node that has the entry's mesh, which morph weights belong to.
    func meshNumber(ofEntry index: Int) -> Int { skinnedNumbers[index] ?? nodeNumbers[index] }

    /// Whether the entry's own node is taken from its place to the root.
    func isMovedToRoot(entry index: Int) -> Bool { skinnedNumbers[index] == nodeNumbers[index] }

    /// Whether the mesh of an entry is written with another node.
    func givesMeshAway(entry index: Int) -> Bool { skinnedNumbers[index].map { $0 != nodeNumbers[index] } ?? false }

    /// The additional node of an entry whose own node stays where it is.
    func json(skinnedMeshOf index: Int) -> JSONText {
        let entry = contents.entries[index]
        let name = entry.node.name.isEmpty ? entry.mesh.map { contents.meshes[$0].name } ?? "" : "\(entry.node.name) mesh"
        return .object((name.isEmpty ? [] : [("name", .string(name))]) + meshMembers(entry))
    }

    /// A node's mesh, skin and morph weights.
    func meshMembers(_ entry: SceneContents.Entry) -> [(String, JSONText)] {
        guard let mesh = entry.mesh else { return [] }
        var members: [(String, JSONText)] = [("mesh", .integer(mesh))]
        if let skin = entry.skin { members.append(("skin", .integer(skin))) }
        let count = contents.morphTargetCount(ofMesh: mesh)
        let weights = entry.node.morphWeights
        if count > 0, !weights.isEmpty { members.append(("weights", Self.weights(weights, count: count))) }
        return members
    }
}
