import VitrineGeometry

extension Geometry {
    /// Returns the same triangles with flat shading, as a triangle list. Vertices are no longer shared. Drops tangents, because they belong to
    /// the old normals.
    ///
    /// - Throws: `.notTriangles` for points and lines.
    public func withFlatNormals() throws(GeometryError) -> Geometry {
        guard triangleCount > 0, let positions = attribute(.position) else { throw .notTriangles }
        return try withoutTangents().withFlatNormals(positions)
    }

    /// Returns the same triangles with smooth shading, as a triangle list. Vertices at the same position share a normal: the mean of the
    /// adjacent triangles, weighted by their angles. Drops tangents, because they belong to the old normals.
    ///
    /// - Throws: `.notTriangles` for points and lines.
    public func withSmoothNormals() throws(GeometryError) -> Geometry {
        guard triangleCount > 0, let positions = attribute(.position) else { throw .notTriangles }
        return try withoutTangents().withSmoothNormals(positions)
    }

    private func withoutTangents() throws(GeometryError) -> Geometry {
        guard attribute(.tangent) != nil else { return self }
        return try Geometry(
            topology: topology, attributes: attributes.filter { $0.semantic != .tangent }, indices: indices, morphTargets: morphTargets)
    }

    private func withFlatNormals(_ positions: VertexAttribute) throws(GeometryError) -> Geometry {
        let corners = triangleIndices
        var values: [Float] = []
        values.reserveCapacity(corners.count * 3)
        forEachTriangle { _, a, b, c in
            let (p, q, r) = (positions.vector3(at: a), positions.vector3(at: b), positions.vector3(at: c))
            let normal = unitOrUp(cross(q - p, r - p))
            for _ in 0..<3 { values.append(contentsOf: [normal.x, normal.y, normal.z]) }
        }
        return try rebuilt(vertices: corners, indices: nil, replacing: VertexAttribute(.normal, componentCount: 3, values: values))
    }

    private func withSmoothNormals(_ positions: VertexAttribute) throws(GeometryError) -> Geometry {
        var welder = VertexWelder()
        let places = (0..<vertexCount).map { Int(welder.identifier(positions.vector3(at: $0))) }
        var sums = Array(repeating: Vector3(repeating: 0), count: welder.count)
        forEachTriangle { _, a, b, c in
            let points = [positions.vector3(at: a), positions.vector3(at: b), positions.vector3(at: c)]
            let normal = normalize(cross(points[1] - points[0], points[2] - points[0]))
            for (corner, vertex) in [a, b, c].enumerated() {
                let (next, previous) = (points[(corner + 1) % 3] - points[corner], points[(corner + 2) % 3] - points[corner])
                sums[places[vertex]] += normal * angle(between: next, previous)
            }
        }
        var values: [Float] = []
        values.reserveCapacity(vertexCount * 3)
        for vertex in 0..<vertexCount {
            let normal = unitOrUp(sums[places[vertex]])
            values.append(contentsOf: [normal.x, normal.y, normal.z])
        }
        let everyVertex = (0..<vertexCount).map { UInt32($0) }
        return try rebuilt(
            vertices: everyVertex, indices: triangleIndices, replacing: VertexAttribute(.normal, componentCount: 3, values: values))
    }

    /// A triangle without area has no normal, and is not visible.
    private func unitOrUp(_ vector: Vector3) -> Vector3 {
        let unit = normalize(vector)
        return unit == Vector3(repeating: 0) ? .up : unit
    }
}

/// Radians, 0…π; 0 for a vector without length.
func angle(between a: Vector3, _ b: Vector3) -> Float {
    let (u, v) = (normalize(a), normalize(b))
    return u == Vector3(repeating: 0) || v == Vector3(repeating: 0) ? 0 : acos(clamp(dot(u, v), -1, 1))
}
