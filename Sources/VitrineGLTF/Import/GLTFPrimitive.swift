import VitrineMath
import VitrineScene

/// A parsed primitive, before it becomes a `Geometry`.
struct GLTFPrimitive {
    var topology: PrimitiveTopology
    var attributes: [VertexAttribute]
    var indices: [UInt32]?
    var targets: [MorphTarget]

    func geometry() throws(GeometryError) -> Geometry {
        try Geometry(topology: topology, attributes: attributes, indices: indices, morphTargets: targets)
    }

    /// Returns the message for violations that only `Geometry` detects.
    static func text(_ error: GeometryError) -> String {
        switch error {
        case .missingPositions: "there are no positions"
        case .wrongComponentCount(_, let count): "an attribute has \(count) components"
        case .unequalVertexCounts(_, let expected, let actual): "attributes have \(expected) and \(actual) vertices"
        case .duplicateAttribute: "an attribute occurs twice"
        case .indexOutOfRange(let index, let count): "index \(index), but there are \(count) vertices"
        case .morphTargetLength(let target, let expected, let actual):
            "morph target \(target) has \(actual / 3) offsets for \(expected / 3) vertices"
        case .missing: "an attribute is missing"
        case .notTriangles: "there are no triangles"
        }
    }

    // MARK: Flat normals

    /// Whether the surface has no normals. The specification then requires flat normals, and no tangents.
    var needsNormals: Bool {
        switch topology {
        case .triangles, .triangleStrip, .triangleFan: !attributes.contains { $0.semantic == .normal }
        case .points, .lines, .lineLoop, .lineStrip: false
        }
    }

    private var elementCount: Int { indices?.count ?? attributes.first?.vertexCount ?? 0 }

    /// The number of vertices if triangles share none.
    var cornerCount: Int {
        let count = elementCount
        return topology == .triangles ? count / 3 * 3 : max(0, count - 2) * 3
    }

    /// The number of floats of a vertex with flat normals.
    var componentsPerFlatVertex: Int { attributes.reduce(4) { $0 + $1.componentCount } + targets.count * 9 }

    /// Gives every triangle separate vertices with the normal of its plane. The normals of morph targets are exact at weight 1.
    mutating func makeFlatNormals() {
        let corners = self.corners
        attributes.removeAll { $0.semantic == .tangent }
        for index in attributes.indices {
            attributes[index].values = GLTFPrimitive.gathered(attributes[index].values, attributes[index].componentCount, corners)
        }
        guard let positions = attributes.first(where: { $0.semantic == .position })?.values else { return }
        let normals = GLTFPrimitive.flatNormals(positions)
        for index in targets.indices {
            let moved = GLTFPrimitive.gathered(targets[index].positionOffsets, 3, corners)
            targets[index].positionOffsets = moved
            targets[index].tangentOffsets = []
            guard !moved.isEmpty else {
                targets[index].normalOffsets = []
                continue
            }
            let movedNormals = GLTFPrimitive.flatNormals(zip(positions, moved).map { $0 + $1 })
            targets[index].normalOffsets = zip(movedNormals, normals).map { $0 - $1 }
        }
        attributes.append(VertexAttribute(.normal, componentCount: 3, values: normals))
        (topology, indices) = (.triangles, nil)
    }

    /// The vertices of each triangle, one triangle after the other.
    private var corners: [Int] {
        let count = cornerCount
        func vertex(_ element: Int) -> Int { indices.map { Int($0[element]) } ?? element }
        if topology == .triangles { return indices?.prefix(count).map { Int($0) } ?? Array(0..<count) }
        return (0..<count).map { corner in
            let (triangle, index) = (corner / 3, corner % 3)
            switch topology {
            // Every other triangle of a strip is reversed, so that all have the same winding.
            case .triangleStrip where triangle % 2 == 1 && index > 0: return vertex(triangle + 3 - index)
            case .triangleStrip: return vertex(triangle + index)
            // The specification's order: (i + 1, i + 2, 0).
            case .triangleFan: return vertex(index == 2 ? 0 : triangle + index + 1)
            default: return vertex(corner)
            }
        }
    }

    private static func gathered(_ values: [Float], _ width: Int, _ corners: [Int]) -> [Float] {
        guard !values.isEmpty else { return [] }
        return values.withUnsafeBufferPointer { values in
            [Float](unsafeUninitializedCapacity: corners.count * width) { result, initialized in
                for (position, corner) in corners.enumerated() {
                    for component in 0..<width { result[position * width + component] = values[corner * width + component] }
                }
                initialized = corners.count * width
            }
        }
    }

    /// Returns one normal for each corner; +Y for a triangle without area.
    private static func flatNormals(_ positions: [Float]) -> [Float] {
        positions.withUnsafeBufferPointer { positions in
            [Float](unsafeUninitializedCapacity: positions.count) { normals, initialized in
                func point(_ first: Int) -> Vector3 { Vector3(positions[first], positions[first + 1], positions[first + 2]) }
                for first in stride(from: 0, to: positions.count, by: 9) {
                    let a = point(first)
                    var normal = normalize(cross(point(first + 3) - a, point(first + 6) - a))
                    if normal == Vector3(0, 0, 0) { normal = .up }
                    for corner in stride(from: first, to: first + 9, by: 3) {
                        (normals[corner], normals[corner + 1], normals[corner + 2]) = (normal.x, normal.y, normal.z)
                    }
                }
                initialized = positions.count
            }
        }
    }
}

extension MorphTarget {
    /// Returns whether every stream is empty or has `count` floats.
    func hasLength(_ count: Int) -> Bool {
        for length in [positionOffsets.count, normalOffsets.count, tangentOffsets.count] where length != 0 && length != count {
            return false
        }
        return true
    }
}
