import VitrineMath
import VitrineScene

/// Merges meshes into fewer draw calls: parts of equal material in one mesh, and meshes of fixed nodes below the same parent.
///
/// Large meshes of several nodes stay shared. Transparent and transmissive surfaces are not merged, because they are drawn in the order of their
/// distance.
struct MeshJoining {
    let keepsNames: Bool
    /// Whether shared meshes will be written as instances.
    let keepsShared: Bool
    private var joined = (parts: 0, nodes: 0)
    /// The number of nodes of each mesh.
    private var meshUses: [ObjectIdentifier: Int] = [:]
    /// The number of parts of each geometry, and the number of nodes that use them.
    private var geometryUses: [ObjectIdentifier: Int] = [:]
    private var geometryShows: [ObjectIdentifier: Int] = [:]

    /// The largest numbers of vertices of a shared geometry that is copied into joined meshes, for each copy and for all copies together: a draw
    /// call costs more.
    private static let copiedVertices = (each: 128, together: 4096)

    /// Joins meshes and parts of equal material.
    ///
    /// - Returns: A summary for the report.
    static func run(_ scene: Scene, keepsNames: Bool, keepsShared: Bool) -> String {
        var joining = MeshJoining(keepsNames: keepsNames, keepsShared: keepsShared)
        let meshes = joining.count(scene.visibleNodes)
        for mesh in meshes { joining.joinParts(of: mesh) }
        if !keepsNames, !scene.hasConstraints { joining.joinNodes(of: scene) }
        return OptimizeText.list([(joining.joined.parts, "part"), (joining.joined.nodes, "node")], verb: "merged")
    }

    private init(keepsNames: Bool, keepsShared: Bool) { (self.keepsNames, self.keepsShared) = (keepsNames, keepsShared) }

    private mutating func count(_ nodes: [Node]) -> [Mesh] {
        var meshes: [Mesh] = []
        for case let mesh? in nodes.map(\.mesh) {
            meshUses[ObjectIdentifier(mesh), default: 0] += 1
            for part in mesh.parts { geometryShows[ObjectIdentifier(part.geometry), default: 0] += 1 }
            guard meshUses[ObjectIdentifier(mesh)] == 1 else { continue }
            meshes.append(mesh)
            for part in mesh.parts { geometryUses[ObjectIdentifier(part.geometry), default: 0] += 1 }
        }
        return meshes
    }

    // MARK: Compatible parts

    private struct Key: Hashable {
        struct Stream: Hashable {
            let semantic: VertexSemantic
            let width: Int
        }
        let material: ObjectIdentifier
        let alternatives: [String]
        let alternativeMaterials: [ObjectIdentifier]
        let topology: PrimitiveTopology
        let streams: [Stream]
        /// The streams of each morph target.
        let targets: [[Bool]]
    }

    /// Returns the key of parts that can be merged; nil for parts that cannot.
    private func key(_ part: MeshPart) -> Key? {
        guard part.material === part.ownMaterial, part.allMaterials.allSatisfy(\.isIndependentOfOrder)
        else { return nil }
        let geometry = part.geometry
        let topology: PrimitiveTopology
        switch geometry.topology {
        case .points, .lines: topology = geometry.topology
        case .triangles, .triangleStrip, .triangleFan: topology = .triangles
        case .lineLoop, .lineStrip: return nil
        }
        return Key(
            material: ObjectIdentifier(part.material), alternatives: part.alternatives.map { $0.variant },
            alternativeMaterials: part.alternatives.map { ObjectIdentifier($0.material) }, topology: topology,
            streams: geometry.attributes.map { Key.Stream(semantic: $0.semantic, width: $0.componentCount) },
            targets: geometry.morphTargets.map { target in
                [target.positionOffsets, target.normalOffsets, target.tangentOffsets].map { !$0.isEmpty }
            })
    }

    // MARK: Inside a mesh

    private mutating func joinParts(of mesh: Mesh) {
        var groups: [Key: [Int]] = [:]
        for (index, part) in mesh.parts.enumerated() {
            guard geometryUses[ObjectIdentifier(part.geometry)] == 1, let key = key(part) else { continue }
            groups[key, default: []].append(index)
        }
        guard groups.contains(where: { $0.value.count > 1 }) else { return }
        var (parts, gone) = (mesh.parts, Set<Int>())
        for members in groups.values where members.count > 1 {
            let pieces = members.map { MergedGeometry.Piece(geometry: mesh.parts[$0].geometry, matrix: .identity) }
            guard let merged = MergedGeometry.merge(pieces) else { continue }
            parts[members[0]].geometry = merged
            geometryShows[ObjectIdentifier(merged)] = meshUses[ObjectIdentifier(mesh)]
            gone.formUnion(members.dropFirst())
        }
        joined.parts += gone.count
        mesh.parts = parts.indices.filter { !gone.contains($0) }.map { parts[$0] }
    }

    // MARK: Across nodes

    private struct Group: Hashable {
        let parent: ObjectIdentifier
        let castsShadow: Bool
        let order: Int
        let categories: UInt32
    }

    private struct Member {
        let node: Node
        let part: Int
    }

    private mutating func joinNodes(of scene: Scene) {
        var groups: [Group: [(key: Key, members: [Member])]] = [:]
        var order: [(Group, Node)] = []
        for (node, _) in scene.fixedNodes {
            guard let mesh = node.mesh, let parent = node.parent, node.skin == nil, node.morphWeights.isEmpty,
                mesh.morphTargetCount == 0
            else { continue }
            let group = Group(
                parent: ObjectIdentifier(parent), castsShadow: node.castsShadow, order: node.renderingOrder,
                categories: node.categoryBitMask)
            if groups[group] == nil {
                groups[group] = []
                order.append((group, parent))
            }
            for (index, part) in mesh.parts.enumerated() {
                guard maySplit(part.geometry), let key = key(part) else { continue }
                let known = groups[group]?.firstIndex { $0.key == key }
                if let known {
                    groups[group]?[known].members.append(Member(node: node, part: index))
                } else {
                    groups[group]?.append((key, [Member(node: node, part: index)]))
                }
            }
        }
        let referenced = scene.referencedNodes(byTracks: true)
        for (group, parent) in order { join(groups[group] ?? [], below: parent, referenced) }
    }

    /// Returns whether a geometry may be copied into each joined mesh that uses it.
    private func maySplit(_ geometry: Geometry) -> Bool {
        let shows = geometryShows[ObjectIdentifier(geometry)] ?? 1
        guard shows > 1 else { return true }
        let limit = Self.copiedVertices
        return !keepsShared && geometry.vertexCount <= limit.each && shows * geometry.vertexCount <= limit.together
    }

    private mutating func join(_ lists: [(key: Key, members: [Member])], below parent: Node, _ referenced: Set<ObjectIdentifier>) {
        var parts: [MeshPart] = []
        var taken: [(node: Node, parts: Set<Int>)] = []
        var indices: [ObjectIdentifier: Int] = [:]
        for (_, members) in lists where members.count > 1 {
            let pieces = members.compactMap { member in
                member.node.mesh.map {
                    MergedGeometry.Piece(geometry: $0.parts[member.part].geometry, matrix: member.node.parentFromLocal)
                }
            }
            guard let merged = MergedGeometry.merge(pieces), let first = members[0].node.mesh?.parts[members[0].part] else { continue }
            var part = first
            part.geometry = merged
            parts.append(part)
            for member in members {
                let index = indices[ObjectIdentifier(member.node)] ?? taken.count
                indices[ObjectIdentifier(member.node)] = index
                if index == taken.count { taken.append((member.node, [])) }
                taken[index].parts.insert(member.part)
            }
        }
        guard let first = taken.first else { return }
        let node = Node(name: first.node.name, mesh: Mesh(name: first.node.mesh?.name ?? "", parts: parts))
        (node.castsShadow, node.renderingOrder, node.categoryBitMask) = (
            first.node.castsShadow, first.node.renderingOrder, first.node.categoryBitMask
        )
        parent.addChildNode(node)
        joined.nodes += taken.count
        for (node, indices) in taken { remove(indices, from: node, referenced) }
    }

    /// Removes parts from a node's mesh, and the node from the scene if it is then empty.
    private func remove(_ parts: Set<Int>, from node: Node, _ referenced: Set<ObjectIdentifier>) {
        guard let mesh = node.mesh else { return }
        let left = mesh.parts.indices.filter { !parts.contains($0) }.map { mesh.parts[$0] }
        if left.isEmpty {
            node.mesh = nil
        } else if meshUses[ObjectIdentifier(mesh)] == 1 {
            mesh.parts = left
        } else {
            // Other nodes keep the original mesh.
            node.mesh = Mesh(name: mesh.name, parts: left)
        }
        if node.isContentFree, node.childNodes.isEmpty, !referenced.contains(ObjectIdentifier(node)) { node.removeFromParentNode() }
    }
}

extension Material {
    /// Whether the image does not depend on the order in which surfaces of this material are drawn, nor on the mesh's frame.
    fileprivate var isIndependentOfOrder: Bool {
        alphaMode != .blend && transmission.factor.factor == 0 && volume.thickness.factor == 0 && surfaceFunction == nil
            && displacement.map == nil && !isShadowReceiver
    }
}

/// Merges geometries of equal layout.
enum MergedGeometry {
    struct Piece {
        let geometry: Geometry
        /// The transform to the frame of the result.
        let matrix: Matrix4
    }

    /// Returns the merged geometry; nil if the pieces are not compatible.
    static func merge(_ pieces: [Piece]) -> Geometry? {
        guard let first = pieces.first?.geometry else { return nil }
        let total = pieces.reduce(0) { $0 + $1.geometry.vertexCount }
        guard total < Int(UInt32.max) else { return nil }
        let isTriangles = first.triangleCount > 0 || first.topology == .triangles
        var attributes = first.attributes.map { VertexAttribute($0.semantic, componentCount: $0.componentCount, values: []) }
        var targets = first.morphTargets.map { MorphTarget(name: $0.name) }
        var indices: [UInt32] = []
        var base: UInt32 = 0
        for piece in pieces {
            let (geometry, matrix) = (piece.geometry, piece.matrix)
            guard geometry.attributes.count == attributes.count, geometry.morphTargets.count == targets.count else { return nil }
            for index in attributes.indices {
                attributes[index].values +=
                    matrix == .identity ? geometry.attributes[index].values : moved(geometry.attributes[index], matrix)
            }
            for index in targets.indices {
                targets[index].positionOffsets += geometry.morphTargets[index].positionOffsets
                targets[index].normalOffsets += geometry.morphTargets[index].normalOffsets
                targets[index].tangentOffsets += geometry.morphTargets[index].tangentOffsets
            }
            var own = isTriangles ? geometry.triangleIndices : geometry.indices ?? Array(0..<UInt32(geometry.vertexCount))
            if isTriangles, matrix.linear.determinant < 0 {
                for corner in stride(from: 0, to: own.count - 2, by: 3) { own.swapAt(corner + 1, corner + 2) }
            }
            for index in own { indices.append(index + base) }
            base += UInt32(geometry.vertexCount)
        }
        return try? Geometry(
            topology: isTriangles ? .triangles : first.topology, attributes: attributes, indices: indices, morphTargets: targets)
    }

    private static func moved(_ attribute: VertexAttribute, _ matrix: Matrix4) -> [Float] {
        let linear = matrix.linear
        let sign: Float = linear.determinant < 0 ? -1 : 1
        // Normals are transformed by the cofactors: the transpose of the inverse, times the determinant.
        let cofactors = Matrix3(cross(linear.y, linear.z), cross(linear.z, linear.x), cross(linear.x, linear.y))
        var values = attribute.values
        func map(_ width: Int, _ body: (Vector3) -> Vector3) {
            for start in Swift.stride(from: 0, to: values.count - 2, by: width) {
                let vector = body(Vector3(values[start], values[start + 1], values[start + 2]))
                for axis in 0..<3 { values[start + axis] = vector[axis] }
            }
        }
        func unit(_ vector: Vector3) -> Vector3 {
            let size = length(vector)
            return size > 0 ? vector / size : vector
        }
        switch attribute.semantic {
        case .position: map(3) { matrix.transform(point: $0) }
        case .normal: map(3) { unit(cofactors * $0 * sign) }
        case .tangent:
            map(4) { unit(linear * $0) }
            if sign < 0 { for index in Swift.stride(from: 3, to: values.count, by: 4) { values[index] = -values[index] } }
        default: break
        }
        return values
    }
}
