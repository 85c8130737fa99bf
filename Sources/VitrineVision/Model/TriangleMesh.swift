import VitrineMath

/// A surface as triangles over shared vertices, counter-clockwise seen from outside. World frame and unit.
public struct TriangleMesh: Sendable, Equatable {
    public var positions: [Vector3]
    /// Indices into `positions`.
    public var triangles: [SIMD3<UInt32>]

    public init(positions: [Vector3] = [], triangles: [SIMD3<UInt32>] = []) { (self.positions, self.triangles) = (positions, triangles) }
}
