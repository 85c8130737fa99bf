import Testing
import VitrineMath

@testable import VitrineGeometry

struct WideHierarchyTests {
    private static func triangles(_ count: Int, seed: UInt64) -> [(Vector3, Vector3, Vector3)] {
        var generator = SplitMix64(seed: seed)
        func number() -> Float { Float(generator.next() >> 40) / 16_777_216 * 2 - 1 }
        return (0..<count).map { _ in
            let p = Vector3(number(), number(), number())
            func corner() -> Vector3 { p + Vector3(number(), number(), number()) * 0.3 }
            return (corner(), corner(), corner())
        }
    }

    @Test(arguments: [0, 1, 5, 300]) func findsTheNearestTriangle(count: Int) {
        let triangles = Self.triangles(count, seed: 3)
        let hierarchy = WideHierarchy(count: count, corners: { triangles[$0] }, isFiltered: { $0 % 3 == 0 })
        let stack = TraversalStack()
        defer { stack.deallocate() }
        var generator = SplitMix64(seed: 9)
        func number() -> Float { Float(generator.next() >> 40) / 16_777_216 * 2 - 1 }
        var hits = 0
        for _ in 0..<500 {
            let ray = Ray(origin: Vector3(number(), number(), number()) * 2, direction: normalize(Vector3(number(), number(), number())))
            // Filtered triangles with an odd number are passed.
            var best: (Int, Float)?
            for (index, t) in triangles.enumerated() where index % 3 != 0 || index % 2 == 0 {
                guard let hit = ray.intersection(triangle: t.0, t.1, t.2), hit.distance < best?.1 ?? .infinity else { continue }
                best = (index, hit.distance)
            }
            let own = TraversalRay(origin: ray.origin, direction: ray.direction)
            let hit = hierarchy.nearest(own, from: 0, to: .infinity, stack: stack) { triangle, _, _, _ in triangle % 2 == 0 }
            #expect(Int(hit.triangle) == best?.0 ?? -1)
            if let best {
                hits += 1
                #expect(abs(hit.distance - best.1) < 1e-4)
                #expect(hierarchy.isBlocked(own, from: 0, to: best.1 * 1.001, stack: stack) { triangle, _, _, _ in triangle % 2 == 0 })
            }
            #expect(
                !hierarchy.isBlocked(own, from: 0, to: (best?.1 ?? 1) * 0.999, stack: stack) { triangle, _, _, _ in triangle % 2 == 0 }
                    || best == nil)
        }
        #expect(count < 300 || hits > 50, "\(hits)")
    }

    /// The last blocker does not change the result, be it of no ray, a similar ray or a ray from elsewhere.
    @Test(arguments: [0, 1, 5, 700]) func whatWasMetBeforeChangesNothing(count: Int) {
        let triangles = Self.triangles(count, seed: 5)
        let hierarchy = WideHierarchy(count: count, corners: { triangles[$0] }, isFiltered: { $0 % 3 == 0 })
        let stack = TraversalStack()
        defer { stack.deallocate() }
        var generator = SplitMix64(seed: 7)
        func number() -> Float { Float(generator.next() >> 40) / 16_777_216 * 2 - 1 }
        var (last, met, missed) = (WideHierarchy.Blocker(), 0, 0)
        for _ in 0..<300 {
            let (origin, direction) = (Vector3(number(), number(), number()) * 2, Vector3(number(), number(), number()))
            for step in 0..<4 {
                let ray = TraversalRay(origin: origin, direction: direction + Vector3(repeating: Float(step) * 0.01))
                let expected = hierarchy.nearest(ray, from: 0, to: .infinity, stack: stack, accepts: { _, _, _, _ in true }).triangle >= 0
                var nothing = WideHierarchy.Blocker()
                #expect(hierarchy.isMet(by: ray, stack: stack, last: &nothing) == expected)
                #expect(hierarchy.isMet(by: ray, stack: stack, last: &last) == expected)
                (met, missed) = expected ? (met + 1, missed) : (met, missed + 1)
            }
        }
        #expect(count < 700 || met > 100 && missed > 100, "\(met), \(missed)")
    }

    /// Triangles that are not finite, have no area, or are all at one place, and rays along an axis, in the triangles' plane and without direction.
    @Test func degenerateInputDoesNotFail() {
        let stack = TraversalStack()
        defer { stack.deallocate() }
        let broken: [(Vector3, Vector3, Vector3)] = [
            (Vector3(.nan, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0)), (Vector3(1, 1, 1), Vector3(1, 1, 1), Vector3(1, 1, 1)),
            (Vector3(-1, -1, 0), Vector3(1, -1, 0), Vector3(0, 1, 0)),
        ]
        let meshes = [broken, [(Vector3, Vector3, Vector3)](repeating: broken[2], count: 10_000)]
        for triangles in meshes {
            let hierarchy = WideHierarchy(count: triangles.count, corners: { triangles[$0] })
            func isMet(_ direction: Vector3) -> Bool {
                var last = WideHierarchy.Blocker()
                return hierarchy.isMet(by: TraversalRay(origin: Vector3(0, 0, 1), direction: direction), stack: stack, last: &last)
            }
            #expect(isMet(Vector3(0, 0, -1)) && !isMet(Vector3(0, 0, 1)) && !isMet(Vector3(1, 0, 0)) && !isMet(Vector3(0, 0, 0)))
        }
    }

    /// Sums and differences of such corners are infinite.
    @Test func coordinatesNearTheLargestFloatDoNotFail() {
        let triangles = Self.triangles(40, seed: 11).enumerated().map { index, t in
            let factor: Float = index % 4 == 0 ? 1 : 2.5e38
            return (t.0 * factor, t.1 * factor, t.2 * factor)
        }
        let hierarchy = WideHierarchy(count: triangles.count, corners: { triangles[$0] })
        #expect(hierarchy.nodeCount > 0 && hierarchy.bounds.maximum.x > 1e38 && hierarchy.bounds.minimum.x < -1e38)
    }

    /// A closed sphere with poles of 32 triangles, turned so that no edge follows an axis.
    private static let sphere: [(Vector3, Vector3, Vector3)] = {
        let (rings, segments) = (24, 32)
        let turn = Quaternion(angle: .radians(0.7), axis: normalize(Vector3(1, 2, 3)))
        func point(_ ring: Int, _ segment: Int) -> Vector3 {
            if ring == 0 || ring == rings { return turn.rotate(Vector3(0, ring == 0 ? 1 : -1, 0)) }
            let (polar, azimuth) = (Float(ring) / Float(rings) * .pi, Float(segment % segments) / Float(segments) * 2 * .pi)
            return turn.rotate(Vector3(sin(polar) * cos(azimuth), cos(polar), sin(polar) * sin(azimuth)))
        }
        var triangles: [(Vector3, Vector3, Vector3)] = []
        for ring in 0..<rings {
            for segment in 0..<segments {
                let (a, b, c, d) = (point(ring, segment), point(ring, segment + 1), point(ring + 1, segment), point(ring + 1, segment + 1))
                triangles += [(a, b, d), (a, d, c)]
            }
        }
        return triangles
    }()

    /// No ray passes between the triangles of a closed surface, at edges and corners, from inside and from far away.
    @Test(arguments: [
        Vector3(0.1, 0.05, -0.2), Vector3(-0.3, 0.2, 0.4), Vector3(0, 0, 0), Vector3(0.6, -0.5, 0.1), Vector3(3, 1, 2),
        Vector3(-400, 300, 250),
    ])
    func edgesAreTight(origin: Vector3) {
        let triangles = Self.sphere
        let hierarchy = WideHierarchy(count: triangles.count, corners: { triangles[$0] }, isFiltered: { _ in false })
        let stack = TraversalStack()
        defer { stack.deallocate() }
        var generator = SplitMix64(seed: 4)
        var (count, passed) = (0, [String]())
        for (index, t) in triangles.enumerated() {
            let share = Float(generator.next() >> 40) / 16_777_216
            for target in [t.0, t.1, t.2, (t.0 + t.1) / 2, (t.1 + t.2) / 2, t.0 + (t.2 - t.0) * share, t.0 + (t.1 - t.0) * share] {
                let direction = normalize(target - origin)
                // From outside, rays that graze the surface may miss it.
                guard length(origin) < 1 || dot(direction, normalize(target)) < -0.2 else { continue }
                count += 1
                let ray = TraversalRay(origin: origin, direction: direction)
                if hierarchy.nearest(ray, from: 0, to: .infinity, stack: stack, accepts: { _, _, _, _ in true }).triangle < 0 {
                    passed.append("\(index): \(target)")
                }
            }
        }
        #expect(count > 2000)
        #expect(passed.isEmpty, "\(passed.count): \(passed.prefix(3))")
    }
}
