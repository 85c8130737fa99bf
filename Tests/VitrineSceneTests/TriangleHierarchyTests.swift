import Testing
import VitrineMath
import VitrineScene

struct TriangleHierarchyTests {
    /// A soup of small triangles, the same on every run.
    static func soup(_ count: Int, seed: UInt64 = 1) -> (positions: [Float], indices: [UInt32]) {
        var state = seed
        func random() -> Float {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(state >> 40) / Float(1 << 24)
        }
        var positions: [Float] = []
        for _ in 0..<count {
            let center = Vector3(random(), random(), random()) * 10
            for _ in 0..<3 {
                let corner = center + (Vector3(random(), random(), random()) - 0.5) * 0.8
                positions.append(contentsOf: [corner.x, corner.y, corner.z])
            }
        }
        return (positions, (0..<UInt32(count * 3)).map { $0 })
    }

    static func rays(_ count: Int) -> [Ray] {
        let (values, _) = soup(count, seed: 99)
        return (0..<count).map { index in
            let base = index * 9
            let origin = Vector3(values[base], values[base + 1], values[base + 2]) * 1.4 - 2
            let target = Vector3(values[base + 4], values[base + 5], values[base + 3])
            return Ray(origin: origin, direction: target - origin)
        }
    }

    @Test func rayHitsMatchBruteForce() throws {
        let (positions, indices) = Self.soup(700)
        let hierarchy = TriangleHierarchy(positions: positions, indices: indices)
        func corner(_ index: Int) -> Vector3 { Vector3(positions[index * 3], positions[index * 3 + 1], positions[index * 3 + 2]) }
        var hitCount = 0
        for ray in Self.rays(300) {
            var expected: [(triangle: Int, distance: Float)] = []
            for triangle in 0..<700 {
                if let hit = ray.intersection(triangle: corner(triangle * 3), corner(triangle * 3 + 1), corner(triangle * 3 + 2)) {
                    expected.append((triangle, hit.distance))
                }
            }
            let found = hierarchy.all(ray)
            #expect(Set(found.map(\.triangle)) == Set(expected.map(\.triangle)))
            #expect(zip(found, found.dropFirst()).allSatisfy { $0.distance <= $1.distance })
            let nearest = hierarchy.nearest(ray)
            #expect(nearest == found.first)
            #expect(hierarchy.isMet(by: ray) == !expected.isEmpty)
            if let distance = nearest?.distance { #expect(!hierarchy.isMet(by: ray, within: distance * 0.99)) }
            hitCount += expected.isEmpty ? 0 : 1
        }
        #expect(hitCount > 50)
    }

    @Test func degenerateInputDoesNotFail() {
        let ray = Ray(origin: [0, 0, 1], direction: [0, 0, -1])
        #expect(TriangleHierarchy(positions: [], indices: []).nearest(ray) == nil)
        let broken = TriangleHierarchy(
            positions: [.nan, 0, 0, 1, 0, 0, 0, 1, 0, -1, -1, 0, 1, -1, 0, 0, 1, 0], indices: [0, 1, 2, 3, 4, 5])
        #expect(broken.triangleCount == 1)
        #expect(broken.nearest(ray)?.triangle == 1)
        // Boxes cannot separate thousands of triangles at one position.
        let stacked = TriangleHierarchy(
            positions: [-1, -1, 0, 1, -1, 0, 0, 1, 0], indices: (0..<30_000).map { UInt32($0 % 3) })
        #expect(stacked.all(ray).count == 10_000)
    }

    @Test func extremeCoordinatesDoNotFail() {
        // Boxes whose size, or its inverse, exceeds the range of Float.
        for size: Float in [3e38, .leastNormalMagnitude / 100] {
            var positions: [Float] = []
            for index in 0..<200 {
                let x = index % 2 == 0 ? size : -size
                positions += [x, 0, 0, x, size, 0, x, 0, size]
            }
            let hierarchy = TriangleHierarchy(positions: positions, indices: (0..<600).map { UInt32($0) })
            #expect(hierarchy.triangleCount == 200)
            #expect(hierarchy.nearest(Ray(origin: [0, 1, 5], direction: [0, 1, 0])) == nil)
        }
    }

    /// Rays through the edges and corners of a closed surface never slip through.
    @Test func sharedEdgesAreWatertight() throws {
        let geometry = Geometry.sphere(radius: 1, segments: 24)
        let hierarchy = TriangleHierarchy(geometry)
        let positions = try #require(geometry.attribute(.position)?.values)
        let indices = geometry.triangleIndices
        func corner(_ index: Int) -> Vector3 {
            let base = Int(indices[index]) * 3
            return Vector3(positions[base], positions[base + 1], positions[base + 2])
        }
        let origin = Vector3(0.013, -0.021, 0.034)
        for base in stride(from: 0, to: indices.count, by: 3) {
            for edge in 0..<3 {
                let (a, b) = (corner(base + edge), corner(base + (edge + 1) % 3))
                for share: Float in [0, 0.3, 0.5] {
                    let ray = Ray(origin: origin, direction: a + (b - a) * share - origin)
                    #expect(hierarchy.isMet(by: ray) && hierarchy.nearest(ray) != nil)
                }
            }
        }
    }

    @Test func raysInAPlaneOfABoxAreFound() {
        // Axis-parallel rays along the faces of boxes divide by zero.
        let hierarchy = TriangleHierarchy(positions: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1], indices: [0, 1, 2, 3, 4, 5])
        #expect(hierarchy.nearest(Ray(origin: [0, 0, 5], direction: [0, 0, -1]))?.distance == 4)
        #expect(hierarchy.all(Ray(origin: [0.2, 0, 5], direction: [0, 0, -1])).count == 2)
    }
}
