import VitrineMath
import VitrineScene
import VitrineVision

/// Ambient occlusion: the visible fraction of the sky at each vertex, cosine-weighted, 0…1; only the mesh itself occludes.
enum VertexOcclusion {
    /// The approximate number of rays.
    private static let budget = 1_200_000
    /// The distance of the rays' origins from the surface, in diameters.
    private static let lift: Float = 1e-4

    static func bake(_ surface: SurfaceTopology, normals: [Vector3], _ parallel: Parallel) -> [Float] {
        let count = surface.positions.count
        let rays = min(96, max(24, budget / count))
        let directions = cosineDirections(rays)
        let hierarchy = WideHierarchy(
            count: surface.triangleCount,
            corners: { triangle in
                let corners = surface.triangles[triangle]
                return (surface.positions[Int(corners.x)], surface.positions[Int(corners.y)], surface.positions[Int(corners.z)])
            })
        let chunk = 256
        let pieces = parallel.map((count + chunk - 1) / chunk) { piece in
            let stack = TraversalStack()
            defer { stack.deallocate() }
            return (piece * chunk..<min(count, (piece + 1) * chunk)).map { vertex in
                visibility(surface.positions[vertex], normals[vertex], turn: vertex, directions, hierarchy, stack, surface.diameter * lift)
            }
        }
        return smoothed(pieces.flatMap { $0 }, surface)
    }

    private static func visibility(
        _ position: Vector3, _ normal: Vector3, turn: Int, _ directions: [Vector3], _ hierarchy: WideHierarchy, _ stack: TraversalStack,
        _ lift: Float
    ) -> Float {
        // Each vertex has its own rotation, so that errors are noise, which smoothing removes, instead of bands.
        let angle = Float(turn % 64) * (2 * .pi * 0.6180340)
        let (s, c) = (sin(angle), cos(angle))
        let x = normalize(anyPerpendicular(normal))
        let y = cross(normal, x)
        let origin = position + normal * lift
        let (right, up) = (x * c + y * s, y * c - x * s)
        var blocked = 0
        for d in directions {
            // Directions differ from vertex to vertex: the blocker of one is seldom that of the next.
            var blocker = WideHierarchy.Blocker()
            let ray = TraversalRay(origin: origin, direction: right * d.x + up * d.y + normal * d.z)
            if hierarchy.isMet(by: ray, stack: stack, last: &blocker) { blocked += 1 }
        }
        return 1 - Float(blocked) / Float(directions.count)
    }

    /// Points of a spiral on the disc, projected onto the hemisphere (Malley's method): their density is proportional to the cosine.
    private static func cosineDirections(_ count: Int) -> [Vector3] {
        (0..<count).map { index in
            let radius = ((Float(index) + 0.5) / Float(count)).squareRoot()
            let angle = Float(index) * 2.3999632
            return Vector3(radius * cos(angle), radius * sin(angle), max(0, 1 - radius * radius).squareRoot())
        }
    }

    private static func smoothed(_ values: [Float], _ surface: SurfaceTopology) -> [Float] {
        var values = values
        for _ in 0..<2 {
            var (sums, weights) = (values, [Float](repeating: 1, count: values.count))
            for t in surface.triangles {
                let sum = values[Int(t.x)] + values[Int(t.y)] + values[Int(t.z)]
                for k in 0..<3 {
                    sums[Int(t[k])] += sum / 6
                    weights[Int(t[k])] += 0.5
                }
            }
            values = zip(sums, weights).map { $0 / $1 }
        }
        return values
    }
}
