import VitrineMath

extension Shape {
    /// A box around the origin. Every face shows the whole texture, upright as seen from outside; the top's and bottom's upper edges lie
    /// towards −Z and +Z. Sides: right, left, top, bottom, front, back; a rounding belongs half to each side.
    ///
    /// - Parameters:
    ///   - size: Along x, y, z, metres.
    ///   - chamferRadius: Of rounded edges and corners, metres, inside `size`; held to half the shortest side. 0: sharp.
    ///   - chamferSegments: Facets between the middle of an edge's rounding and a face, at least 1.
    ///   - segments: How often the flat parts are divided along x, y, z, at least 1.
    public static func box(
        size: Vector3 = Vector3(repeating: 1), chamferRadius: Float = 0, chamferSegments: Int = 4, segments: (Int, Int, Int) = (1, 1, 1)
    ) -> Shape {
        PrimitiveBuilder.box(size, chamferRadius, chamferSegments, segments).shape()
    }

    /// A pyramid on the plane y = 0, its tip above the origin. The texture lies on each side as seen from outside, its upper edge's middle
    /// at the tip. Sides: front, right, back, left, bottom.
    ///
    /// - Parameters:
    ///   - size: Width along x, height along y, length along z, metres.
    ///   - segments: How often each side is divided, across and from the tip to the base, at least 1.
    public static func pyramid(size: Vector3 = Vector3(repeating: 1), segments: (Int, Int) = (1, 1)) -> Shape {
        PrimitiveBuilder.pyramid(size, segments).shape()
    }
}

extension Geometry {
    /// `Shape.box` in one piece: every face shows the whole texture, upright as seen from outside; the top's and bottom's upper edges lie
    /// towards −Z and +Z.
    ///
    /// - Parameters:
    ///   - size: Along x, y, z, metres.
    ///   - chamferRadius: Of rounded edges and corners, metres, inside `size`; held to half the shortest side. 0: sharp.
    ///   - chamferSegments: Facets between the middle of an edge's rounding and a face, at least 1.
    ///   - segments: How often the flat parts are divided along x, y, z, at least 1.
    public static func box(
        size: Vector3 = Vector3(repeating: 1), chamferRadius: Float = 0, chamferSegments: Int = 4, segments: (Int, Int, Int) = (1, 1, 1)
    ) -> Geometry {
        // A radius of half a side leaves no room between the roundings.
        PrimitiveBuilder.box(size, chamferRadius, chamferSegments, segments).geometry(droppingDegenerate: true)
    }

    /// `Shape.pyramid` in one piece: on the plane y = 0, its tip above the origin.
    ///
    /// - Parameters:
    ///   - size: Width along x, height along y, length along z, metres.
    ///   - segments: How often each side is divided, across and from the tip to the base, at least 1.
    public static func pyramid(size: Vector3 = Vector3(repeating: 1), segments: (Int, Int) = (1, 1)) -> Geometry {
        PrimitiveBuilder.pyramid(size, segments).geometry(droppingDegenerate: true)
    }
}

extension PrimitiveBuilder {
    fileprivate static func box(_ asked: Vector3, _ chamferRadius: Float, _ chamferSegments: Int, _ segments: (Int, Int, Int)) -> Self {
        var builder = PrimitiveBuilder()
        let size = Vector3(PrimitiveBuilder.size(asked.x), PrimitiveBuilder.size(asked.y), PrimitiveBuilder.size(asked.z))
        let radius = min(PrimitiveBuilder.size(chamferRadius), size.min() / 2)
        // For each face: the directions of u, of −v, and outwards.
        let faces: [(side: Shape.Side, right: Vector3, up: Vector3, out: Vector3)] = [
            (.right, Vector3(0, 0, -1), .up, .right), (.left, Vector3(0, 0, 1), .up, -.right),
            (.top, .right, Vector3(0, 0, -1), .up), (.bottom, .right, Vector3(0, 0, 1), -.up),
            (.front, .right, .up, Vector3(0, 0, 1)), (.back, -.right, .up, Vector3(0, 0, -1)),
        ]
        func cuts(along direction: Vector3) -> [(side: Float, slope: Float)] {
            let count = direction.x != 0 ? segments.0 : direction.y != 0 ? segments.1 : segments.2
            return boxCuts(isRounded: radius > 0, rounding: self.count(chamferSegments), flat: self.count(count))
        }
        for (side, right, up, out) in faces {
            builder.begin(side)
            let inner = size / 2 - radius
            let (columns, rows) = (cuts(along: right), cuts(along: up))
            builder.addGrid(columns: columns.count - 1, rows: rows.count - 1) { column, row in
                let (a, b) = (columns[column], rows[rows.count - 1 - row])
                let normal = normalize(right * a.slope + up * b.slope + out)
                let position = (right * a.side + up * b.side + out) * inner + normal * radius
                let extent = Vector2(dot(right.magnitudes, size), dot(up.magnitudes, size))
                let along = Vector2(dot(position, right), dot(position, up))
                let uv = Vector2(
                    fraction(along.x, extent.x, else: Float(column) / Float(columns.count - 1)),
                    fraction(-along.y, extent.y, else: Float(row) / Float(rows.count - 1)))
                // The texture is laid on along −out: where u grows and v stays, the surface leads to the right, and in or out.
                let tangent = normalize(right - out * (dot(normal, right) / dot(normal, out)))
                return Vertex(position: position, normal: normal, tangent: tangent, coordinate: uv)
            }
        }
        return builder
    }

    /// Where `value` lies in −extent/2 … extent/2, as 0…1.
    private static func fraction(_ value: Float, _ extent: Float, else flat: Float) -> Float { extent > 0 ? value / extent + 0.5 : flat }

    /// The lines that cut a face, from one side to the other: how far towards the inner edges, −1…1, and how far the normal leans.
    private static func boxCuts(isRounded: Bool, rounding: Int, flat: Int) -> [(side: Float, slope: Float)] {
        let between = (1..<max(flat, 1)).map { (side: Float($0) / Float(flat) * 2 - 1, slope: Float(0)) }
        guard isRounded else { return [(-1, 0)] + between + [(1, 0)] }
        // Neighbouring faces meet in the middle of the rounding, where the normal leans by 45°.
        let leans = (0...rounding).map { tan(Float.pi / 4 * Float($0) / Float(rounding)) }
        return leans.reversed().map { (-1, -$0) } + between + leans.map { (1, $0) }
    }

    fileprivate static func pyramid(_ asked: Vector3, _ segments: (Int, Int)) -> Self {
        var builder = PrimitiveBuilder()
        let size = Vector3(PrimitiveBuilder.size(asked.x), PrimitiveBuilder.size(asked.y), PrimitiveBuilder.size(asked.z))
        let (columns, rows) = (count(segments.0), count(segments.1))
        let back = Vector3(0, 0, -1)
        let sides: [(Shape.Side, Vector3)] = [(.front, -back), (.right, .right), (.back, back), (.left, -.right)]
        for (side, out) in sides {
            builder.begin(side)
            let right = cross(.up, out)
            let (halfWidth, reach) = (dot(right.magnitudes, size) / 2, dot(out.magnitudes, size) / 2)
            let slope = normalize(out * size.y + Vector3.up * reach)
            let normal = slope == Vector3(repeating: 0) ? .up : slope
            builder.addGrid(columns: columns, rows: rows) { column, row in
                let (across, down) = (Float(column) / Float(columns) * 2 - 1, Float(row) / Float(rows))
                let position = right * (across * halfWidth * down) + out * (reach * down) + Vector3(0, size.y * (1 - down), 0)
                return Vertex(position: position, normal: normal, tangent: right, coordinate: Vector2(0.5 + across / 2 * down, down))
            }
        }
        builder.begin(.bottom)
        builder.addGrid(columns: columns, rows: columns) { column, row in
            let (across, down) = (Float(column) / Float(columns) * 2 - 1, Float(row) / Float(columns) * 2 - 1)
            return Vertex(
                position: Vector3(across * size.x / 2, 0, -down * size.z / 2), normal: -.up, tangent: .right,
                coordinate: Vector2(across / 2 + 0.5, down / 2 + 0.5))
        }
        return builder
    }
}
