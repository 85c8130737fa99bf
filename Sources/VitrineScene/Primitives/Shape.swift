import VitrineGeometry

/// A shape in pieces, for one material each.
///
/// ```swift
/// let shape = Shape.cylinder(radius: 0.3, height: 1)
/// shape.sides                                                  // [.side, .top, .bottom]
/// let drum = Mesh(shape: shape, materials: [red, skin, skin])
/// ```
///
/// `Geometry.cylinder(radius: 0.3, height: 1)` is the same shape in one piece.
public struct Shape: Sendable {
    /// The position of a piece: the front faces +Z, the right +X, the top +Y.
    public enum Side: Equatable, Hashable, Sendable {
        /// Faces one of the six directions.
        case front, right, back, left, top, bottom
        /// All around: of a cylinder, a cone, an extruded path.
        case side
        /// The wall of a hole: of a tube.
        case inside
        /// Between an extruded path's side and its front or back.
        case frontBevel, backBevel
    }

    /// The pieces in the order that each static function documents; pieces without triangles are omitted.
    let parts: [(side: Side, geometry: Geometry)]

    /// The positions of the pieces, in the order that each static function documents. Pieces without triangles are omitted.
    public var sides: [Side] { parts.map { $0.side } }
    /// The geometries of the pieces, in the order of `sides`.
    public var geometries: [Geometry] { parts.map { $0.geometry } }

    /// The first piece of a side; nil if there is none.
    public subscript(side: Side) -> Geometry? { parts.first { $0.side == side }?.geometry }

    /// Bounds of all pieces, local frame, metres.
    public var bounds: BoundingBox { parts.reduce(.empty) { $0.union($1.geometry.bounds) } }
}

extension Mesh {
    /// A mesh with one part for each piece of the shape.
    ///
    /// - Parameter materials: Of the pieces, in their order; repeats from the first if there are fewer. Empty: one new material for all.
    public convenience init(name: String = "", shape: Shape, materials: [Material]) {
        let materials = materials.isEmpty ? [Material()] : materials
        let parts = shape.parts.enumerated().map { MeshPart(geometry: $1.geometry, material: materials[$0 % materials.count]) }
        self.init(name: name, parts: parts)
    }

    /// A mesh with one part for each piece of the shape.
    ///
    /// - Parameter material: Returns the material of a side.
    public convenience init(name: String = "", shape: Shape, material: (Shape.Side) -> Material) {
        self.init(name: name, parts: shape.parts.map { MeshPart(geometry: $0.geometry, material: material($0.side)) })
    }
}
