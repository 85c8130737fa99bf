import VitrineMath

extension Shape {
    /// A path given depth, its middle in the plane z = 0. Sides: front, back, side, frontBevel, backBevel.
    ///
    /// ```swift
    /// let outline = Path.roundedRectangle(width: 0.0856, height: 0.054, cornerRadius: 0.0032)
    /// let card = try Shape.extruded(outline, depth: 0.0008, bevel: Bevel(radius: 0.0002))
    /// ```
    ///
    /// Pieces that overlap become one. The texture covers the path's bounds once on the front, upright, and goes on over the front's bevel;
    /// so on the back, as seen from behind. On the side u goes once around each outline, v from the front to the back. Normals are those
    /// of the curves; where the outline has a corner, so has the shape.
    ///
    /// - Parameters:
    ///   - depth: Along z, metres; 0: the front only, flat.
    ///   - bevel: See there for what happens in narrow places.
    ///   - fillRule: Defines the interior where the path intersects itself.
    ///   - flatness: How far the shape may lie from the path's curves, metres; nil: a 2,000th of the path's larger side. Curves are never
    ///     coarser than 12° a piece.
    ///   - creaseAngle: Corners that turn by less are shaded smoothly: for curves that came as points.
    /// - Throws: `PathError`: no area, coordinates that are not numbers, more than `Path.maximumPieces` pieces.
    public static func extruded(
        _ path: Path, depth: Float, bevel: Bevel = .none, fillRule: FillRule = .nonZero, flatness: Float? = nil,
        creaseAngle: Angle = .degrees(20)
    ) throws(PathError) -> Shape {
        let extrusion = try Extrusion(path, rule: fillRule, flatness: flatness, creaseAngle: creaseAngle)
        return try extrusion.builder(depth: depth, bevel: bevel).shape()
    }
}

extension Geometry {
    /// `Shape.extruded` in one piece: a path given depth, its middle in the plane z = 0.
    ///
    /// - Parameters:
    ///   - depth: Along z, metres; 0: the front only, flat.
    ///   - bevel: See there for what happens in narrow places.
    ///   - fillRule: Defines the interior where the path intersects itself.
    ///   - flatness: How far the shape may lie from the path's curves, metres; nil: a 2,000th of the path's larger side.
    ///   - creaseAngle: Corners that turn by less are shaded smoothly: for curves that came as points.
    /// - Throws: `PathError`: no area, coordinates that are not numbers, more than `Path.maximumPieces` pieces.
    public static func extruded(
        _ path: Path, depth: Float, bevel: Bevel = .none, fillRule: FillRule = .nonZero, flatness: Float? = nil,
        creaseAngle: Angle = .degrees(20)
    ) throws(PathError) -> Geometry {
        let extrusion = try Extrusion(path, rule: fillRule, flatness: flatness, creaseAngle: creaseAngle)
        return try extrusion.builder(depth: depth, bevel: bevel).geometry(droppingDegenerate: true)
    }

    /// The interior of a path as a flat geometry in the plane z = 0, facing +Z; the texture covers the path's bounds once.
    ///
    /// - Throws: `PathError`, as `extruded`.
    public static func filled(_ path: Path, fillRule: FillRule = .nonZero, flatness: Float? = nil) throws(PathError) -> Geometry {
        try extruded(path, depth: 0, fillRule: fillRule, flatness: flatness)
    }
}
