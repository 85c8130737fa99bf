import VitrineGeometry

/// A projection of texture coordinates onto a shape, fitted to a box.
///
/// The box maps to 0…1 in each direction.
public enum TextureProjection: Equatable, Hashable, Sendable {
    /// A parallel, upright projection onto the side of the box that faces this local direction most: (0, 0, 1) projects from the front; (0, 1, 0) from
    /// above, with −Z up.
    case planar(facing: Vector3)
    /// A projection along the axis that each triangle faces most, as on the faces of a box (triplanar).
    case box
    /// A projection around the y axis, centred on +Z; v from the top to the bottom.
    case cylindrical
    /// A projection around the y axis, centred on +Z; v by the angle from the top, as seen from the centre of the box.
    case spherical
}

extension Geometry {
    /// Returns the same triangles with projected texture coordinates, as an indexed triangle list. Recomputes tangents if `set` is 0.
    ///
    /// Splits vertices whose triangles need different coordinates: at edges of `.box`, and at the seam (−Z) of `.cylindrical` and `.spherical`,
    /// where u exceeds 1, for a texture that repeats.
    ///
    /// - Parameters:
    ///   - projection: The kind of projection.
    ///   - box: The box to which the texture is fitted, in metres in the local frame; nil for the geometry's bounds.
    ///   - set: The index of the set of texture coordinates.
    /// - Throws: `.notTriangles` for points and lines.
    public func projectingTexture(
        _ projection: TextureProjection, within box: BoundingBox? = nil, set: Int = 0
    ) throws(GeometryError) -> Geometry {
        guard triangleCount > 0, let positions = attribute(.position) else { throw .notTriangles }
        let projector = TextureProjector(projection: projection, box: box ?? bounds)
        var splitter = VertexSplitter(vertexCount: vertexCount)
        var indices: [UInt32] = []
        forEachTriangle { _, a, b, c in
            let points = (positions.vector3(at: a), positions.vector3(at: b), positions.vector3(at: c))
            let coordinates = projector.coordinates(of: points)
            indices.append(splitter.vertex(a, coordinates.0))
            indices.append(splitter.vertex(b, coordinates.1))
            indices.append(splitter.vertex(c, coordinates.2))
        }
        let projected = try rebuilt(
            vertices: splitter.sources, indices: indices, replacing: VertexAttribute(.textureCoordinate(set: set), splitter.coordinates))
        return try projected.withTangentsUpToDate(set: set)
    }
}

/// Copies a vertex for each distinct texture coordinate.
private struct VertexSplitter {
    private(set) var sources: [UInt32] = []
    private(set) var coordinates: [Vector2] = []
    /// The copies of each vertex.
    private var copies: [[UInt32]]

    init(vertexCount: Int) { copies = Array(repeating: [], count: vertexCount) }

    mutating func vertex(_ source: Int, _ coordinate: Vector2) -> UInt32 {
        if let known = copies[source].first(where: { coordinates[Int($0)] == coordinate }) { return known }
        let new = UInt32(sources.count)
        sources.append(UInt32(source))
        coordinates.append(coordinate)
        copies[source].append(new)
        return new
    }
}

private struct TextureProjector {
    let projection: TextureProjection
    let box: BoundingBox

    func coordinates(of points: (Vector3, Vector3, Vector3)) -> (Vector2, Vector2, Vector2) {
        switch projection {
        case .planar(let facing): return flat(points, facing: facing)
        case .box: return flat(points, facing: cross(points.1 - points.0, points.2 - points.0))
        case .cylindrical, .spherical: return around(points)
        }
    }

    /// Projects onto the box's face that faces this direction most, upright as on `Geometry.box`.
    private func flat(_ points: (Vector3, Vector3, Vector3), facing: Vector3) -> (Vector2, Vector2, Vector2) {
        let size = facing.magnitudes
        let (right, up): (Vector3, Vector3)
        if size.z >= size.x, size.z >= size.y {
            (right, up) = (facing.z >= 0 ? .right : -.right, .up)
        } else if size.x >= size.y {
            (right, up) = (Vector3(0, 0, facing.x >= 0 ? -1 : 1), .up)
        } else {
            (right, up) = (.right, Vector3(0, 0, facing.y >= 0 ? -1 : 1))
        }
        func coordinate(_ point: Vector3) -> Vector2 {
            let inBox = point - box.center
            return Vector2(
                share(dot(inBox, right), of: dot(right.magnitudes, box.size)), share(-dot(inBox, up), of: dot(up.magnitudes, box.size)))
        }
        return (coordinate(points.0), coordinate(points.1), coordinate(points.2))
    }

    private func share(_ value: Float, of extent: Float) -> Float { extent > 0 ? value / extent + 0.5 : 0.5 }

    /// Projects around the axis. In a triangle across the seam, u exceeds 1; a corner on the axis gets the mean of the other two.
    private func around(_ points: (Vector3, Vector3, Vector3)) -> (Vector2, Vector2, Vector2) {
        let corners = [points.0, points.1, points.2].map { $0 - box.center }
        var u = corners.map { atan2($0.x, $0.z) / (2 * .pi) + 0.5 }
        let isOnAxis = corners.map { max(abs($0.x), abs($0.z)) <= box.radius * 1e-6 }
        let known = (0..<3).filter { !isOnAxis[$0] }
        let (least, most) = (known.map { u[$0] }.min() ?? 0, known.map { u[$0] }.max() ?? 0)
        if most - least > 0.5 {
            for corner in known where u[corner] < 0.5 { u[corner] += 1 }
        }
        if !known.isEmpty {
            let middle = known.reduce(0) { $0 + u[$1] } / Float(known.count)
            for corner in 0..<3 where isOnAxis[corner] { u[corner] = middle }
        }
        let v = corners.map { corner in
            projection == .cylindrical
                ? share(-corner.y, of: box.size.y) : atan2(length(Vector2(corner.x, corner.z)), corner.y) / .pi
        }
        return (Vector2(u[0], v[0]), Vector2(u[1], v[1]), Vector2(u[2], v[2]))
    }
}
