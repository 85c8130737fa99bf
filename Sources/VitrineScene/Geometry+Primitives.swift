import VitrineMath

// Shapes that need no file. All have normals, texture coordinates (set 0) and tangents, and face outwards.

extension Geometry {
    /// A rectangle around the origin in the plane z = 0, facing +Z, the texture upright.
    ///
    /// - Parameters: width: Along x, metres. height: Along y, metres. segments: How often each side is divided, at least 1.
    public static func plane(width: Float = 1, height: Float = 1, segments: (Int, Int) = (1, 1)) -> Geometry {
        var builder = PrimitiveBuilder()
        let (columns, rows) = (max(segments.0, 1), max(segments.1, 1))
        builder.addGrid(columns: columns, rows: rows) { column, row in
            let (u, v) = (Float(column) / Float(columns), Float(row) / Float(rows))
            return PrimitiveBuilder.Vertex(
                position: Vector3((u - 0.5) * width, (0.5 - v) * height, 0), normal: Vector3(0, 0, 1), tangent: .right,
                coordinate: Vector2(u, v))
        }
        return builder.geometry()
    }

    /// A box around the origin. Every face shows the whole texture, upright as seen from outside; the top's and bottom's upper edges lie
    /// towards −Z and +Z.
    ///
    /// - Parameters:
    ///   - size: Along x, y, z, metres.
    ///   - chamferRadius: Of rounded edges and corners, metres, inside `size`; held to half the shortest side. 0: sharp.
    ///   - chamferSegments: Facets between the middle of an edge's rounding and a face, at least 1.
    public static func box(size: Vector3 = Vector3(repeating: 1), chamferRadius: Float = 0, chamferSegments: Int = 4) -> Geometry {
        var builder = PrimitiveBuilder()
        let radius = clamp(chamferRadius, 0, size.min() / 2)
        // For each face: the directions of u, of −v, and outwards.
        let faces: [(Vector3, Vector3, Vector3)] = [
            (Vector3(0, 0, -1), .up, .right), (Vector3(0, 0, 1), .up, -.right),
            (.right, Vector3(0, 0, -1), .up), (.right, Vector3(0, 0, 1), -.up),
            (.right, .up, Vector3(0, 0, 1)), (-.right, .up, Vector3(0, 0, -1)),
        ]
        let cuts = boxCuts(isRounded: radius > 0, segments: max(chamferSegments, 1))
        for (right, up, out) in faces {
            let inner = size / 2 - radius
            builder.addGrid(columns: cuts.count - 1, rows: cuts.count - 1) { column, row in
                let (a, b) = (cuts[column], cuts[cuts.count - 1 - row])
                let normal = normalize(right * a.slope + up * b.slope + out)
                let position = (right * a.side + up * b.side + out) * inner + normal * radius
                let extent = Vector2(dot(right.magnitudes, size), dot(up.magnitudes, size))
                let along = Vector2(dot(position, right), dot(position, up))
                let uv = Vector2(fraction(along.x, extent.x), fraction(-along.y, extent.y))
                // The texture is laid on along −out: where u grows and v stays, the surface leads to the right, and in or out.
                let tangent = normalize(right - out * (dot(normal, right) / dot(normal, out)))
                return PrimitiveBuilder.Vertex(position: position, normal: normal, tangent: tangent, coordinate: uv)
            }
        }
        // A radius of half a side leaves no room between the roundings.
        return builder.geometry(droppingDegenerate: true)
    }

    /// Where `value` lies in −extent/2 … extent/2, as 0…1.
    private static func fraction(_ value: Float, _ extent: Float) -> Float { extent > 0 ? value / extent + 0.5 : 0.5 }

    /// The lines that cut a face, from one side to the other: which inner edge they belong to, and how far the normal leans.
    private static func boxCuts(isRounded: Bool, segments: Int) -> [(side: Float, slope: Float)] {
        guard isRounded else { return [(-1, 0), (1, 0)] }
        // Neighbouring faces meet in the middle of the rounding, where the normal leans by 45°.
        let leans = (0...segments).map { tan(Float.pi / 4 * Float($0) / Float(segments)) }
        return leans.reversed().map { (-1, -$0) } + leans.map { (1, $0) }
    }

    /// A sphere around the origin, poles on the y axis; the middle of the texture lies towards +Z, its seam towards −Z.
    ///
    /// - Parameters: radius: Metres. segments: Facets around the equator, at least 3; half as many from pole to pole.
    public static func sphere(radius: Float = 0.5, segments: Int = 48) -> Geometry {
        var builder = PrimitiveBuilder()
        let columns = max(segments, 3)
        let rows = max(columns / 2, 2)
        builder.addGrid(columns: columns, rows: rows) { column, row in
            let (u, v) = (Float(column) / Float(columns), Float(row) / Float(rows))
            // The last column lies exactly on the first, and the poles on the axis.
            let longitude = (Float(column % columns) / Float(columns) - 0.5) * 2 * .pi
            let isPole = row == 0 || row == rows
            let ring: Float = isPole ? 0 : sin(v * .pi)
            let height: Float = isPole ? (row == 0 ? 1 : -1) : cos(v * .pi)
            let normal = Vector3(sin(longitude) * ring, height, cos(longitude) * ring)
            // At a pole each triangle has its own vertex, in the middle of its strip of texture.
            let shift = isPole ? (row == 0 ? 0.5 : -0.5) / Float(columns) : 0
            let middle = longitude + shift * 2 * .pi
            return PrimitiveBuilder.Vertex(
                position: normal * radius, normal: normal, tangent: Vector3(cos(middle), 0, -sin(middle)),
                coordinate: Vector2(u + shift, v))
        }
        return builder.geometry(droppingDegenerate: true)
    }
}
