import VitrineMath

extension Geometry {
    /// Returns the same geometry with this stream added, or in place of its own stream of the same semantic.
    ///
    /// Nothing else changes: after new positions or normals, call `withNormals` and `withTangents`.
    ///
    /// - Throws: `GeometryError` if the stream has another length than the others.
    public func replacing(_ attribute: VertexAttribute) throws(GeometryError) -> Geometry {
        var attributes = self.attributes
        if let place = attributes.firstIndex(where: { $0.semantic == attribute.semantic }) {
            attributes[place] = attribute
        } else {
            attributes.append(attribute)
        }
        return try Geometry(topology: topology, attributes: attributes, indices: indices, morphTargets: morphTargets)
    }

    /// Returns the same geometry with changed texture coordinates.
    ///
    /// ```swift
    /// let tiled = try Geometry.box().mapTextureCoordinates { $0 * 2 }       // the texture twice each way
    /// let turned = try Geometry.plane().mapTextureCoordinates { [$0.y, 1 - $0.x] }
    /// ```
    ///
    /// Computes tangents that follow this set again; splits vertices at which the texture is mirrored on one side only.
    ///
    /// - Parameters:
    ///   - set: Index of the set of texture coordinates.
    ///   - change: Returns the new coordinates of a vertex for the old ones.
    /// - Throws: `.missing` if the geometry does not have that set.
    public func mapTextureCoordinates(set: Int = 0, _ change: (Vector2) -> Vector2) throws(GeometryError) -> Geometry {
        guard let coordinates = attribute(.textureCoordinate(set: set)) else { throw .missing(.textureCoordinate(set: set)) }
        let changed = (0..<vertexCount).map { change(coordinates.vector2(at: $0)) }
        return try replacing(VertexAttribute(.textureCoordinate(set: set), changed)).withTangentsUpToDate(set: set)
    }

    /// Returns the same geometry with texture coordinates computed from position and normal of each vertex; adds the set if it is missing.
    ///
    /// ```swift
    /// let hills = try land.makeTextureCoordinates { position, normal in [position.x, normal.y] }
    /// ```
    public func makeTextureCoordinates(
        set: Int = 0, _ make: (_ position: Vector3, _ normal: Vector3) -> Vector2
    ) throws(GeometryError) -> Geometry {
        guard let positions = attribute(.position) else { throw .missingPositions }
        let normals = attribute(.normal)
        let made = (0..<vertexCount).map { make(positions.vector3(at: $0), normals?.vector3(at: $0) ?? Vector3(repeating: 0)) }
        return try replacing(VertexAttribute(.textureCoordinate(set: set), made)).withTangentsUpToDate(set: set)
    }

    /// Tangents follow the texture coordinates of set 0.
    func withTangentsUpToDate(set: Int) throws(GeometryError) -> Geometry {
        guard set == 0, attribute(.tangent) != nil, triangleCount > 0 else { return self }
        return try withTangents()
    }
}
