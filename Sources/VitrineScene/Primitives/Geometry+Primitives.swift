import VitrineMath

// Shapes without files. All have normals, texture coordinates (set 0) and tangents, and face outwards.
//
// A size that is negative, infinite or not a number counts as 0; a shape of size 0 is flat, or empty if all triangles have no area. Numbers of
// segments are clamped to 4,096.

extension Geometry {
    /// Creates a rectangle around the origin in the plane z = 0, facing +Z, with an upright texture.
    ///
    /// - Parameters:
    ///   - width: The size along x in metres.
    ///   - height: The size along y in metres.
    ///   - cornerRadius: The radius of rounded corners in metres, clamped to half the shorter side. Does not move the texture.
    ///   - segments: The number of segments per side, at least 1; with rounded corners, of the part between them.
    ///   - cornerSegments: The number of segments per rounded corner, at least 1.
    public static func plane(
        width: Float = 1, height: Float = 1, cornerRadius: Float = 0, segments: (Int, Int) = (1, 1), cornerSegments: Int = 10
    ) -> Geometry {
        var builder = PrimitiveBuilder()
        let (width, height) = (PrimitiveBuilder.size(width), PrimitiveBuilder.size(height))
        let radius = min(PrimitiveBuilder.size(cornerRadius), width / 2, height / 2)
        let columns = planeColumns(
            width: width, radius: radius, segments: PrimitiveBuilder.count(segments.0),
            cornerSegments: PrimitiveBuilder.count(cornerSegments))
        let rows = PrimitiveBuilder.count(segments.1)
        builder.addGrid(columns: columns.count - 1, rows: rows) { column, row in
            let u = columns[column].u
            // At rounded corners, the outer columns are shorter.
            let shortening = columns[column].missing
            let share = Float(row) / Float(rows)
            let v = shortening > 0 ? (shortening + (height - 2 * shortening) * share) / height : share
            return PrimitiveBuilder.Vertex(
                position: Vector3((u - 0.5) * width, (0.5 - v) * height, 0), normal: Vector3(0, 0, 1), tangent: .right,
                coordinate: Vector2(u, v))
        }
        return builder.geometry(droppingDegenerate: radius > 0)
    }

    /// Returns the positions of the columns of a plane, 0…1, and the length in metres by which each is shorter at both ends.
    private static func planeColumns(width: Float, radius: Float, segments: Int, cornerSegments: Int) -> [(u: Float, missing: Float)] {
        guard radius > 0 else { return (0...segments).map { (Float($0) / Float(segments), 0) } }
        let inset = radius / width
        let corner = (0...cornerSegments).map { step in
            let angle = Float.pi / 2 * Float(step) / Float(cornerSegments)
            return (
                u: step == cornerSegments ? inset : inset * (1 - cos(angle)),
                missing: step == cornerSegments ? 0 : radius * (1 - sin(angle))
            )
        }
        let middle = (1..<max(segments, 1)).map { (u: inset + (1 - 2 * inset) * Float($0) / Float(segments), missing: Float(0)) }
        return corner + middle + corner.reversed().map { (1 - $0.u, $0.missing) }
    }

    /// Creates a large rectangle in the plane y = 0, facing +Y, as a floor.
    ///
    /// - Parameters:
    ///   - width: The size along x in metres.
    ///   - length: The size along z in metres.
    ///   - textureSize: The size in metres of one repetition of the texture, which is upright from above when −Z is up, with its upper left corner
    ///     at the origin. If nil, the texture covers the whole floor once.
    ///   - segments: The number of segments per side, at least 1.
    public static func floor(width: Float = 100, length: Float = 100, textureSize: Float? = 1, segments: (Int, Int) = (1, 1)) -> Geometry {
        var builder = PrimitiveBuilder()
        let size = Vector2(PrimitiveBuilder.size(width), PrimitiveBuilder.size(length))
        let (columns, rows) = (PrimitiveBuilder.count(segments.0), PrimitiveBuilder.count(segments.1))
        let repeats = textureSize.map { $0 > 0 && $0.isFinite ? $0 : 1 }
        builder.addGrid(columns: columns, rows: rows) { column, row in
            let share = Vector2(Float(column) / Float(columns), Float(row) / Float(rows))
            let point = (share - 0.5) * size
            return PrimitiveBuilder.Vertex(
                position: Vector3(point.x, 0, point.y), normal: .up, tangent: .right, coordinate: repeats.map { point / $0 } ?? share)
        }
        return builder.geometry()
    }

    /// Creates a disc or ring around the origin in the plane z = 0, facing +Z; the texture is upright and fits the disc.
    ///
    /// - Parameters:
    ///   - radius: The radius in metres.
    ///   - innerRadius: The radius of the hole in metres, at most `radius`; 0 for none.
    ///   - segments: The number of segments around the centre, at least 3.
    ///   - rings: The number of rings from the centre to the edge, at least 1.
    public static func disc(radius: Float = 0.5, innerRadius: Float = 0, segments: Int = 48, rings: Int = 1) -> Geometry {
        var builder = PrimitiveBuilder()
        let (radius, segments) = (PrimitiveBuilder.size(radius), PrimitiveBuilder.count(segments, atLeast: 3))
        let (hole, rings) = (min(PrimitiveBuilder.size(innerRadius), radius), PrimitiveBuilder.count(rings))
        builder.addGrid(columns: segments, rows: rings) { column, row in
            let angle = Float(column % segments) / Float(segments) * 2 * .pi
            let r = mix(hole, radius, Float(row) / Float(rings))
            let point = Vector2(sin(angle), -cos(angle))
            return PrimitiveBuilder.Vertex(
                position: Vector3(point.x * r, point.y * r, 0), normal: Vector3(0, 0, 1), tangent: .right,
                coordinate: radius > 0 ? Vector2(0.5 + point.x * r / radius / 2, 0.5 - point.y * r / radius / 2) : Vector2(0.5, 0.5))
        }
        return builder.geometry(droppingDegenerate: true)
    }
}

extension Geometry {
    /// Creates a sphere around the origin with its poles on the y axis; the centre of the texture is at +Z, its seam at −Z.
    ///
    /// - Parameters:
    ///   - radius: The radius in metres.
    ///   - segments: The number of segments around the equator, at least 3; half as many from pole to pole.
    public static func sphere(radius: Float = 0.5, segments: Int = 48) -> Geometry {
        var builder = PrimitiveBuilder()
        let radius = PrimitiveBuilder.size(radius)
        let columns = PrimitiveBuilder.count(segments, atLeast: 3)
        let rows = max(columns / 2, 2)
        builder.addGrid(columns: columns, rows: rows) { column, row in
            let (u, v) = (Float(column) / Float(columns), Float(row) / Float(rows))
            // The last column coincides with the first, and the poles are on the axis, exactly.
            let longitude = (Float(column % columns) / Float(columns) - 0.5) * 2 * .pi
            let isPole = row == 0 || row == rows
            let ring: Float = isPole ? 0 : sin(v * .pi)
            let height: Float = isPole ? (row == 0 ? 1 : -1) : cos(v * .pi)
            let normal = Vector3(sin(longitude) * ring, height, cos(longitude) * ring)
            // At a pole, each triangle has its own vertex, in the middle of its part of the texture.
            let shift = isPole ? (row == 0 ? 0.5 : -0.5) / Float(columns) : 0
            let middle = longitude + shift * 2 * .pi
            return PrimitiveBuilder.Vertex(
                position: normal * radius, normal: normal, tangent: Vector3(cos(middle), 0, -sin(middle)),
                coordinate: Vector2(u + shift, v))
        }
        return builder.geometry(droppingDegenerate: true)
    }

    /// Creates a sphere around the origin with triangles of nearly equal size, unlike `sphere`, whose triangles are smaller at the poles. Poles,
    /// texture and seam are as in `sphere`.
    ///
    /// The eight sides of an octahedron are divided in rows of equal latitude; row k from a pole has 4 k vertices.
    ///
    /// - Parameters:
    ///   - radius: The radius in metres.
    ///   - divisions: The number of divisions of each side of the octahedron, 1…1,024; the sphere has 8 · divisions² triangles.
    public static func geodesicSphere(radius: Float = 0.5, divisions: Int = 16) -> Geometry {
        var builder = PrimitiveBuilder()
        builder.addGeodesicSphere(radius: PrimitiveBuilder.size(radius), divisions: clamp(divisions, 1, 1024))
        return builder.geometry(droppingDegenerate: true)
    }
}

extension PrimitiveBuilder {
    fileprivate mutating func addGeodesicSphere(radius: Float, divisions: Int) {
        // Rows from the upper pole to the lower one. A pole has one vertex for each of the four adjacent sides.
        let counts = (0...2 * divisions).map { 4 * min($0, 2 * divisions - $0) }
        var starts: [UInt32] = []
        for (row, count) in counts.enumerated() {
            starts.append(UInt32(vertexCount))
            let v = Float(row) / Float(counts.count - 1)
            if count == 0 {
                for side in 0..<4 { add(spherePoint(u: (Float(side) + 0.5) / 4, v: v, radius: radius)) }
            } else {
                for step in 0...count { add(spherePoint(u: Float(step) / Float(count), v: v, radius: radius, isSeam: step == count)) }
            }
        }
        for row in 0..<2 * divisions { addBand(row, counts: counts, starts: starts) }
    }

    private func spherePoint(u: Float, v: Float, radius: Float, isSeam: Bool = false) -> Vertex {
        let longitude = ((isSeam ? 0 : u) - 0.5) * 2 * .pi
        let isPole = v == 0 || v == 1
        let (ring, height) = isPole ? (0, 1 - 2 * v) : (sin(v * .pi), cos(v * .pi))
        let normal = Vector3(sin(longitude) * ring, height, cos(longitude) * ring)
        return Vertex(
            position: normal * radius, normal: normal, tangent: Vector3(cos(longitude), 0, -sin(longitude)), coordinate: Vector2(u, v))
    }

    /// Adds the triangles between a row and the next one below.
    private mutating func addBand(_ row: Int, counts: [Int], starts: [UInt32]) {
        let isUpper = counts[row + 1] > counts[row]
        let (narrow, wide) = isUpper ? (row, row + 1) : (row + 1, row)
        // On each side of the octahedron, the narrow row has one vertex less.
        let (narrowStep, wideStep) = (counts[narrow] / 4, counts[wide] / 4)
        func add(_ a: UInt32, _ b: UInt32, _ c: UInt32) { if isUpper { addTriangle(a, b, c) } else { addTriangle(a, c, b) } }
        for side in 0..<4 {
            let wideStart = starts[wide] + UInt32(side * wideStep)
            let narrowStart = starts[narrow] + UInt32(counts[narrow] == 0 ? side : side * narrowStep)
            for step in 0..<UInt32(wideStep) {
                add(narrowStart + step, wideStart + step, wideStart + step + 1)
                if step > 0 { add(narrowStart + step - 1, wideStart + step, narrowStart + step) }
            }
        }
    }
}
