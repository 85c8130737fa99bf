/// A geometry's shape with fewer triangles.
public struct GeometryLevel: Equatable, Sendable {
    /// Three a triangle, of the geometry's own vertices.
    public let indices: [UInt32]
    /// How far its surface is from the geometry's, about: local frame, metres.
    public let error: Float

    public init(indices: [UInt32], error: Float) { (self.indices, self.error) = (indices, error) }
}
