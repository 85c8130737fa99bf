import Testing
import VitrineMath
import VitrineVision

@testable import VitrineAR

@Suite struct OutlineTests {
    @Test func areasArePositiveForCounterclockwiseOutlines() {
        // Seen along −y, with x to the right and z down: near, right, far.
        let triangle = [Vector2d(0, 1), Vector2d(1, 0), Vector2d(0, -1)]
        #expect(Outline.signedArea(triangle) == 1)
        let (a, b, c) = (Vector3d(0, 0, 1), Vector3d(1, 0, 0), Vector3d(0, 0, -1))
        #expect(cross(b - a, c - a).y > 0)
    }

    @Test func hullsContainTheirPoints() {
        var random = TestNumbers(seed: 4)
        let points = (0..<200).map { _ in Vector2d(random.normal(), random.normal()) }
        let hull = Outline.hull(points)
        #expect(Outline.signedArea(hull) > 0)
        for point in points { #expect(Polygon.distance(hull, point) < 1e-9) }
        #expect(Outline.hull([Vector2d(0, 0), Vector2d(1, 1), Vector2d(2, 2)]).isEmpty)
        #expect(Outline.hull([]).isEmpty)
    }

    @Test func cellsAreTracedAroundTheirOuterEdge() {
        var grid = PlaneGrid()
        // An L shape of ten by ten cells without a quarter, with a hole, and a separate piece.
        for x in 0..<10 {
            for z in 0..<10 where !(x >= 5 && z >= 5) && !(x == 2 && z == 2) {
                grid.add(Double(x) * 0.05 + 0.02, Double(z) * 0.05 + 0.02, height: 0, weight: 1)
            }
        }
        for x in 40..<43 { grid.add(Double(x) * 0.05 + 0.02, 0.02, height: 0, weight: 1) }
        let outline = grid.outline(bridging: 0.01)
        #expect(outline.count == 6)
        #expect(abs(Outline.signedArea(outline) - 75 * 0.0025) < 1e-9)
        #expect(Polygon.contains(outline, Vector2d(0.12, 0.12)) && !Polygon.contains(outline, Vector2d(0.4, 0.4)))
        #expect(PlaneGrid().outline(bridging: 0.2).isEmpty)
    }

    @Test func irregularMasksGiveSimpleOutlines() {
        var random = TestNumbers(seed: 11)
        for _ in 0..<50 {
            var grid = PlaneGrid()
            for _ in 0..<120 { grid.add(random.uniform(-0.5...0.5), random.uniform(-0.5...0.5), height: 0, weight: 1) }
            let outline = Outline.simplified(grid.outline(bridging: 0.1), limit: 64)
            #expect(outline.count >= 3 && outline.count <= 64)
            #expect(Outline.signedArea(outline) > 0)
        }
    }

    @Test func trianglesCoverAnOutline() {
        let shape = [(0, 0), (0, 3), (1, 3), (1, 1), (2, 1), (2, 3), (3, 3), (3, 0)].map { Vector2d(Double($0.0), Double($0.1)) }
        let triangles = Outline.triangles(shape)
        #expect(triangles.count == 3 * (shape.count - 2))
        var area = 0.0
        for i in stride(from: 0, to: triangles.count, by: 3) {
            let doubleArea = Outline.signedDoubleArea(shape[triangles[i]], shape[triangles[i + 1]], shape[triangles[i + 2]])
            #expect(doubleArea >= 0)
            area += doubleArea / 2
        }
        #expect(abs(area - Polygon.area(shape)) < 1e-12)
    }

    @Test func rectanglesAreStable() {
        var random = TestNumbers(seed: 6)
        let angle = 0.3
        let (along, across) = (Vector2d(cos(angle), -sin(angle)), Vector2d(sin(angle), cos(angle)))
        var previous: PlaneRectangle?
        for i in 0..<60 {
            // Two by one metres around (1, −2) with noisy corners, becoming a square, which any rotation by 90° would fit.
            let width = 2 - Double(i) / 60
            let corners = [(-1.0, -1.0), (-1, 1), (1, 1), (1, -1)].map { corner in
                Vector2d(1, -2) + along * (corner.0 * width / 2 + random.normal() * 0.003)
                    + across * (corner.1 / 2 + random.normal() * 0.003)
            }
            let fitted = Outline.rectangle(corners, previous: previous)
            #expect(abs(fitted.rectangle.rotationOnYAxis - angle) < 0.02)
            #expect(abs(fitted.rectangle.width - width) < 0.03 && abs(fitted.rectangle.height - 1) < 0.03)
            #expect(length(fitted.center - Vector2d(1, -2)) < 0.02)
            previous = fitted.rectangle
        }
    }

    @Test func heightFitsIgnoreOutliers() throws {
        var random = TestNumbers(seed: 8)
        var samples: [HeightFit.Sample] = []
        for i in 0..<300 {
            let (x, z) = (random.uniform(-1...1), random.uniform(-0.5...0.5))
            let height = i % 4 == 0 ? random.uniform(0.02...0.3) : 0.05 + 0.02 * x - 0.03 * z + 0.004 * random.normal()
            samples.append(HeightFit.Sample(x: x, z: z, height: height, weight: 1 / (0.005 * 0.005)))
        }
        let prior = HeightFit.Prior(slope: .zero, deviation: Vector2d(0.1, 0.1))
        let fit = try #require(HeightFit(samples, prior: prior))
        #expect(abs(fit.height(at: .zero) - 0.05) < 0.003)
        #expect(length(fit.slope - Vector2d(0.02, -0.03)) < 0.005)
        // With few samples, the prior determines the slope.
        let few = samples.prefix(4).map { HeightFit.Sample(x: $0.x * 0.01, z: $0.z * 0.01, height: $0.height, weight: $0.weight) }
        let stiff = try #require(HeightFit(few, prior: HeightFit.Prior(slope: Vector2d(0.01, 0), deviation: Vector2d(0.01, 0.01))))
        #expect(length(stiff.slope - Vector2d(0.01, 0)) < 0.02)
        #expect(HeightFit(Array(samples.prefix(2)), prior: prior) == nil)
        #expect(upperMedian([3, 1, 2]) == 2 && upperMedian([] as [Double]) == 0 && upperMedian([1, 1, 1, 1]) == 1)
    }
}
