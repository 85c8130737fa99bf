import VitrineMath

/// An intersection of a ray with a surface.
public struct PickHit {
    /// The node of the surface.
    public let node: Node
    /// The index of the part in the mesh's `parts`.
    public let partIndex: Int
    /// The index of the triangle in the part's geometry; see `Geometry.corners(ofTriangle:)`.
    public let triangleIndex: Int
    /// The distance along the ray, in multiples of its direction's length: metres for a unit direction.
    public let distance: Float
    /// The position in metres in the world frame.
    public let position: Vector3
    /// The unit normal of the flat triangle, on its front, in the world frame.
    public let geometricNormal: Vector3
    /// The unit normal in the world frame, interpolated between the corners, without normal map; the geometric normal if the geometry has no normals.
    public let normal: Vector3
    /// The texture coordinates by set, without the transforms of the material's maps.
    public let textureCoordinates: [Vector2]
    /// The weights of the triangle's corners, summing to 1.
    public let barycentric: Vector3
    /// Whether the ray hit the back of the triangle.
    public let isBackFace: Bool

    /// The geometry that was hit; nil if the node's mesh has changed since.
    public var geometry: Geometry? { node.mesh.flatMap { partIndex < $0.parts.count ? $0.parts[partIndex].geometry : nil } }
    /// The material that was hit; nil if the node's mesh has changed since.
    public var material: Material? { node.mesh.flatMap { partIndex < $0.parts.count ? $0.parts[partIndex].material : nil } }
}

/// The surfaces that a ray can hit.
public struct PickOptions: Equatable, Sendable {
    /// The categories to test: only nodes that share a bit are hit. Default: all bits.
    public var categoryBitMask: UInt32 = .max
    /// Whether the ray hits back faces that are not drawn because the material is not double-sided. Default false.
    public var includesBackFaces = false
    /// Whether the ray hits hidden nodes, and those of opacity 0. Default false.
    public var includesHidden = false
    /// The largest distance of hits, in multiples of the length of the ray's direction. Default: infinite.
    public var maximumDistance: Float = .infinity

    /// Creates the default options.
    public init() {}
}
