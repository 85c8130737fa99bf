import VitrineMath

extension Shape {
    /// Extrudes a path, centred at the plane z = 0. Sides: front, back, side, frontBevel, backBevel.
    ///
    /// ```swift
    /// let outline = Path.roundedRectangle(width: 0.0856, height: 0.054, cornerRadius: 0.0032)
    /// let card = try Shape.extruded(outline, depth: 0.0008, bevel: Bevel(radius: 0.0002))
    /// ```
    ///
    /// Overlapping pieces are merged. On the front, the texture covers the path's bounds once, upright, and continues on the front bevel; on the
    /// back in the same way, as seen from behind. On the side, u covers 0…1 around each outline, v from the front to the back. Normals are those of
    /// the curves; corners of the outline are edges of the shape.
    ///
    /// - Parameters:
    ///   - depth: The size along z in metres; 0 creates only the front.
    ///   - bevel: The bevel, which is reduced at narrow pieces.
    ///   - fillRule: Defines the interior where the path intersects itself.
    ///   - flatness: The largest distance of the shape from the path's curves in metres; nil for 1/2,000 of the path's larger side. The angle
    ///     between segments of a curve is at most 12°.
    ///   - creaseAngle: Corners with a smaller angle are shaded smoothly, for curves that are given as points.
    /// - Throws: `PathError` if the path has no area, coordinates that are not finite, or more than `Path.maximumPieces` segments.
    public static func extruded(
        _ path: Path, depth: Float, bevel: Bevel = .none, fillRule: FillRule = .nonZero, flatness: Float? = nil,
        creaseAngle: Angle = .degrees(20)
    ) throws(PathError) -> Shape {
        let extrusion = try Extrusion(path, rule: fillRule, flatness: flatness, creaseAngle: creaseAngle)
        return try extrusion.builder(depth: depth, bevel: bevel).shape()
    }
}

extension Geometry {
    /// Extrudes a path to one geometry, centred at the plane z = 0; see `Shape.extruded`.
    ///
    /// - Parameters:
    ///   - depth: The size along z in metres; 0 creates only the front.
    ///   - bevel: The bevel, which is reduced at narrow pieces.
    ///   - fillRule: Defines the interior where the path intersects itself.
    ///   - flatness: The largest distance of the shape from the path's curves in metres; nil for 1/2,000 of the path's larger side.
    ///   - creaseAngle: Corners with a smaller angle are shaded smoothly, for curves that are given as points.
    /// - Throws: `PathError` if the path has no area, coordinates that are not finite, or more than `Path.maximumPieces` segments.
    public static func extruded(
        _ path: Path, depth: Float, bevel: Bevel = .none, fillRule: FillRule = .nonZero, flatness: Float? = nil,
        creaseAngle: Angle = .degrees(20)
    ) throws(PathError) -> Geometry {
        let extrusion = try Extrusion(path, rule: fillRule, flatness: flatness, creaseAngle: creaseAngle)
        return try extrusion.builder(depth: depth, bevel: bevel).geometry(droppingDegenerate: true)
    }

    /// Fills a path: creates a flat geometry in the plane z = 0 that faces +Z; the texture covers the path's bounds once.
    ///
    /// - Throws: `PathError`, as `extruded`.
    public static func filled(_ path: Path, fillRule: FillRule = .nonZero, flatness: Float? = nil) throws(PathError) -> Geometry {
        try extruded(path, depth: 0, fillRule: fillRule, flatness: flatness)
    }
}
