import VitrineGeometry

extension OcclusionBake.Job {
    /// Nine coefficients for each of the job's vertices, in the geometry's own frame. The same on every run and any number of threads.
    public func run() -> [Float] {
        guard let positions = geometry.attribute(.position)?.values, let normals = geometry.attribute(.normal)?.values else { return [] }
        var result: [Float] = []
        result.reserveCapacity(vertices.count * OcclusionHarmonics.count)
        for vertex in vertices {
            let base = vertex * 3
            let position = Vector3(positions[base], positions[base + 1], positions[base + 2])
            let normal = normalize(Vector3(normals[base], normals[base + 1], normals[base + 2]))
            let (eight, ninth) = occlusion(at: position, normal)
            let weight = fading[vertex]
            for index in 0..<8 { result.append(eight[index] * weight) }
            result.append(ninth * weight)
        }
        return result
    }

    /// Projects the blocked directions onto the harmonics.
    ///
    /// Below the surface there is nothing to know: the upper half is mirrored, so that an open plane and a ball keep nothing off in any
    /// direction, and a reflection that grazes the surface isn't darkened by it.
    private func occlusion(at position: Vector3, _ normal: Vector3) -> (SIMD8<Float>, Float) {
        var sum = (SIMD8<Float>(repeating: 0), Float(0))
        guard position.isFinite, normal != Vector3(repeating: 0) else { return sum }
        let linear = occludersFromLocal.linear
        let normalInOccluders = normalize(linear.cofactor * normal) * (linear.determinant < 0 ? -1 : 1)
        let origin = occludersFromLocal.transform(point: position) + normalInOccluders * lift
        for direction in directions {
            let height = dot(direction, normal)
            guard height > 0.01 else { continue }
            let ray = Ray(origin: origin, direction: normalize(linear * direction))
            guard occluders.isMet(by: ray) else { continue }
            let upper = OcclusionHarmonics.basis(direction)
            let lower = OcclusionHarmonics.basis(direction - 2 * height * normal)
            sum.0 += upper.0 + lower.0
            sum.1 += upper.1 + lower.1
        }
        let share = 4 * Float.pi / Float(directions.count)
        return (sum.0 * share, sum.1 * share)
    }
}
