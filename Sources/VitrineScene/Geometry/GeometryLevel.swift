/// A level of detail: a geometry with fewer triangles.
public struct GeometryLevel: Equatable, Sendable {
    /// The indices of the triangles, three each, into the vertices of the geometry.
    public let indices: [UInt32]
    /// The approximate distance from the geometry's surface, in metres in the local frame.
    public let error: Float

    /// Creates a level of detail.
    public init(indices: [UInt32], error: Float) { (self.indices, self.error) = (indices, error) }
}
