import VitrineMath
import VitrineVision

/// Polygons in a plane's own coordinates: x, and z in place of y.
///
/// With x to the right and z towards the viewer, as on a floor seen from above, "counterclockwise from above" is clockwise in (x, z): the
/// sign is turned here once, so that outlines run counterclockwise as seen from where the normal points.
enum Outline {
    /// Twice the signed area of a triangle, positive where it is counterclockwise as seen from the normal's side.
    static func turn(_ a: Vector2d, _ b: Vector2d, _ c: Vector2d) -> Double {
        (b.y - a.y) * (c.x - a.x) - (b.x - a.x) * (c.y - a.y)
    }

    static func signedArea(_ polygon: [Vector2d]) -> Double {
        guard polygon.count > 2 else { return 0 }
        var sum = 0.0
        for i in 1..<(polygon.count - 1) { sum += turn(polygon[0], polygon[i], polygon[i + 1]) }
        return sum / 2
    }

    static func area(_ polygon: [Vector2d]) -> Double { abs(signedArea(polygon)) }

    /// By the crossings of a ray; the edge itself is neither in nor out.
    static func contains(_ polygon: [Vector2d], _ point: Vector2d) -> Bool {
        var inside = false
        var previous = polygon.count - 1
        for i in polygon.indices {
            let (a, b) = (polygon[i], polygon[previous])
            if (a.y > point.y) != (b.y > point.y), point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x { inside.toggle() }
            previous = i
        }
        return inside
    }

    /// Metres from the polygon; 0 inside.
    static func distance(_ polygon: [Vector2d], _ point: Vector2d) -> Double {
        guard !contains(polygon, point) else { return 0 }
        var best = Double.infinity
        var previous = polygon.count - 1
        for i in polygon.indices {
            best = min(best, squaredDistance(point, polygon[previous], polygon[i]))
            previous = i
        }
        return best.squareRoot()
    }

    static func squaredDistance(_ point: Vector2d, _ a: Vector2d, _ b: Vector2d) -> Double {
        let along = b - a
        let squared = (along * along).sum()
        let share = squared > 0 ? min(max(((point - a) * along).sum() / squared, 0), 1) : 0
        let rest = point - a - along * share
        return (rest * rest).sum()
    }

    /// The convex hull (Andrew 1979, monotone chain), counterclockwise as seen from the normal's side.
    static func hull(_ points: [Vector2d]) -> [Vector2d] {
        let sorted = points.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
        guard sorted.count > 2 else { return [] }
        let hull = chain(sorted) + chain(sorted.reversed())
        return hull.count > 2 ? hull : []
    }

    private static func chain(_ points: some Sequence<Vector2d>) -> [Vector2d] {
        var chain: [Vector2d] = []
        for point in points {
            while chain.count > 1, turn(chain[chain.count - 2], chain[chain.count - 1], point) <= 1e-12 { chain.removeLast() }
            chain.append(point)
        }
        chain.removeLast()
        return chain
    }

    /// At most `limit` corners: those whose corner triangle is smallest go first (Visvalingam & Whyatt 1993), and all below `smallest`
    /// square metres.
    static func simplified(_ polygon: [Vector2d], limit: Int, smallest: Double = 0) -> [Vector2d] {
        var result = polygon
        func area(_ i: Int) -> Double {
            abs(turn(result[(i + result.count - 1) % result.count], result[i], result[(i + 1) % result.count])) / 2
        }
        var areas = result.indices.map(area)
        while result.count > 3 {
            var index = 0
            for i in 1..<areas.count where areas[i] < areas[index] { index = i }
            guard result.count > limit || areas[index] <= smallest else { break }
            result.remove(at: index)
            areas.remove(at: index)
            for neighbour in [(index + result.count - 1) % result.count, index % result.count] { areas[neighbour] = area(neighbour) }
        }
        return result
    }

    /// Cuts off ears; leaves out the rest of a polygon that crosses itself.
    static func triangles(_ polygon: [Vector2d]) -> [Int] {
        var (rest, result) = (Array(polygon.indices), [Int]())
        while rest.count > 2 {
            guard let ear = rest.indices.first(where: { isEar($0, of: rest, polygon) }) else { break }
            let count = rest.count
            result += [rest[(ear + count - 1) % count], rest[ear], rest[(ear + 1) % count]]
            rest.remove(at: ear)
        }
        return result
    }

    private static func isEar(_ index: Int, of rest: [Int], _ polygon: [Vector2d]) -> Bool {
        let count = rest.count
        let (i, j, k) = (rest[(index + count - 1) % count], rest[index], rest[(index + 1) % count])
        let (a, b, c) = (polygon[i], polygon[j], polygon[k])
        guard turn(a, b, c) >= 0 else { return false }
        return rest.allSatisfy { other in
            if other == i || other == j || other == k { return true }
            let p = polygon[other]
            return !(turn(a, b, p) > 0 && turn(b, c, p) > 0 && turn(c, a, p) > 0)
        }
    }
}
