import VitrineMath
import VitrineScene
import VitrineVision

/// The surface before simplification, for ray casts above and below a point.
struct DetailSurface: Sendable {
    let surface: SurfaceTopology
    let normals: [Vector3]
    let hierarchy: TriangleHierarchy
    /// The length of the rays, up and down. World unit.
    let reach: Float

    /// World units per step of a 16-bit height.
    var heightUnit: Float { reach / 32767 }

    init(_ mesh: TriangleMesh) throws(TextureError) {
        surface = try SurfaceTopology(mesh)
        normals = surface.vertexNormals()
        hierarchy = TriangleHierarchy(
            positions: surface.positions.flatMap { [$0.x, $0.y, $0.z] },
            indices: surface.triangles.flatMap { [UInt32($0.x), UInt32($0.y), UInt32($0.z)] })
        // The reduction moves a surface by far less than a hundredth of its size.
        reach = surface.diameter / 100
    }
}

/// Casts rays to a detailed surface for consecutive points: neighbouring points usually hit the same triangle, or a neighbour.
struct DetailProbe {
    struct Hit {
        /// Unit, smooth over the detailed surface.
        var normal: Vector3
        /// The height along the ray's direction, in the world's unit.
        var height: Float
    }

    private let detail: DetailSurface
    private var last = -1

    init(_ detail: DetailSurface) { self.detail = detail }

    /// The point of the detailed surface nearest to a point along a unit direction, either way; nil without one, or if it faces away.
    mutating func nearest(_ point: Vector3, along direction: Vector3) -> Hit? {
        if last >= 0 {
            if let hit = meet(last, point, direction) { return hit }
            for k in 0..<3 {
                let neighbor = Int(detail.surface.neighbors[3 * last + k])
                if neighbor >= 0, let hit = meet(neighbor, point, direction) {
                    last = neighbor
                    return hit
                }
            }
        }
        let up = detail.hierarchy.nearest(Ray(origin: point, direction: direction), within: detail.reach)
        let down = detail.hierarchy.nearest(Ray(origin: point, direction: -direction), within: up?.distance ?? detail.reach)
        guard let found = down ?? up, let hit = meet(found.triangle, point, direction, isCertain: true) else { return nil }
        last = found.triangle
        return hit
    }

    /// The intersection of the line through the point with a triangle that faces along the direction.
    private func meet(_ triangle: Int, _ point: Vector3, _ direction: Vector3, isCertain: Bool = false) -> Hit? {
        let t = detail.surface.triangles[triangle]
        let (a, b, c) = (detail.surface.positions[Int(t.x)], detail.surface.positions[Int(t.y)], detail.surface.positions[Int(t.z)])
        let (e, f) = (b - a, c - a)
        let doubled = cross(e, f)
        let slope = dot(doubled, direction)
        // Möller and Trumbore (1997), for a line.
        guard slope > 0 else { return nil }
        let offset = point - a
        let turned = cross(direction, offset)
        let (u, v) = (dot(f, turned) / slope, dot(e, turned) / -slope)
        let height = -dot(offset, doubled) / slope
        guard abs(height) <= detail.reach else { return nil }
        let slack: Float = isCertain ? 1e-3 : 0
        guard isCertain || (u >= -slack && v >= -slack && u + v <= 1 + slack) else { return nil }
        let normal = detail.normals[Int(t.x)] * (1 - u - v) + detail.normals[Int(t.y)] * u + detail.normals[Int(t.z)] * v
        return Hit(normal: normalize(normal), height: height)
    }
}
