import VitrineMath

extension Geometry {
    /// Makes geometry from arrays of vectors, one element per vertex.
    ///
    /// ```swift
    /// let corners: [Vector3] = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    /// let coordinates: [Vector2] = [[0, 1], [1, 1], [1, 0], [0, 0]]
    /// let square = try Geometry(positions: corners, textureCoordinates: coordinates, indices: [0, 1, 2, 0, 2, 3])
    /// square.triangleCount                    // 2
    /// square.attribute(.normal)?.values       // [0, 0, 1, …]: made from the triangles
    /// ```
    ///
    /// Triangles get missing normals (`NormalStyle.smooth`: vertices at the same position share one), and
    /// tangents if there are texture coordinates. A vertex at which the texture is mirrored on one side only is split.
    ///
    /// - Parameters:
    ///   - positions: Local frame, metres.
    ///   - normals: Unit vectors; empty: computed.
    ///   - textureCoordinates: Set 0, u to the right, v down; empty: none.
    ///   - colors: Linear Rec.709 and alpha; empty: none.
    ///   - indices: Three per triangle, counter-clockwise seen from the front; nil: vertices in their order.
    /// - Throws: `GeometryError`: arrays of unequal length, an index without a vertex, no positions.
    public convenience init(
        positions: [Vector3], normals: [Vector3] = [], textureCoordinates: [Vector2] = [], colors: [Vector4] = [],
        indices: [UInt32]? = nil, topology: PrimitiveTopology = .triangles
    ) throws(GeometryError) {
        guard !positions.isEmpty else { throw .missingPositions }
        var attributes = [VertexAttribute(.position, positions)]
        if !normals.isEmpty { attributes.append(VertexAttribute(.normal, normals)) }
        if !textureCoordinates.isEmpty { attributes.append(VertexAttribute(.textureCoordinate(set: 0), textureCoordinates)) }
        if !colors.isEmpty { attributes.append(VertexAttribute(.color(set: 0), colors)) }
        var made = try Geometry(topology: topology, attributes: attributes, indices: indices)
        if made.triangleCount > 0 {
            if normals.isEmpty { made = try made.withSmoothNormals() }
            if !textureCoordinates.isEmpty { made = try made.withTangents() }
        }
        try self.init(topology: made.topology, attributes: made.attributes, indices: made.indices)
    }
}

extension VertexAttribute {
    /// A stream of vectors, tightly packed.
    public init<V: SIMD>(_ semantic: VertexSemantic, _ vectors: [V]) where V.Scalar == Float {
        let componentCount = V.scalarCount
        var values: [Float] = []
        values.reserveCapacity(vectors.count * componentCount)
        for vector in vectors {
            for component in 0..<componentCount { values.append(vector[component]) }
        }
        self.init(semantic, componentCount: componentCount, values: values)
    }
}
