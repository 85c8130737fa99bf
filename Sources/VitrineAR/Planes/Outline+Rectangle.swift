import VitrineMath
import VitrineVision

extension Outline {
    /// The rectangle of the smallest area around a polygon, one side along an edge of its hull (Freeman & Shapira 1975).
    ///
    /// A rectangle may be named in four ways, and a round outline has many that are nearly the smallest: the one nearest to `previous` is
    /// taken, and `previous`'s own direction for as long as it costs less than 4 % of area.
    static func rectangle(_ polygon: [Vector2d], previous: PlaneRectangle?) -> (rectangle: PlaneRectangle, center: Vector2d) {
        let corners = hull(polygon)
        guard corners.count > 2 else { return (previous ?? PlaneRectangle(), .zero) }
        var best = fitted(corners, angle: 0)
        var bestArea = Double.infinity
        for i in corners.indices {
            let edge = corners[(i + 1) % corners.count] - corners[i]
            guard (edge * edge).sum() > 1e-12 else { continue }
            // The rectangle's x axis in (x, z) is (cos, −sin): a right-handed turn about y takes x towards −z.
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
            let place = Vector2d((corner * along).sum(), (corner * across).sum())
            low = pointwiseMin(low, place)
            high = pointwiseMax(high, place)
        }
        let (size, middle) = (high - low, (low + high) / 2)
        var turned = angle
        while turned > .pi { turned -= 2 * .pi }
        while turned <= -.pi { turned += 2 * .pi }
        return (PlaneRectangle(width: size.x, height: size.y, rotationOnYAxis: turned), along * middle.x + across * middle.y)
    }
}
