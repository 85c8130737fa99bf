import VitrineMath

/// Some triangles of a mesh laid into a plane, without mirroring. World unit.
struct FlatChart: Sendable {
    /// Triangles of the mesh, rising.
    var triangles: [Int32]
    /// The mesh's vertices that they use.
    var vertices: [Int32]
    /// For each of `triangles`, indices into `vertices`.
    var corners: [SIMD3<Int32>]
    /// By vertex; y points up: triangles that face us run counter-clockwise.
    var coordinates: [Vector2]

    init(_ triangles: [Int32], _ surface: SurfaceTopology) {
        self.triangles = triangles
        // Sorted, so that a corner's place is found without a table as long as the mesh.
        var used: [Int32] = []
        used.reserveCapacity(triangles.count * 3)
        for t in triangles { for k in 0..<3 { used.append(surface.triangles[Int(t)][k]) } }
        used.sort()
        var unique: [Int32] = []
        for vertex in used where unique.last != vertex { unique.append(vertex) }
        vertices = unique
        corners = triangles.map { t in
            let c = surface.triangles[Int(t)]
            return SIMD3(Self.place(c.x, unique), Self.place(c.y, unique), Self.place(c.z, unique))
        }
        coordinates = Array(repeating: .zero, count: vertices.count)
    }

    private static func place(_ vertex: Int32, _ sorted: [Int32]) -> Int32 {
        var (low, high) = (0, sorted.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if sorted[middle] <= vertex { low = middle } else { high = middle }
        }
        return Int32(low)
    }

    /// Some of the triangles, where they lie. They must be rising.
    func part(_ kept: [Int32]) -> FlatChart {
        var result = self
        (result.triangles, result.corners, result.vertices, result.coordinates) = ([], [], [], [])
        var places = [Int32](repeating: -1, count: vertices.count)
        var next = 0
        for (index, triangle) in triangles.enumerated() where next < kept.count && kept[next] == triangle {
            next += 1
            for k in 0..<3 where places[Int(corners[index][k])] < 0 {
                places[Int(corners[index][k])] = Int32(result.vertices.count)
                result.vertices.append(vertices[Int(corners[index][k])])
                result.coordinates.append(coordinates[Int(corners[index][k])])
            }
            let c = corners[index]
            result.triangles.append(triangle)
            result.corners.append(SIMD3(places[Int(c.x)], places[Int(c.y)], places[Int(c.z)]))
        }
        return result
    }

    /// Twice the signed area of a triangle in the plane.
    func doubledArea(_ index: Int) -> Float {
        let c = corners[index]
        let (a, b, d) = (coordinates[Int(c.x)], coordinates[Int(c.y)], coordinates[Int(c.z)])
        return (b.x - a.x) * (d.y - a.y) - (b.y - a.y) * (d.x - a.x)
    }

    /// Looks at the triangles along their mean normal.
    mutating func project(_ surface: SurfaceTopology) {
        var sum = Vector3.zero
        for t in triangles { sum += surface.normals[Int(t)] * surface.areas[Int(t)] }
        let axis = lengthSquared(sum) > 0 ? normalize(sum) : Vector3.up
        let right = normalize(anyPerpendicular(axis))
        let up = cross(axis, right)
        let origin = surface.positions[Int(vertices[0])]
        for (index, vertex) in vertices.enumerated() {
            let p = surface.positions[Int(vertex)] - origin
            coordinates[index] = Vector2(dot(p, right), dot(p, up))
        }
    }

    /// How the plane distorts the surface.
    struct Distortion {
        /// The number of triangles that lie mirrored.
        var flipped = 0
        /// The area-weighted mean of the larger stretch, or of the inverse of the smaller: 1 is none.
        var meanStretch: Float = 1
        /// The share of the area that is stretched or squeezed more than twofold.
        var excessiveShare: Float = 0
    }

    func distortion(_ surface: SurfaceTopology) -> Distortion {
        var result = Distortion()
        var (sum, excessive, total) = (Float(0), Float(0), Float(0))
        for (index, triangle) in triangles.enumerated() {
            let area = surface.areas[Int(triangle)]
            guard area > 1e-12 * surface.totalArea else { continue }
            if doubledArea(index) <= 0 {
                result.flipped += 1
                continue
            }
            let stretch = self.stretch(index, surface)
            sum += area * min(10, stretch)
            if stretch > 2 { excessive += area }
            total += area
        }
        if total > 0 { (result.meanStretch, result.excessiveShare) = (sum / total, excessive / total) }
        return result
    }

    /// max(σ₁, 1/σ₂) of the map from the surface to the plane.
    private func stretch(_ index: Int, _ surface: SurfaceTopology) -> Float {
        let frame = TriangleFrame(surface, Int(triangles[index]))
        let c = corners[index]
        let (a, b) = (coordinates[Int(c.y)] - coordinates[Int(c.x)], coordinates[Int(c.z)] - coordinates[Int(c.x)])
        guard frame.second.y > 0, frame.first.x > 0 else { return 1 }
        // Columns of the Jacobian.
        let dx = a / frame.first.x
        let dy = (b - dx * frame.second.x) / frame.second.y
        let (e, g, f) = (dot(dx, dx), dot(dy, dy), dot(dx, dy))
        let root = ((e - g) * (e - g) + 4 * f * f).squareRoot()
        let (large, small) = (((e + g + root) / 2).squareRoot(), (max(0, e + g - root) / 2).squareRoot())
        return max(large, small > 0 ? 1 / small : .infinity)
    }
}

/// A triangle in a plane of its own: the first corner at the origin, the second on the x axis.
struct TriangleFrame {
    /// Where the second and the third corner lie; `first.y` is 0.
    let first, second: Vector2

    init(_ surface: SurfaceTopology, _ triangle: Int) {
        let t = surface.triangles[triangle]
        let p = surface.positions[Int(t.x)]
        let (a, b) = (surface.positions[Int(t.y)] - p, surface.positions[Int(t.z)] - p)
        let base = length(a)
        first = Vector2(base, 0)
        second = base > 0 ? Vector2(dot(a, b) / base, length(cross(a, b)) / base) : .zero
    }
}
