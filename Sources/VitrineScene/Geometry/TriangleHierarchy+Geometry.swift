import VitrineGeometry

extension TriangleHierarchy {
    /// The triangles of a geometry, numbered as `Geometry.corners(ofTriangle:)` numbers them. Empty for points and lines.
    package init(_ geometry: Geometry) {
        self.init(positions: geometry.attribute(.position)?.values ?? [], indices: geometry.triangleIndices)
    }
}
