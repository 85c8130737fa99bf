import VitrineMath

// Shapes that need no file. All have normals, texture coordinates (set 0) and tangents, and face outwards.
//
// A size that is negative, infinite or not a number counts as 0; a shape of size 0 is flat, or empty where nothing has area. How often
// something is divided is held to 4,096.

extension Geometry {
    /// A rectangle around the origin in the plane z = 0, facing +Z, the texture upright.
    ///
    /// - Parameters:
    ///   - width: Along x, metres.
    ///   - height: Along y, metres.
    ///   - cornerRadius: Of round corners, metres, inside the rectangle; held to half the shorter side. The texture stays where it is.
    ///   - segments: How often each side is divided, at least 1; with round corners, the part between them.
    ///   - cornerSegments: How often a round corner is divided, at least 1.
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
            // Where corners are round, the outer columns are shorter.
            let shortening = columns[column].missing
            let share = Float(row) / Float(rows)
            let v = shortening > 0 ? (shortening + (height - 2 * shortening) * share) / height : share
            return PrimitiveBuilder.Vertex(
                position: Vector3((u - 0.5) * width, (0.5 - v) * height, 0), normal: Vector3(0, 0, 1), tangent: .right,
                coordinate: Vector2(u, v))
        }
        return builder.geometry(droppingDegenerate: radius > 0)
    }

    /// Where the columns of a plane lie, 0…1, and how much of its height is missing at each end, metres.
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

    /// A large rectangle in the plane y = 0, facing +Y, for things to stand on.
    ///
    /// - Parameters:
    ///   - width: Along x, metres.
    ///   - length: Along z, metres.
    ///   - textureSize: Metres that the texture covers before it repeats, upright from above when −Z is up; its upper left corner lies
    ///     in the origin. nil: the texture covers the whole floor once.
    ///   - segments: How often each side is divided, at least 1.
    public static func floor(width: Float = 100, length: Float = 100, textureSize: Float? = 1, segments: (Int, Int) = (1, 1)) -> Geometry {
        var builder = PrimitiveBuilder()
        let size = Vector2(PrimitiveBuilder.size(width), PrimitiveBuilder.size(length))
        let (columns, rows) = (PrimitiveBuilder.count(segments.0), PrimitiveBuilder.count(segments.1))
        let repeats = textureSize.map { $0 > 0 && $0.isFinite ? $0 : 1 }
        builder.addGrid(columns: columns, rows: rows) { column, row in
            let share = Vector2(Float(column) / Float(columns), Float(row) / Float(rows))
            let place = (share - 0.5) * size
            return PrimitiveBuilder.Vertex(
                position: Vector3(place.x, 0, place.y), normal: .up, tangent: .right, coordinate: repeats.map { place / $0 } ?? share)
        }
        return builder.geometry()
    }

    /// A disc or ring around the origin in the plane z = 0, facing +Z, the texture upright around its edge.
    ///
    /// - Parameters:
    ///   - radius: Metres.
    ///   - innerRadius: Of the hole, metres, at most `radius`; 0: none.
    ///   - segments: Around, at least 3. rings: From the middle to the edge, at least 1.
    public static func disc(radius: Float = 0.5, innerRadius: Float = 0, segments: Int = 48, rings: Int = 1) -> Geometry {
        var builder = PrimitiveBuilder()
        let (radius, segments) = (PrimitiveBuilder.size(radius), PrimitiveBuilder.count(segments, atLeast: 3))
        let (hole, rings) = (min(PrimitiveBuilder.size(innerRadius), radius), PrimitiveBuilder.count(rings))
        builder.addGrid(columns: segments, rows: rings) { column, row in
            let angle = Float(column % segments) / Float(segments) * 2 * .pi
            let r = mix(hole, radius, Float(row) / Float(rings))
            let place = Vector2(sin(angle), -cos(angle))
            return PrimitiveBuilder.Vertex(
                position: Vector3(place.x * r, place.y * r, 0), normal: Vector3(0, 0, 1), tangent: .right,
                coordinate: radius > 0 ? Vector2(0.5 + place.x * r / radius / 2, 0.5 - place.y * r / radius / 2) : Vector2(0.5, 0.5))
        }
        return builder.geometry(droppingDegenerate: true)
    }
}

extension Geometry {
    /// A sphere around the origin, poles on the y axis; the middle of the texture lies towards +Z, its seam towards −Z.
    ///
    /// - Parameters: radius: Metres. segments: Facets around the equator, at least 3; half as many from pole to pole.
    public static func sphere(radius: Float = 0.5, segments: Int = 48) -> Geometry {
        var builder = PrimitiveBuilder()
        let radius = PrimitiveBuilder.size(radius)
        let columns = PrimitiveBuilder.count(segments, atLeast: 3)
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

    /// A sphere around the origin of triangles that are about equally large everywhere, where `sphere` crowds them at its poles. Poles,
    /// texture and seam lie as there.
    ///
    /// An octahedron's eight sides are divided in rows of equal latitude; row k from a pole has 4 k vertices.
    ///
    /// - Parameters: radius: Metres. divisions: Of each side of the octahedron, 1…1,024; 8 · divisions² triangles.
    public static func geodesicSphere(radius: Float = 0.5, divisions: Int = 16) -> Geometry {
        var builder = PrimitiveBuilder()
        builder.addGeodesicSphere(radius: PrimitiveBuilder.size(radius), divisions: clamp(divisions, 1, 1024))
        return builder.geometry(droppingDegenerate: true)
    }
}

extension PrimitiveBuilder {
    fileprivate mutating func addGeodesicSphere(radius: Float, divisions: Int) {
        // Rows from the upper pole to the lower one. A pole has a vertex for each of the four sides that meet there.
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

    /// The triangles between a row and the next one down.
    private mutating func addBand(_ row: Int, counts: [Int], starts: [UInt32]) {
        let isUpper = counts[row + 1] > counts[row]
        let (narrow, wide) = isUpper ? (row, row + 1) : (row + 1, row)
        // On each side of the octahedron the narrow row has one vertex less.
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
