import VitrineGeometry
import VitrineMath
import VitrineScene

/// A part of a node's mesh.
struct PathInstance: BitwiseCopyable {
    let material: Int32
    let categories: UInt32
    let opacity: Float
    let castsShadow: Bool
    let hasNormals, hasTangents, hasCoordinates: Bool
}

/// Collects the triangles of a scene in the world frame, in its current pose: morphed, then skinned by linear blending, as the renderer does.
struct SceneFlattener {
    private(set) var positions: [Vector3] = []
    private(set) var normals: [Vector3] = []
    private(set) var tangents: [Vector4] = []
    /// First and second set.
    private(set) var coordinates: [Vector4] = []
    private(set) var colors: [Vector4] = []
    /// Three vertices and the instance.
    private(set) var triangles: [SIMD4<UInt32>] = []
    private(set) var instances: [PathInstance] = []
    private(set) var materials: [PathMaterial] = []
    private(set) var lights: [PathLight] = []
    private(set) var ambient = Vector3(repeating: 0)
    /// Contents of the scene that are omitted.
    private(set) var warnings: [String] = []

    let textures = TextureTable()
    private(set) var tables = EnergyTables()
    private var materialIndices: [ObjectIdentifier: Int32] = [:]

    mutating func add(_ scene: Scene) throws(PathTracerError) {
        scene.update()
        var found: [Node] = []
        scene.rootNode.forSubtree { found.append($0) }
        var skipped = 0
        for node in found {
            let opacity = scene.store.worldOpacities[Int(node.slot)]
            guard opacity > 0 else { continue }
            if let light = node.light { add(light, node) }
            guard let mesh = node.mesh else { continue }
            for part in mesh.parts {
                if part.geometry.triangleCount > 0 { try add(part, of: node, opacity: opacity) } else { skipped += 1 }
            }
        }
        if skipped > 0 { warnings.append("points and lines are not path traced (\(skipped) mesh parts)") }
    }

    private mutating func add(_ light: Light, _ node: Node) {
        if light.kind == .ambient {
            ambient += light.linearIntensity
        } else if let light = PathLight(light, worldFromLocal: node.worldTransform) {
            lights.append(light)
        }
    }

    private mutating func material(_ material: Material) throws(PathTracerError) -> Int32 {
        if let known = materialIndices[ObjectIdentifier(material)] { return known }
        let index = Int32(materials.count)
        materials.append(try PathMaterial(material, textures, &tables))
        materialIndices[ObjectIdentifier(material)] = index
        return index
    }

    private mutating func add(_ part: MeshPart, of node: Node, opacity: Float) throws(PathTracerError) {
        let index = try material(part.material)
        var geometry = part.geometry
        if materials[Int(index)].needsTangents, geometry.attribute(.normal) != nil, geometry.attribute(.tangent) == nil {
            let set = (part.material.normal.map ?? part.material.clearcoat.normal.map ?? part.material.anisotropy.map)?.set ?? 0
            geometry = (try? geometry.withTangents(textureCoordinateSet: set)) ?? geometry
        }
        let pose = VertexPose(node: node, geometry: geometry)
        let first = UInt32(positions.count)
        let (normal, tangent) = (geometry.attribute(.normal), geometry.attribute(.tangent))
        let (uv0, uv1) = (geometry.attribute(.textureCoordinate(set: 0)), geometry.attribute(.textureCoordinate(set: 1)))
        let color = geometry.attribute(.color(set: 0))
        for vertex in 0..<geometry.vertexCount {
            let placed = pose.placed(vertex)
            positions.append(placed.position)
            normals.append(placed.normal)
            tangents.append(placed.tangent)
            func pair(_ stream: VertexAttribute?) -> Vector2 {
                stream.map { Vector2($0.values[2 * vertex], $0.values[2 * vertex + 1]) } ?? Vector2(0, 0)
            }
            let (a, b) = (pair(uv0), pair(uv1))
            coordinates.append(Vector4(a.x, a.y, b.x, b.y))
            if let color {
                let base = vertex * color.componentCount
                let alpha = color.componentCount > 3 ? color.values[base + 3] : 1
                colors.append(Vector4(color.values[base], color.values[base + 1], color.values[base + 2], alpha))
            } else {
                colors.append(Vector4(repeating: 1))
            }
        }
        let instance = UInt32(instances.count)
        instances.append(
            PathInstance(
                material: index, categories: node.categoryBitMask, opacity: opacity, castsShadow: node.castsShadow,
                hasNormals: normal != nil, hasTangents: normal != nil && tangent != nil, hasCoordinates: uv0 != nil))
        let indices = geometry.triangleIndices
        for base in stride(from: 0, to: indices.count - 2, by: 3) {
            let (a, b, c) = (first + indices[base], first + indices[base + 1], first + indices[base + 2])
            // Counter-clockwise triangles face the viewer.
            triangles.append(pose.isMirrored ? SIMD4(a, c, b, instance) : SIMD4(a, b, c, instance))
        }
    }
}

/// The world positions of a node's vertices.
private struct VertexPose {
    private let deformation: VertexDeformation
    private let position, normal, tangent: VertexAttribute?
    /// A mirrored node turns the winding of its triangles.
    var isMirrored: Bool { deformation.isMirrored }

    init(node: Node, geometry: Geometry) {
        deformation = VertexDeformation(node: node, geometry: geometry, isSkinned: node.skin != nil)
        (position, normal, tangent) = (geometry.attribute(.position), geometry.attribute(.normal), geometry.attribute(.tangent))
    }

    func placed(_ vertex: Int) -> (position: Vector3, normal: Vector3, tangent: Vector4) {
        let matrix = deformation.matrix(at: vertex)
        let linear = matrix.linear
        let sign: Float = linear.determinant < 0 ? -1 : 1
        var (n, t) = (Vector3(repeating: 0), Vector4(repeating: 0))
        if let normal { n = normalize(linear.cofactor * morphed(normal, vertex) { $0.normalOffsets }) * sign }
        if let tangent {
            t = Vector4(normalize(linear * morphed(tangent, vertex) { $0.tangentOffsets }), tangent.values[4 * vertex + 3] * sign)
        }
        let p = position.map { matrix.transform(point: morphed($0, vertex) { $0.positionOffsets }) }
        return (p ?? Vector3(repeating: .nan), n, t)
    }

    private func morphed(_ stream: VertexAttribute, _ vertex: Int, _ offsets: (MorphTarget) -> [Float]) -> Vector3 {
        deformation.morphed(stream.vector3(at: vertex), vertex, offsets)
    }
}
