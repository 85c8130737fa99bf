import VitrineMath

/// Where a ray meets a surface.
public struct PickHit {
    /// The node of the surface.
    public let node: Node
    /// Into the mesh's `parts`.
    public let partIndex: Int
    /// Which triangle of the part's geometry: see `Geometry.corners(ofTriangle:)`.
    public let triangleIndex: Int
    /// Along the ray, in multiples of its direction's length: metres for a unit direction.
    public let distance: Float
    /// World frame, metres.
    public let position: Vector3
    /// Of the flat triangle, on its front side; world frame, unit length.
    public let geometricNormal: Vector3
    /// Interpolated between the corners' normals, without normal map; the geometric one where the geometry has none. World frame, unit.
    public let normal: Vector3
    /// By set; the transforms of materials' maps are not applied.
    public let textureCoordinates: [Vector2]
    /// The weights of the triangle's corners, summing to 1.
    public let barycentric: Vector3
    /// Whether the ray came from behind the triangle.
    public let isBackFace: Bool

    /// The geometry that was met.
    public var geometry: Geometry? { node.mesh.flatMap { partIndex < $0.parts.count ? $0.parts[partIndex].geometry : nil } }
    /// The material that was met.
    public var material: Material? { node.mesh.flatMap { partIndex < $0.parts.count ? $0.parts[partIndex].material : nil } }
}

/// What a ray may meet.
public struct PickOptions: Equatable, Sendable {
    /// Which sides of triangles are met.
    public enum Faces: Equatable, Hashable, Sendable {
        /// Those that are drawn: the back only where the material is double-sided.
        case drawn
        case both
    }

    /// Only nodes that share a bit are met. All by default.
    public var categoryBitMask: UInt32 = .max
    /// As drawn by default.
    public var faces = Faces.drawn
    /// Whether hidden nodes, and those of opacity 0, are met too. False by default.
    public var includesHidden = false
    /// Hits farther along the ray are left out; multiples of its direction's length. Infinite by default.
    public var maximumDistance: Float = .infinity

    /// Makes the default options.
    public init() {}
}
