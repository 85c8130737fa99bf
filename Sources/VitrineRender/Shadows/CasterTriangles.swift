import VitrineMath
import VitrineScene

/// The triangles of a small mesh that casts shadows, for its distance from a light that its box contains: a room, or a floor that bends up into a wall.
///
/// The distance of the nearest caster bounds the distance from the light's ray in which the shader searches for blockers.
struct CasterTriangles {
    private static let largestCount = 4096

    private let positions: [Float]
    private let indices: [UInt32]
    private let worldFromLocal: Matrix4

    /// nil if there are too many.
    init?(_ geometry: Geometry, worldFromLocal: Matrix4) {
        guard geometry.triangleCount > 0, geometry.triangleCount <= Self.largestCount, let attribute = geometry.attribute(.position),
            attribute.componentCount == 3
        else { return nil }
        (positions, indices, self.worldFromLocal) = (attribute.values, geometry.triangleIndices, worldFromLocal)
    }

    /// The distance to the nearest triangle; infinity without one.
    ///
    /// - Parameter axis: Triangles that lie behind the plane through the point across it do not count; nil: all do.
    func distance(to point: Vector3, ahead axis: Vector3?) -> Float {
        func corner(_ index: UInt32) -> Vector3 {
            let base = 3 * Int(index)
            return worldFromLocal.transform(point: Vector3(positions[base], positions[base + 1], positions[base + 2])) - point
        }
        var nearest = Float.infinity
        for base in stride(from: 0, to: indices.count - 2, by: 3) {
            let (a, b, c) = (corner(indices[base]), corner(indices[base + 1]), corner(indices[base + 2]))
            if let axis, dot(a, axis) <= 0, dot(b, axis) <= 0, dot(c, axis) <= 0 { continue }
            let squared = Self.squaredDistance(a, b, c)
            if squared < nearest { nearest = squared }
        }
        return nearest.squareRoot()
    }

    /// Returns the squared distance from the origin to a triangle: to its plane if the foot lies inside, otherwise to its nearest edge.
    static func squaredDistance(_ a: Vector3, _ b: Vector3, _ c: Vector3) -> Float {
        let normal = cross(b - a, c - a)
        let size = dot(normal, normal)
        if size > 0, dot(cross(b - a, -a), normal) >= 0, dot(cross(c - b, -b), normal) >= 0, dot(cross(a - c, -c), normal) >= 0 {
            let height = dot(a, normal)
            return height * height / size
        }
        return min(edge(a, b), min(edge(b, c), edge(c, a)))
    }

    private static func edge(_ a: Vector3, _ b: Vector3) -> Float {
        let along = b - a
        let size = dot(along, along)
        let nearest = a + along * (size > 0 ? clamp(-dot(a, along) / size, 0, 1) : 0)
        return dot(nearest, nearest)
    }
}
