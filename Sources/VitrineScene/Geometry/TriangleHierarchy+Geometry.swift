import VitrineGeometry

extension TriangleHierarchy {
    /// Creates the hierarchy of a geometry's triangles, with the indices of `Geometry.corners(ofTriangle:)`. Empty for points and lines.
    package init(_ geometry: Geometry) {
        self.init(positions: geometry.attribute(.position)?.values ?? [], indices: geometry.triangleIndices)
    }
}
