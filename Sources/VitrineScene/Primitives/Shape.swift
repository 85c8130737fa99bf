import VitrineGeometry

/// A shape in pieces that may wear different materials.
///
/// ```swift
/// let shape = Shape.cylinder(radius: 0.3, height: 1)
/// shape.parts.map(\.side)                                      // [.side, .top, .bottom]
/// let drum = Mesh(shape: shape, materials: [red, skin, skin])
/// ```
///
/// `Geometry.cylinder(radius: 0.3, height: 1)` is the same shape in one piece.
public struct Shape: Sendable {
    /// Where a piece lies. Right-handed: the front looks towards +Z, the right to +X, the top to +Y.
    public enum Side: Equatable, Hashable, Sendable {
        case front, right, back, left, top, bottom
        /// All around: of a cylinder, a cone, an extruded path.
        case side
        /// The wall of a hole: of a tube.
        case inside
        /// Between an extruded path's side and its front or back.
        case frontBevel, backBevel
    }

    /// One piece of a shape.
    public struct Part: Sendable {
        /// The position of the piece.
        public let side: Side
        /// The triangles of the piece.
        public let geometry: Geometry
    }

    /// In a fixed order, which each maker of shapes names; pieces without triangles are left out.
    public let parts: [Part]

    /// The first piece that lies there.
    public subscript(side: Side) -> Geometry? { parts.first { $0.side == side }?.geometry }

    /// Around all pieces, local frame, metres.
    public var bounds: BoundingBox { parts.reduce(.empty) { $0.union($1.geometry.bounds) } }
}

extension Mesh {
    /// A mesh with one part for each piece of the shape.
    ///
    /// - Parameter materials: For the pieces in their order; when there are fewer, they are taken again from the first. None: one new
    ///   material for all.
    public convenience init(name: String = "", shape: Shape, materials: [Material]) {
        let worn = materials.isEmpty ? [Material()] : materials
        let parts = shape.parts.enumerated().map { MeshPart(geometry: $1.geometry, material: worn[$0 % worn.count]) }
        self.init(name: name, parts: parts)
    }

    /// A mesh with one part for each piece of the shape, each with the material that `material` names for its side.
    public convenience init(name: String = "", shape: Shape, material: (Shape.Side) -> Material) {
        self.init(name: name, parts: shape.parts.map { MeshPart(geometry: $0.geometry, material: material($0.side)) })
    }
}
