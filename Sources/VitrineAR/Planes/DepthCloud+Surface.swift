import VitrineMath
import VitrineVision

extension DepthCloud {
    /// Where a ray first goes behind what was measured, and the surface there.
    ///
    /// Steps of 2 cm, then the plane fitted to the samples within 6 cm (at least 8) is met exactly.
    func surface(_ origin: Vector3d, _ direction: Vector3d) -> (point: Vector3d, normal: Vector3d)? {
        let (start, step) = (cameraFromWorld * origin, cameraFromWorld.rotation * direction)
        for i in 0..<400 {
            let point = start + step * (Double(i) * 0.02)
            guard point.z > 0.05 else { continue }
            let pixel = camera.project(point)
            guard pixel.x >= 0, pixel.y >= 0, pixel.x < Double(columns), pixel.y < Double(rows) else { continue }
            let depth = samples[Int(pixel.y) * columns + Int(pixel.x)].depth
            guard depth > 0, point.z >= depth else { continue }
            // Behind something that is nearer: the ray has passed out of sight.
            guard point.z < depth + 0.15 else { return nil }
            return fitted(around: Int(pixel.x), Int(pixel.y))
        }
        return nil
    }

    private func fitted(around column: Int, _ row: Int) -> (point: Vector3d, normal: Vector3d)? {
        let middle = samples[row * columns + column]
        let radius = max(2, min(12, Int(0.06 / middle.depth * camera.focal.x)))
        var places: [Vector3d] = []
        for y in max(0, row - radius)...min(rows - 1, row + radius) {
            for x in max(0, column - radius)...min(columns - 1, column + radius) {
                let sample = samples[y * columns + x]
                if sample.depth > 0, length(sample.position - middle.position) < 0.1 { places.append(sample.position) }
            }
        }
        guard places.count >= 8 else { return nil }
        var mean = Vector3d.zero
        for place in places { mean += place }
        mean /= Double(places.count)
        var covariance = Matrix3d(.zero, .zero, .zero)
        for place in places {
            let offset = place - mean
            covariance = covariance + Matrix3d(offset * offset.x, offset * offset.y, offset * offset.z)
        }
        let eigen = covariance.symmetricEigen()
        // A line of points has no normal.
        guard eigen.values.y > 1e-3 * eigen.values.x else { return nil }
        return (mean, eigen.vectors.z)
    }
}
