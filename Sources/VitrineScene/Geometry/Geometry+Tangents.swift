import VitrineMath

extension Geometry {
    /// The same triangles with tangents for normal maps, as an indexed triangle list.
    ///
    /// The convention is that of MikkTSpace (Mikkelsen 2008, "Simulation of Wrinkled Surfaces Revisited"), which baking tools share and
    /// glTF asks for: corners with the same position, normal, texture coordinates and handedness share a tangent, the mean of their
    /// triangles' directions of growing u, each laid into the normal's plane and weighted by the triangle's angle there. Where mirrored
    /// and unmirrored triangles meet in one vertex the vertex is split. Triangles without area in space or in the texture count for
    /// nothing and take their neighbours' tangent.
    ///
    /// It differs where two fans of triangles touch in one point only, without a common edge: those are averaged here too.
    ///
    /// Takes time linear in the number of triangles, about a microsecond each.
    ///
    /// - Parameter textureCoordinateSet: The set that the normal map uses.
    /// - Throws: `.notTriangles` for points and lines; `.missing` without normals or the set.
    public func withTangents(textureCoordinateSet: Int = 0) throws(GeometryError) -> Geometry {
        guard triangleCount > 0, let positions = attribute(.position) else { throw .notTriangles }
        guard let normals = attribute(.normal) else { throw .missing(.normal) }
        guard let coordinates = attribute(.textureCoordinate(set: textureCoordinateSet)) else {
            throw .missing(.textureCoordinate(set: textureCoordinateSet))
        }
        var builder = TangentBuilder(positions: positions, normals: normals, coordinates: coordinates)
        let corners = triangleIndices
        builder.accumulate(corners)
        let (sources, indices, tangents) = builder.split(corners)
        return try rebuilt(
            vertices: sources, indices: indices, replacing: VertexAttribute(.tangent, componentCount: 4, values: tangents))
    }
}

/// Sums tangents over welded vertices, apart for each handedness.
private struct TangentBuilder {
    /// Which way round the texture lies on a triangle.
    enum Handedness { case plain, mirrored, unknown }

    let positions, normals, coordinates: VertexAttribute
    /// By vertex: which welded vertex it is.
    private let welded: [Int32]
    /// By welded vertex; a tangent of length 0 is none.
    private var plainSums, mirroredSums: [Vector3]
    private var handedness: [Handedness] = []

    init(positions: VertexAttribute, normals: VertexAttribute, coordinates: VertexAttribute) {
        (self.positions, self.normals, self.coordinates) = (positions, normals, coordinates)
        var welder = VertexWelder()
        welded = (0..<positions.vertexCount).map {
            welder.identifier(positions.vector3(at: $0), normals.vector3(at: $0), coordinates.vector2(at: $0))
        }
        plainSums = Array(repeating: Vector3(repeating: 0), count: welder.count)
        mirroredSums = plainSums
    }

    // MARK: Summing

    mutating func accumulate(_ corners: [UInt32]) {
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

    /// The direction in which u grows on the triangle (of any length), and how the texture lies on it.
    private func uDirection(_ v: (Int, Int, Int), _ e1: Vector3, _ e2: Vector3) -> (Vector3, Handedness) {
        let origin = coordinates.vector2(at: v.0)
        let (d1, d2) = (coordinates.vector2(at: v.1) - origin, coordinates.vector2(at: v.2) - origin)
        let area = d1.x * d2.y - d1.y * d2.x
        let direction = e1 * d2.y - e2 * d1.y
        let hasArea = lengthSquared(cross(e1, e2)) > 0
        guard area != 0, area.isFinite, hasArea, direction.isFinite else { return (Vector3(repeating: 0), .unknown) }
        // v points down in the picture: a texture that reads rightly runs clockwise in (u, v).
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

    /// The vertices to copy, the triangles made of them, and four floats of tangent for each.
    func split(_ corners: [UInt32]) -> (sources: [UInt32], indices: [UInt32], tangents: [Float]) {
        let count = positions.vertexCount
        var sources = (0..<count).map { UInt32($0) }
        /// By vertex: the side it was first used with, and the copy for the other side.
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

    /// A triangle that doesn't know its side goes with one that meets it in the vertex.
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
