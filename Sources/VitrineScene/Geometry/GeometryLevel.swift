/// A level of detail: a geometry with fewer triangles.
public struct GeometryLevel: Equatable, Sendable {
    /// Three per triangle, into the geometry's own vertices.
    public let indices: [UInt32]
    /// Approximate distance from the geometry's surface: local frame, metres.
    public let error: Float

    /// Makes a level of detail.
    public init(indices: [UInt32], error: Float) { (self.indices, self.error) = (indices, error) }
}
