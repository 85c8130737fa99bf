import Testing
import VitrineGeometry

@Suite struct RayTests {
    let box = BoundingBox(minimum: [-1, -2, -3], maximum: [1, 2, 3])

    @Test func aRayThroughABoxEntersAndLeaves() throws {
        let ray = Ray(origin: [-5, 0.5, 0.5], direction: [2, 0, 0])
        let (near, far) = try #require(ray.intersection(with: box))
        #expect(near == 2 && abs(far - 3) < 1e-5)
        #expect(Ray(origin: [-5, 0.5, 0.5], direction: [-2, 0, 0]).intersection(with: box) == nil)
        #expect(Ray(origin: [-5, 2.5, 0.5], direction: [2, 0, 0]).intersection(with: box) == nil)
        #expect(Ray(origin: [0, 0, 0], direction: [0, 1, 0]).intersection(with: box)?.near == 0)
    }

    @Test func raysInFacesIntersectTheBox() {
        // 0 · ∞ in one or two slabs, with both signs of zero.
        for zero: Float in [0, -0.0] {
            #expect(Ray(origin: [-5, 2, 0], direction: [1, zero, zero]).intersection(with: box)?.near == 4)
            #expect(Ray(origin: [-5, -2, 3], direction: [1, zero, zero]).intersection(with: box)?.near == 4)
            #expect(Ray(origin: [-5, 2.001, 0], direction: [1, zero, zero]).intersection(with: box) == nil)
        }
        let flat = BoundingBox(minimum: [0, 0, 0], maximum: [1, 1, 0])
        #expect(Ray(origin: [-1, 0.5, 0], direction: [1, 0, 0]).intersection(with: flat) != nil)
        #expect(Ray(origin: [0.5, 0.5, 3], direction: [0, 0, -1]).intersection(with: flat)?.near == 3)
    }

    @Test func theEmptyBoxIntersectsNothing() {
        for direction: Vector3 in [[1, 0, 0], [0, -1, 0], [1, 2, 3]] {
            #expect(Ray(origin: [0, 0, 0], direction: direction).intersection(with: .empty) == nil)
        }
    }

    @Test func nanIntersectsNothing() {
        #expect(Ray(origin: [.nan, 0, 0], direction: [1, 0, 0]).intersection(with: box) == nil)
        #expect(Ray(origin: [0, 0, 0], direction: [1, .nan, 0]).intersection(with: box) == nil)
        let ray = Ray(origin: [0.2, 0.2, 1], direction: [0, 0, -1])
        #expect(ray.intersection(triangle: [0, 0, .nan], [1, 0, 0], [0, 1, 0]) == nil)
        #expect(ray.intersection(triangle: [0, 0, 0], [.infinity, 0, 0], [0, 1, 0]) == nil)
        #expect(Ray(origin: [0, 0, 0], direction: [0, 0, 0]).intersection(triangle: [-1, -1, 0], [1, -1, 0], [0, 1, 0]) == nil)
    }

    @Test func triangleIntersectionGivesDistanceAndWeights() throws {
        let ray = Ray(origin: [0.25, 0.5, 3], direction: [0, 0, -2])
        let hit = try #require(ray.intersection(triangle: [0, 0, 0], [1, 0, 0], [0, 1, 0]))
        #expect(hit.distance == 1.5 && hit.u == 0.25 && hit.v == 0.5)
        let behind = try #require(ray.intersection(triangle: [0, 0, 0], [0, 1, 0], [1, 0, 0]))
        #expect(behind.u == 0.5 && behind.v == 0.25)
        #expect(Ray(origin: [0.25, 0.5, -3], direction: [0, 0, -2]).intersection(triangle: [0, 0, 0], [1, 0, 0], [0, 1, 0]) == nil)
        #expect(ray.intersection(triangle: [0, 0, 0], [1, 1, 0], [2, 2, 0]) == nil)
    }

    /// The hit point by weights is the hit point by distance, for random rays and triangles.
    @Test func weightsAndDistanceAgree() {
        var random = SplitMix64(seed: 5)
        var met = 0
        for _ in 0..<2000 {
            let (a, b, c) = (random.vector3(), random.vector3(), random.vector3())
            let origin = random.vector3() * 3
            let ray = Ray(origin: origin, direction: random.vector3() * 0.5 - origin)
            guard let hit = ray.intersection(triangle: a, b, c) else { continue }
            met += 1
            let byWeights = a * (1 - hit.u - hit.v) + b * hit.u + c * hit.v
            let scale = 1 + length(ray.origin) + hit.distance * length(ray.direction)
            #expect(distance(byWeights, ray.point(at: hit.distance)) < 2e-4 * scale)
        }
        #expect(met > 50)
    }

    /// A fan of triangles around a point: rays exactly through the point, and through the spokes, always meet one.
    @Test func sharedEdgesDoNotLeak() {
        var random = SplitMix64(seed: 17)
        for _ in 0..<300 {
            let middle = random.vector3()
            let rim = (0..<7).map { index -> Vector3 in
                let angle = Float(index) / 7 * 2 * .pi
                return middle + Vector3(cos(angle), sin(angle), random.float() * 0.2)
            }
            let origin = middle + Vector3(random.float() * 0.3, random.float() * 0.3, 2)
            for spoke in 0..<7 {
                for t: Float in [0, 0.3, 0.77] {
                    let ray = Ray(origin: origin, direction: mix(middle, rim[spoke], t) - origin)
                    let isMet = (0..<7).contains { ray.intersection(triangle: middle, rim[$0], rim[($0 + 1) % 7]) != nil }
                    #expect(isMet)
                }
            }
        }
    }

    @Test func distancesAreKeptInAnotherFrame() throws {
        let matrix = Transform(translation: [1, 2, 3], rotation: Quaternion(angle: .degrees(40), axis: [1, 1, 0]), scale: [2, 3, 0.5])
            .matrix
        let ray = Ray(origin: [0.2, 0.1, 4], direction: [0.05, 0, -1])
        let (a, b, c) = (Vector3(-1, -1, 0), Vector3(1, -1, 0), Vector3(0, 1, 0))
        let expected = try #require(ray.intersection(triangle: a, b, c))
        let moved = try #require(
            ray.transformed(by: matrix).intersection(
                triangle: matrix.transform(point: a), matrix.transform(point: b), matrix.transform(point: c)))
        #expect(abs(expected.distance - moved.distance) < 1e-5)
    }
}
