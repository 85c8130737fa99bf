import VitrineMath
import VitrineVision

/// Polygons in the frame of a plane, with its x and z as x and y.
///
/// A polygon that is counterclockwise as seen from the side of the normal (y) is clockwise in (x, z): signs are the opposite of those of `Polygon`.
enum Outline {
    /// Twice the signed area of a triangle, positive if it is counterclockwise as seen from the side of the normal.
    static func signedDoubleArea(_ a: Vector2d, _ b: Vector2d, _ c: Vector2d) -> Double { -Polygon.signedDoubleArea(a, b, c) }

    /// Positive for corners in counterclockwise order as seen from the side of the normal.
    static func signedArea(_ polygon: [Vector2d]) -> Double { -Polygon.signedArea(polygon) }

    /// The convex hull, counterclockwise as seen from the side of the normal; empty without area.
    static func hull(_ points: [Vector2d]) -> [Vector2d] {
        let hull = Polygon.convexHull(points, smallest: 1e-12)
        return hull.count > 2 ? [hull[0]] + hull[1...].reversed() : []
    }

    /// Removes the corners with the smallest triangles (Visvalingam & Whyatt 1993): all below `smallest` square metres, and more until at most `limit`
    /// corners remain.
    static func simplified(_ polygon: [Vector2d], limit: Int, smallest: Double = 0) -> [Vector2d] {
        var result = polygon
        func area(_ i: Int) -> Double {
            abs(signedDoubleArea(result[(i + result.count - 1) % result.count], result[i], result[(i + 1) % result.count])) / 2
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

    /// Triangulates a polygon by ear clipping; incomplete for a polygon that crosses itself.
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
        guard signedDoubleArea(a, b, c) >= 0 else { return false }
        return rest.allSatisfy { other in
            if other == i || other == j || other == k { return true }
            let p = polygon[other]
            return !(signedDoubleArea(a, b, p) > 0 && signedDoubleArea(b, c, p) > 0 && signedDoubleArea(c, a, p) > 0)
        }
    }
}

extension Outline {
    /// The rectangle of the smallest area around a polygon, with one side along an edge of its hull (Freeman & Shapira 1975).
    ///
    /// Of the four angles that describe it, returns the closest to that of `previous`. Keeps the direction of `previous` while its rectangle is at
    /// most 4 % larger.
    static func rectangle(_ polygon: [Vector2d], previous: PlaneRectangle?) -> (rectangle: PlaneRectangle, center: Vector2d) {
        let corners = hull(polygon)
        guard corners.count > 2 else { return (previous ?? PlaneRectangle(), .zero) }
        var best = fitted(corners, angle: 0)
        var bestArea = Double.infinity
        for i in corners.indices {
            let edge = corners[(i + 1) % corners.count] - corners[i]
            guard (edge * edge).sum() > 1e-12 else { continue }
            // The rectangle's x axis in (x, z) is (cos, −sin): a right-handed rotation about y takes x towards −z.
            let candidate = fitted(corners, angle: atan2(-edge.y, edge.x))
            let area = candidate.rectangle.width * candidate.rectangle.height
            if area < bestArea - 1e-12 { (best, bestArea) = (candidate, area) }
        }
        let reference = previous?.rotationOnYAxis ?? 0
        if previous != nil {
            let kept = fitted(corners, angle: reference)
            if kept.rectangle.width * kept.rectangle.height <= bestArea * 1.04 { return kept }
        }
        let quarters = ((reference - best.rectangle.rotationOnYAxis) / (.pi / 2)).rounded()
        return fitted(corners, angle: best.rectangle.rotationOnYAxis + quarters * .pi / 2)
    }

    private static func fitted(_ corners: [Vector2d], angle: Double) -> (rectangle: PlaneRectangle, center: Vector2d) {
        let (sine, cosine) = (sin(angle), cos(angle))
        let (along, across) = (Vector2d(cosine, -sine), Vector2d(sine, cosine))
        var (low, high) = (Vector2d(repeating: .infinity), Vector2d(repeating: -.infinity))
        for corner in corners {
            let point = Vector2d((corner * along).sum(), (corner * across).sum())
            low = pointwiseMin(low, point)
            high = pointwiseMax(high, point)
        }
        let (size, middle) = (high - low, (low + high) / 2)
        var rotation = angle
        while rotation > .pi { rotation -= 2 * .pi }
        while rotation <= -.pi { rotation += 2 * .pi }
        return (PlaneRectangle(width: size.x, height: size.y, rotationOnYAxis: rotation), along * middle.x + across * middle.y)
    }
}
