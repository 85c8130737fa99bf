import Testing
import VitrineMath

@testable import VitrineGeometry

@Suite struct ConvexHullTests {
    @Test func cornersOfASquareWithInnerPointsAndEdgePoints() {
        let corners: [Vector2d] = [Vector2d(0, 0), Vector2d(2, 0), Vector2d(2, 2), Vector2d(0, 2)]
        let others: [Vector2d] = [Vector2d(1, 1), Vector2d(1, 0), Vector2d(2, 1), Vector2d(0.3, 1.9), Vector2d(0, 0)]
        #expect(Polygon.convexHull(others + corners) == corners)
    }

    @Test func hullOfRandomPointsContainsAllOfThem() {
        var random = SplitMix64(seed: 7)
        let points = (0..<200).map { _ in Vector2d(Double(random.below(1_000)), Double(random.below(1_000))) }
        let hull = Polygon.convexHull(points)
        #expect(Polygon.signedArea(hull) > 0)
        for (index, corner) in hull.enumerated() {
            let next = hull[(index + 1) % hull.count]
            #expect(points.allSatisfy { Polygon.signedDoubleArea(corner, next, $0) >= 0 })
        }
    }

    @Test func fewOrCollinearPoints() {
        #expect(Polygon.convexHull([Vector2d]()).isEmpty)
        #expect(Polygon.convexHull([Vector2d(3, 1), Vector2d(1, 2)]) == [Vector2d(1, 2), Vector2d(3, 1)])
        let line = (0..<5).map { Vector2d(Double($0), 2 * Double($0)) }
        #expect(Polygon.convexHull(line) == [line[0], line[4]])
    }
}
