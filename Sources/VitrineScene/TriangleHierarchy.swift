import VitrineMath

/// Triangles sorted into a tree of boxes, so that a ray finds what it meets without asking all of them.
///
/// Built once, immutable, and Sendable: any number of threads may ask at a time. Building n triangles takes about n log n steps, a ray
/// about log n. Surface-area heuristic over bins (Wald 2007). Watertight: a ray through an edge or a corner that triangles share meets at
/// least one of them.
///
/// ```swift
/// let hierarchy = TriangleHierarchy(positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], indices: [0, 1, 2])
/// let hit = hierarchy.nearest(Ray(origin: [0.2, 0.2, 1], direction: [0, 0, -1]))
/// hit?.distance   // 1.0
/// ```
public struct TriangleHierarchy: Sendable {
    /// Where a ray meets a triangle.
    public struct Hit: Equatable, Sendable {
        /// In the order the triangles were given.
        public var triangle: Int
        /// In multiples of the ray's direction.
        public var distance: Float
        /// Barycentric weights of the triangle's second and third corner.
        public var u, v: Float
    }

    /// A box, and what it holds: a leaf's triangles, or two child nodes that lie side by side.
    struct TreeNode {
        /// w: the first triangle of a leaf, or the first child.
        var minimum: Vector4
        /// w: the number of triangles; 0 for an inner node.
        var maximum: Vector4

        var first: Int { Int(minimum.w.bitPattern) }
        var count: Int { Int(maximum.w.bitPattern) }

        init(_ box: BoundingBox, first: Int, count: Int) {
            minimum = Vector4(box.minimum, Float(bitPattern: UInt32(first)))
            maximum = Vector4(box.maximum, Float(bitPattern: UInt32(count)))
        }
    }

    let tree: [TreeNode]
    /// Three a triangle, as `ShearedRay` wants them: the x coordinates of its corners, their y, their z.
    let corners: [Vector4]
    /// From the tree's order to the caller's.
    let numbers: [UInt32]

    /// Around everything.
    public let bounds: BoundingBox
    public var triangleCount: Int { numbers.count }

    /// - Parameters:
    ///   - positions: 3 floats a vertex.
    ///   - indices: 3 a triangle, each below the number of vertices. Triangles with a corner that isn't finite are never met.
    public init(positions: [Float], indices: [UInt32]) {
        var builder = TriangleHierarchyBuilder(positions: positions, indices: indices)
        builder.build()
        (tree, corners, numbers) = (builder.tree, builder.corners, builder.numbers)
        bounds = builder.bounds
    }
    /// The triangles of a geometry, numbered as `Geometry.corners(ofTriangle:)` numbers them. Empty for points and lines.
    public init(_ geometry: Geometry) {
        self.init(positions: geometry.attribute(.position)?.values ?? [], indices: geometry.triangleIndices)
    }
}
