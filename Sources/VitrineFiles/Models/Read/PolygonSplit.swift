import VitrineMath

/// Triangulates polygons: convex ones as fans from the first corner, others by ear clipping (Meisters 1975).
enum PolygonSplit {
    /// Polygons with more corners are split from the first corner: ear clipping takes quadratic time.
    private static let limit = 4096

    /// - Parameter points: The corners in order, in one plane or nearly so.
    /// - Returns: Three corner numbers per triangle, `points.count − 2` triangles, with the orientation of the polygon.
    static func triangles(_ points: [Vector3]) -> [Int] {
        let count = points.count
        guard count > 3 else { return count == 3 ? [0, 1, 2] : [] }
        let flat = flattened(points)
        let isConvex = (0..<count).allSatisfy { turn(flat[$0], flat[($0 + 1) % count], flat[($0 + 2) % count]) >= 0 }
        return isConvex || count > limit ? fan(Array(0..<count)) : ears(flat)
    }

    private static func fan(_ corners: [Int]) -> [Int] { (2..<corners.count).flatMap { [corners[0], corners[$0 - 1], corners[$0]] } }

    /// Projects the polygon to the plane perpendicular to its normal (Newell's), counter-clockwise.
    private static func flattened(_ points: [Vector3]) -> [Vector2] {
        var normal = Vector3(repeating: 0)
        for (index, point) in points.enumerated() {
            let next = points[(index + 1) % points.count]
            normal += cross(point - points[0], next - points[0])
        }
        let size = Vector3(abs(normal.x), abs(normal.y), abs(normal.z))
        if size.z >= size.x, size.z >= size.y { return points.map { Vector2(normal.z < 0 ? -$0.x : $0.x, $0.y) } }
        if size.x >= size.y { return points.map { Vector2(normal.x < 0 ? -$0.y : $0.y, $0.z) } }
        return points.map { Vector2(normal.y < 0 ? -$0.z : $0.z, $0.x) }
    }

    /// Returns twice the area of the triangle, positive if it turns left.
    private static func turn(_ a: Vector2, _ b: Vector2, _ c: Vector2) -> Float {
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    }

    private static func ears(_ points: [Vector2]) -> [Int] {
        var left = Array(points.indices)
        var result: [Int] = []
        while left.count > 3 {
            // A self-intersecting polygon may have no ear: the rest becomes a fan from its first corner.
            guard let ear = left.indices.first(where: { isEar($0, left, points) }) else { break }
            result += [left[(ear + left.count - 1) % left.count], left[ear], left[(ear + 1) % left.count]]
            left.remove(at: ear)
        }
        return result + fan(left)
    }

    private static func isEar(_ place: Int, _ left: [Int], _ points: [Vector2]) -> Bool {
        let (before, after) = ((place + left.count - 1) % left.count, (place + 1) % left.count)
        let (a, b, c) = (points[left[before]], points[left[place]], points[left[after]])
        guard turn(a, b, c) > 0 else { return false }
        for other in left.indices where other != before && other != place && other != after {
            let point = points[left[other]]
            if point == a || point == b || point == c { continue }
            if turn(a, b, point) >= 0, turn(b, c, point) >= 0, turn(c, a, point) >= 0 { return false }
        }
        return true
    }
}
