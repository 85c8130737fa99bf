import VitrineMath

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
