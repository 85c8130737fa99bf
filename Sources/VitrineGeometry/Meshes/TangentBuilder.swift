/// The vectors of vertices, such as normals, in tightly packed floats.
package struct VertexVectors {
    package let values: [Float]
    /// The number of floats per vertex.
    package let stride: Int

    package init(values: [Float], stride: Int) { (self.values, self.stride) = (values, stride) }

    var count: Int { stride > 0 ? values.count / stride : 0 }
    func vector2(at vertex: Int) -> Vector2 { Vector2(values[vertex * stride], values[vertex * stride + 1]) }
    func vector3(at vertex: Int) -> Vector3 {
        let base = vertex * stride
        return Vector3(values[base], values[base + 1], values[base + 2])
    }
}

/// Computes tangents for normal maps in the convention of MikkTSpace (Mikkelsen 2008, "Simulation of Wrinkled Surfaces Revisited"), which
/// baking tools use and glTF requires.
///
/// Corners with the same position, normal, texture coordinates and handedness share a tangent: the mean of their triangles' directions of
/// increasing u, each projected onto the normal's plane and weighted by the triangle's angle at the corner. Triangles without area in space or
/// in the texture do not contribute and get their neighbours' tangent. Unlike MikkTSpace, averages two fans of triangles that touch in one point
/// without a common edge.
package struct TangentBuilder {
    /// The orientation of the texture on a triangle.
    private enum Handedness { case plain, mirrored, unknown }

    private let positions, normals, coordinates: VertexVectors
    /// The welded vertex of each vertex.
    private let welded: [Int32]
    /// The sums per welded vertex; zero without a tangent.
    private var plainSums, mirroredSums: [Vector3]
    private var handedness: [Handedness] = []

    /// Computes tangents and splits vertices at which mirrored and unmirrored triangles meet.
    ///
    /// - Parameter triangles: Three vertices per triangle.
    /// - Returns: The source vertex of each new vertex (first all vertices in their order, then the copies), the triangles over the new vertices, and
    ///   four floats per new vertex: the unit tangent and the sign of the bitangent cross(normal, tangent).
    package static func tangents(
        positions: VertexVectors, normals: VertexVectors, textureCoordinates: VertexVectors, triangles: [UInt32]
    ) -> (sources: [UInt32], indices: [UInt32], tangents: [Float]) {
        var builder = TangentBuilder(positions: positions, normals: normals, coordinates: textureCoordinates)
        builder.accumulate(triangles)
        return builder.split(triangles)
    }

    private init(positions: VertexVectors, normals: VertexVectors, coordinates: VertexVectors) {
        (self.positions, self.normals, self.coordinates) = (positions, normals, coordinates)
        var welder = VertexWelder()
        welded = (0..<positions.count).map {
            welder.identifier(positions.vector3(at: $0), normals.vector3(at: $0), coordinates.vector2(at: $0))
        }
        plainSums = Array(repeating: Vector3(repeating: 0), count: welder.count)
        mirroredSums = plainSums
    }

    // MARK: Summing

    private mutating func accumulate(_ corners: [UInt32]) {
        handedness.reserveCapacity(corners.count / 3)
        for triangle in 0..<corners.count / 3 {
            let vertices = (Int(corners[triangle * 3]), Int(corners[triangle * 3 + 1]), Int(corners[triangle * 3 + 2]))
            accumulate(vertices)
        }
    }

    private mutating func accumulate(_ v: (Int, Int, Int)) {
        let (p0, p1, p2) = (positions.vector3(at: v.0), positions.vector3(at: v.1), positions.vector3(at: v.2))
        let (direction, side) = uDirection(v, p1 - p0, p2 - p0)
        handedness.append(side)
        guard side != .unknown else { return }
        add(direction, side, at: v.0, edges: (p1 - p0, p2 - p0))
        add(direction, side, at: v.1, edges: (p2 - p1, p0 - p1))
        add(direction, side, at: v.2, edges: (p0 - p2, p1 - p2))
    }

    /// Returns the direction in which u increases on the triangle (of any length), and the orientation of the texture.
    private func uDirection(_ v: (Int, Int, Int), _ e1: Vector3, _ e2: Vector3) -> (Vector3, Handedness) {
        let origin = coordinates.vector2(at: v.0)
        let (d1, d2) = (coordinates.vector2(at: v.1) - origin, coordinates.vector2(at: v.2) - origin)
        let area = d1.x * d2.y - d1.y * d2.x
        let direction = e1 * d2.y - e2 * d1.y
        let hasArea = lengthSquared(cross(e1, e2)) > 0
        guard area != 0, area.isFinite, hasArea, direction.isFinite else { return (Vector3(repeating: 0), .unknown) }
        // v points down in the image: an unmirrored texture is clockwise in (u, v).
        return area < 0 ? (-direction, .plain) : (direction, .mirrored)
    }

    private mutating func add(_ direction: Vector3, _ side: Handedness, at vertex: Int, edges: (Vector3, Vector3)) {
        let normal = normals.vector3(at: vertex)
        func inPlane(_ vector: Vector3) -> Vector3 { normalize(vector - normal * dot(normal, vector)) }
        let contribution = inPlane(direction) * angle(between: inPlane(edges.0), inPlane(edges.1))
        let index = Int(welded[vertex])
        if side == .plain { plainSums[index] += contribution } else { mirroredSums[index] += contribution }
    }

    // MARK: Splitting

    /// Duplicates the vertices whose tangents differ, as `tangents` describes.
    private func split(_ corners: [UInt32]) -> (sources: [UInt32], indices: [UInt32], tangents: [Float]) {
        let count = positions.count
        var sources = (0..<count).map { UInt32($0) }
        /// The handedness of each vertex's first use, and the copy for the other handedness.
        var firstSide = Array(repeating: Handedness.unknown, count: count)
        var otherCopy = Array(repeating: UInt32.max, count: count)
        var indices: [UInt32] = []
        indices.reserveCapacity(corners.count)
        for (corner, vertex) in corners.enumerated() {
            let v = Int(vertex)
            let side = resolved(handedness[corner / 3], at: v)
            if firstSide[v] == .unknown { firstSide[v] = side }
            guard firstSide[v] != side else {
                indices.append(vertex)
                continue
            }
            if otherCopy[v] == .max {
                otherCopy[v] = UInt32(sources.count)
                sources.append(vertex)
            }
            indices.append(otherCopy[v])
        }
        var tangents: [Float] = []
        tangents.reserveCapacity(sources.count * 4)
        for (index, source) in sources.enumerated() {
            let first = resolved(firstSide[Int(source)], at: Int(source))
            let side = index < count ? first : (first == .plain ? .mirrored : .plain)
            let tangent = tangent(at: Int(source), side)
            tangents.append(contentsOf: [tangent.x, tangent.y, tangent.z, tangent.w])
        }
        return (sources, indices, tangents)
    }

    /// Returns the handedness of a triangle; if it is unknown, that of a neighbour at the vertex.
    private func resolved(_ side: Handedness, at vertex: Int) -> Handedness {
        guard side == .unknown else { return side }
        let index = Int(welded[vertex])
        let hasOnlyMirrored = plainSums[index] == Vector3(repeating: 0) && mirroredSums[index] != Vector3(repeating: 0)
        return hasOnlyMirrored ? .mirrored : .plain
    }

    private func tangent(at vertex: Int, _ side: Handedness) -> Vector4 {
        let index = Int(welded[vertex])
        let normal = normalize(normals.vector3(at: vertex))
        var tangent = normalize(side == .plain ? plainSums[index] : mirroredSums[index])
        if tangent == Vector3(repeating: 0) {
            tangent = anyPerpendicular(normal == Vector3(repeating: 0) ? .up : normal)
        }
        return Vector4(tangent, side == .plain ? 1 : -1)
    }
}
