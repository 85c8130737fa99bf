import VitrineMath

/// Collects the vertices and triangles of a shape.
struct PrimitiveBuilder {
    struct Vertex {
        var position, normal: Vector3
        /// The direction of growing u; the texture is never mirrored.
        var tangent: Vector3
        var coordinate: Vector2
    }

    private var positions: [Float] = []
    private var normals: [Float] = []
    private var tangents: [Float] = []
    private var coordinates: [Float] = []
    private var indices: [UInt32] = []

    /// Adds a sheet of `columns` × `rows` cells, seen from its front: columns to the right, rows down.
    mutating func addGrid(columns: Int, rows: Int, vertex: (_ column: Int, _ row: Int) -> Vertex) {
        let base = UInt32(positions.count / 3)
        for row in 0...rows {
            for column in 0...columns { add(vertex(column, row)) }
        }
        let stride = UInt32(columns + 1)
        for row in 0..<UInt32(rows) {
            for column in 0..<UInt32(columns) {
                let upperLeft = base + row * stride + column
                let lowerLeft = upperLeft + stride
                // The diagonal from the lower left: the upper left corner is free for a pole.
                indices.append(contentsOf: [upperLeft, lowerLeft, lowerLeft + 1, upperLeft, lowerLeft + 1, upperLeft + 1])
            }
        }
    }

    private mutating func add(_ vertex: Vertex) {
        positions.append(contentsOf: [vertex.position.x, vertex.position.y, vertex.position.z])
        normals.append(contentsOf: [vertex.normal.x, vertex.normal.y, vertex.normal.z])
        tangents.append(contentsOf: [vertex.tangent.x, vertex.tangent.y, vertex.tangent.z, 1])
        coordinates.append(contentsOf: [vertex.coordinate.x, vertex.coordinate.y])
    }

    /// - Parameter droppingDegenerate: Leaves out triangles with two corners at the same place.
    func geometry(droppingDegenerate: Bool = false) -> Geometry {
        func place(_ index: UInt32) -> Vector3 {
            let base = Int(index) * 3
            return Vector3(positions[base], positions[base + 1], positions[base + 2])
        }
        var kept: [UInt32] = []
        for base in stride(from: 0, to: indices.count, by: 3) {
            let (a, b, c) = (indices[base], indices[base + 1], indices[base + 2])
            let isDegenerate = place(a) == place(b) || place(b) == place(c) || place(c) == place(a)
            if !droppingDegenerate || !isDegenerate { kept.append(contentsOf: [a, b, c]) }
        }
        let used = usedVertices(&kept)
        func gathered(_ values: [Float], _ componentCount: Int) -> [Float] {
            used.flatMap { values[Int($0) * componentCount..<(Int($0) + 1) * componentCount] }
        }
        let attributes = [
            VertexAttribute(.position, componentCount: 3, values: gathered(positions, 3)),
            VertexAttribute(.normal, componentCount: 3, values: gathered(normals, 3)),
            VertexAttribute(.tangent, componentCount: 4, values: gathered(tangents, 4)),
            VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: gathered(coordinates, 2)),
        ]
        do {
            return try Geometry(attributes: attributes, indices: kept)
        } catch {
            preconditionFailure("streams of equal length, indices in range")
        }
    }

    /// The vertices that triangles use, in their order; the triangles then count by them.
    private func usedVertices(_ triangles: inout [UInt32]) -> [UInt32] {
        var newNumbers = Array(repeating: UInt32.max, count: positions.count / 3)
        for vertex in triangles { newNumbers[Int(vertex)] = 0 }
        var used: [UInt32] = []
        for vertex in newNumbers.indices where newNumbers[vertex] == 0 {
            newNumbers[vertex] = UInt32(used.count)
            used.append(UInt32(vertex))
        }
        for corner in triangles.indices { triangles[corner] = newNumbers[Int(triangles[corner])] }
        return used
    }
}
