import VitrineGeometry
import VitrineMath
import VitrinePathTracer
import VitrineScene

/// A part of a node's mesh whose light is baked.
struct BakedPart {
    let node: Node
    let part: Int
    let geometry: Geometry
    /// The range of the part's triangles in the surface.
    let triangles: Range<Int>
    /// Whether the node mirrors: the corners of the surface's triangles are then in the opposite order.
    let isMirrored: Bool
}

/// Triangles with normals in the world frame.
struct SurfacePoints: Sendable {
    var mesh = TriangleMesh()
    /// The normal of each vertex; zero if the mesh has no normals.
    var normals: [Vector3] = []
    /// The category bits of the node of each triangle.
    var categories: [UInt32] = []

    /// The point of a triangle with these barycentric weights.
    func point(_ triangle: Int, _ weights: Vector3) -> CollectingPoint {
        let t = mesh.triangles[triangle]
        let (a, b, c) = mesh.corners(triangle)
        let geometric = normalize(cross(b - a, c - a))
        let smooth = normals[Int(t.x)] * weights.x + normals[Int(t.y)] * weights.y + normals[Int(t.z)] * weights.z
        var normal = lengthSquared(smooth) > 1e-12 ? normalize(smooth) : geometric
        // Normals of files may point the other way.
        if dot(normal, geometric) <= 0.05 { normal = geometric }
        return CollectingPoint(
            position: a * weights.x + b * weights.y + c * weights.z, normal: normal, geometricNormal: geometric,
            categories: categories[triangle])
    }
}

/// The surfaces of a scene for baked maps, as one mesh in the world frame.
struct BakeSurface {
    private(set) var points = SurfacePoints()
    private(set) var parts: [BakedPart] = []
    /// The reasons for omitted surfaces.
    private(set) var remarks: [String] = []

    init(_ scene: Scene) {
        scene.update()
        let moved = scene.movedNodes
        var left: [LeftOut: Int] = [:]
        var found: [Node] = []
        scene.rootNode.forSubtree { node in if node.mesh != nil { found.append(node) } }
        for node in found {
            guard let mesh = node.mesh else { continue }
            for (number, part) in mesh.parts.enumerated() {
                if let reason = LeftOut(part, of: node, isMoved: moved.contains(ObjectIdentifier(node))) {
                    left[reason, default: 0] += 1
                } else {
                    add(part, number, of: node)
                }
            }
        }
        let total = parts.count + left.values.reduce(0, +)
        for reason in LeftOut.allCases {
            if let count = left[reason] { remarks.append("\(count) of \(total) mesh parts have no maps: \(reason.text)") }
        }
    }

    private mutating func add(_ part: MeshPart, _ number: Int, of node: Node) {
        let geometry = part.geometry
        guard let positions = geometry.attribute(.position)?.values else { return }
        let matrix = node.worldTransform
        let cofactor = matrix.linear.cofactor
        let isMirrored = matrix.linear.determinant < 0
        let own = geometry.attribute(.normal)?.values
        let first = points.mesh.positions.count
        for vertex in 0..<geometry.vertexCount {
            func triple(_ values: [Float]) -> Vector3 { Vector3(values[3 * vertex], values[3 * vertex + 1], values[3 * vertex + 2]) }
            points.mesh.positions.append(matrix.transform(point: triple(positions)))
            points.normals.append(own.map { normalize(cofactor * triple($0)) * (isMirrored ? -1 : 1) } ?? Vector3(repeating: 0))
        }
        let start = points.mesh.triangles.count
        let indices = geometry.triangleIndices
        for base in stride(from: 0, to: indices.count - 2, by: 3) {
            let (a, b, c) = (indices[base] + UInt32(first), indices[base + 1] + UInt32(first), indices[base + 2] + UInt32(first))
            points.mesh.triangles.append(isMirrored ? SIMD3(a, c, b) : SIMD3(a, b, c))
            points.categories.append(node.categoryBitMask)
        }
        parts.append(
            BakedPart(
                node: node, part: number, geometry: geometry, triangles: start..<points.mesh.triangles.count, isMirrored: isMirrored))
    }
}

extension Scene {
    /// The nodes that animations move, by identity.
    fileprivate var movedNodes: Set<ObjectIdentifier> {
        var moved: Set<ObjectIdentifier> = []
        for clip in animations { for track in clip.tracks { moved.insert(ObjectIdentifier(track.node)) } }
        rootNode.forSubtree { node in
            // Parents come first: children of a moved node move.
            if let parent = node.parent, moved.contains(ObjectIdentifier(parent)) { moved.insert(ObjectIdentifier(node)) }
        }
        return moved
    }

    /// Removes the meshes that animations, skins and morph targets move: their pose at the time of a bake must not shade an irradiance volume.
    package func removeMovingMeshes() {
        let moved = movedNodes
        rootNode.forSubtree { node in
            guard let mesh = node.mesh else { return }
            let isDeformed = node.skin != nil || mesh.parts.contains { !$0.geometry.morphTargets.isEmpty }
            if isDeformed || moved.contains(ObjectIdentifier(node)) { node.mesh = nil }
        }
    }
}

/// The reason why a part has no maps.
private enum LeftOut: CaseIterable {
    case deformed, moved, lines, unlit, translucent, sets

    init?(_ part: MeshPart, of node: Node, isMoved: Bool) {
        let materials = [part.material] + part.alternatives.map(\.material)
        if part.geometry.triangleCount == 0 {
            self = .lines
        } else if node.skin != nil || !part.geometry.morphTargets.isEmpty {
            self = .deformed
        } else if isMoved {
            self = .moved
        } else if materials.contains(where: { $0.lightingModel == .constant || $0.isShadowReceiver }) {
            self = .unlit
        } else if materials.contains(where: {
            $0.alphaMode == .blend || $0.transmission.factor.factor * $0.transmission.factor.intensity > 0
        }) {
            self = .translucent
        } else if materials.contains(where: \.needsSecondSet) {
            self = .sets
        } else {
            return nil
        }
    }

    var text: String {
        switch self {
        case .deformed: "skins and morph targets deform them"
        case .moved: "animations move them"
        case .lines: "they are points or lines"
        case .unlit: "they are unlit"
        case .translucent: "they are transparent"
        case .sets: "their textures need the second set of texture coordinates"
        }
    }
}

extension Material {
    /// Whether a map other than the baked ones uses a set of texture coordinates after the first.
    fileprivate var needsSecondSet: Bool {
        let plain = copy()
        (plain.occlusion.map, plain.lightMap.map) = (nil, nil)
        return plain.textureMaps.contains { $0.set > 0 }
    }
}
