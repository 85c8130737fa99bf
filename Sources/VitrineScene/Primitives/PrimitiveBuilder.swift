import VitrineMath

/// Collects the vertices and triangles of a shape.
struct PrimitiveBuilder {
    struct Vertex {
        var position, normal: Vector3
        /// The direction of increasing u; the texture is never mirrored.
        var tangent: Vector3
        var coordinate: Vector2
    }

    private var positions: [Float] = []
    private var normals: [Float] = []
    private var tangents: [Float] = []
    private var coordinates: [Float] = []
    private var indices: [UInt32] = []
    /// The first index of each piece of a shape.
    private var pieces: [(side: Shape.Side, start: Int)] = []

    var vertexCount: Int { positions.count / 3 }

    // MARK: Adding

    /// Begins the piece of this side.
    mutating func begin(_ side: Shape.Side) { pieces.append((side, indices.count)) }

    /// Adds a grid of `columns` × `rows` cells, seen from its front: columns to the right, rows down.
    mutating func addGrid(columns: Int, rows: Int, vertex: (_ column: Int, _ row: Int) -> Vertex) {
        let base = UInt32(vertexCount)
        for row in 0...rows {
            for column in 0...columns { add(vertex(column, row)) }
        }
        let stride = UInt32(columns + 1)
        for row in 0..<UInt32(rows) {
            for column in 0..<UInt32(columns) {
                let upperLeft = base + row * stride + column
                let lowerLeft = upperLeft + stride
                // The diagonal starts at the lower left, so that the upper left corner can be a pole.
                indices.append(contentsOf: [upperLeft, lowerLeft, lowerLeft + 1, upperLeft, lowerLeft + 1, upperLeft + 1])
            }
        }
    }

    mutating func add(_ vertex: Vertex) {
        positions.append(contentsOf: [vertex.position.x, vertex.position.y, vertex.position.z])
        normals.append(contentsOf: [vertex.normal.x, vertex.normal.y, vertex.normal.z])
        tangents.append(contentsOf: [vertex.tangent.x, vertex.tangent.y, vertex.tangent.z, 1])
        coordinates.append(contentsOf: [vertex.coordinate.x, vertex.coordinate.y])
    }

    /// Adds a triangle of vertex indices, counter-clockwise from the front.
    mutating func addTriangle(_ a: UInt32, _ b: UInt32, _ c: UInt32) { indices.append(contentsOf: [a, b, c]) }

    // MARK: Result

    /// Returns all triangles as one geometry.
    ///
    /// - Parameter droppingDegenerate: Whether to remove triangles with two corners at the same position.
    func geometry(droppingDegenerate: Bool = false) -> Geometry { geometry(of: indices[...], droppingDegenerate: droppingDegenerate) }

    /// Returns the pieces as separate geometries, without triangles with two corners at the same position.
    func shape() -> Shape {
        var parts: [(side: Shape.Side, geometry: Geometry)] = []
        for (number, piece) in pieces.enumerated() {
            let end = number + 1 < pieces.count ? pieces[number + 1].start : indices.count
            let geometry = geometry(of: indices[piece.start..<end], droppingDegenerate: true)
            if geometry.triangleCount > 0 { parts.append((side: piece.side, geometry: geometry)) }
        }
        return Shape(parts: parts)
    }

    private func geometry(of triangles: ArraySlice<UInt32>, droppingDegenerate: Bool) -> Geometry {
        func position(_ index: UInt32) -> Vector3 {
            let base = Int(index) * 3
            return Vector3(positions[base], positions[base + 1], positions[base + 2])
        }
        var kept: [UInt32] = []
        for base in stride(from: triangles.startIndex, to: triangles.endIndex, by: 3) {
            let (a, b, c) = (triangles[base], triangles[base + 1], triangles[base + 2])
            let isDegenerate = position(a) == position(b) || position(b) == position(c) || position(c) == position(a)
            if !droppingDegenerate || !isDegenerate { kept.append(contentsOf: [a, b, c]) }
        }
        let used = usedVertices(&kept)
        func gathered(_ values: [Float], _ componentCount: Int) -> [Float] {
            used.flatMap { values[Int($0) * componentCount..<(Int($0) + 1) * componentCount] }
        }
        let attributes = [
            VertexAttribute(.position, componentCount: 3, values: gathered(positions, 3)),
            VertexAttribute(.normal, componentCount: 3, values: gathered(normals, 3)),
            VertexAttribute(.tangent, componentCount: 4, values: gathered(tangents, 4)),
            VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: gathered(coordinates, 2)),
        ]
        do {
            return try Geometry(attributes: attributes, indices: kept)
        } catch {
            preconditionFailure("streams of equal length, indices in range")
        }
    }

    /// Returns the vertices that triangles use, in their order, and renumbers the triangles.
    private func usedVertices(_ triangles: inout [UInt32]) -> [UInt32] {
        var newNumbers = Array(repeating: UInt32.max, count: positions.count / 3)
        for vertex in triangles { newNumbers[Int(vertex)] = 0 }
        var used: [UInt32] = []
        for vertex in newNumbers.indices where newNumbers[vertex] == 0 {
            newNumbers[vertex] = UInt32(used.count)
            used.append(UInt32(vertex))
        }
        for corner in triangles.indices { triangles[corner] = newNumbers[Int(triangles[corner])] }
        return used
    }
}

extension PrimitiveBuilder {
    /// Returns a size for shapes: 0 for anything but a positive, finite number.
    static func size(_ value: Float) -> Float { value > 0 && value.isFinite ? value : 0 }

    /// Returns a number of segments, clamped to limit memory.
    static func count(_ value: Int, atLeast least: Int = 1) -> Int { clamp(value, least, 4096) }
}

extension PrimitiveBuilder {
    /// A point of a profile that is revolved about the y axis.
    struct ProfilePoint {
        var radius, height: Float
        /// The unit normal: the component away from the axis, and the upward component.
        var normal: Vector2
        var v: Float
    }

    /// Revolves a profile about the y axis. Its points run from the upper edge of the texture to the lower one as seen from the front. The centre of
    /// the texture is at +Z, its seam at −Z.
    ///
    /// - Parameter facesAxis: Whether the front faces the axis.
    mutating func addRevolution(_ profile: [ProfilePoint], segments: Int, facesAxis: Bool = false) {
        let side: Float = facesAxis ? -1 : 1
        addGrid(columns: segments, rows: profile.count - 1) { column, row in
            let point = profile[row]
            // At a pole, each triangle has its own vertex, in the middle of its part of the texture.
            let isPole = point.radius == 0 && (row == 0 || row == profile.count - 1)
            let shift = isPole ? (row == 0 ? 0.5 : -0.5) / Float(segments) : 0
            let (sine, cosine) = PrimitiveBuilder.direction(facesAxis ? segments - column : column, of: segments)
            let middle = (Float(column) / Float(segments) + shift - 0.5) * 2 * .pi * side
            let (leanSine, leanCosine) = isPole ? (sin(middle), cos(middle)) : (sine, cosine)
            return Vertex(
                position: Vector3(sine * point.radius, point.height, cosine * point.radius),
                normal: Vector3(leanSine * point.normal.x, point.normal.y, leanCosine * point.normal.x),
                tangent: Vector3(leanCosine, 0, -leanSine) * side,
                coordinate: Vector2(Float(column) / Float(segments) + shift, point.v))
        }
    }

    /// Adds a disc or ring about the y axis, facing up or down. The texture fits the disc: upright from above when −Z is up, from below when +Z is up.
    mutating func addCap(radius: Float, innerRadius: Float = 0, height: Float, segments: Int, facesUp: Bool, rings: Int = 1) {
        let up: Float = facesUp ? 1 : -1
        addGrid(columns: segments, rows: rings) { column, row in
            let outward = Float(facesUp ? row : rings - row) / Float(rings)
            let r = mix(innerRadius, radius, outward)
            let (sine, cosine) = PrimitiveBuilder.direction(column, of: segments)
            let scale = radius > 0 ? r / radius / 2 : 0
            return Vertex(
                position: Vector3(sine * r, height, cosine * r), normal: Vector3(0, up, 0), tangent: .right,
                coordinate: Vector2(0.5 + sine * scale, 0.5 + cosine * scale * up))
        }
    }

    /// Returns sine and cosine of a column's longitude; those of the last column equal those of the first.
    private static func direction(_ column: Int, of segments: Int) -> (Float, Float) {
        let longitude = (Float(column % segments) / Float(segments) - 0.5) * 2 * .pi
        return (sin(longitude), cos(longitude))
    }
}
