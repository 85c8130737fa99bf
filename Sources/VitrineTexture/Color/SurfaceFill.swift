import VitrineMath

/// Interpolates values along the surface from the vertices that have one to those that do not.
enum SurfaceFill {
    private static let smoothings = 60

    /// Fills unknown vertices smoothly from the known ones.
    ///
    /// - Parameter known: The value of each vertex times its weight, with the weight in w; a weight of 0 is unknown.
    /// - Returns: The known values with smooth values between them; the mean of all on pieces of the surface without known values.
    static func fill(_ surface: SurfaceTopology, _ known: [Vector4]) -> [Vector3] {
        var total = Vector4.zero
        for k in known { total += k }
        let mean = total.w > 0 ? Vector3(total.x, total.y, total.z) / total.w : Vector3(repeating: 128)
        var values = known.map { $0.w > 0 ? Vector3($0.x, $0.y, $0.z) / $0.w : mean }
        var front = known.indices.filter { known[$0].w > 0 }.map { Int32($0) }
        var isReached = known.map { $0.w > 0 }
        var unknown: [Int32] = []
        // Layer by layer from the border inwards, then smoothed.
        while !front.isEmpty {
            var next: [Int32] = []
            for vertex in front {
                for other in around(vertex, surface) where !isReached[Int(other)] {
                    isReached[Int(other)] = true
                    values[Int(other)] = values[Int(vertex)]
                    next.append(other)
                }
            }
            unknown += next
            front = next
        }
        let neighborhoods = unknown.map { around($0, surface) }
        for _ in 0..<smoothings {
            for (vertex, others) in zip(unknown, neighborhoods) where !others.isEmpty {
                var sum = Vector3.zero
                for other in others { sum += values[Int(other)] }
                values[Int(vertex)] = sum / Float(others.count)
            }
        }
        return values
    }

    /// The neighbours of a vertex; those inside a fan appear twice.
    private static func around(_ vertex: Int32, _ surface: SurfaceTopology) -> [Int32] {
        var result: [Int32] = []
        for slot in surface.vertexOffsets[Int(vertex)]..<surface.vertexOffsets[Int(vertex) + 1] {
            let t = surface.triangles[Int(surface.vertexTriangles[Int(slot)])]
            for k in 0..<3 where t[k] != vertex { result.append(t[k]) }
        }
        return result
    }
}
