import VitrineMath
import VitrineVision

/// Measures which triangles a photo observes, with their visible areas and colours.
struct ViewSampler: Sendable {
    let surface: SurfaceTopology

    /// Returns the samples of a view, one per triangle.
    func samples(_ view: PreparedView) -> [ViewSample] {
        var result = [ViewSample](repeating: ViewSample(), count: surface.triangleCount)
        let projection = view.projection
        view.depth.inverse.withUnsafeBufferPointer { inverse in
            for (number, t) in surface.triangles.enumerated() {
                let (a, b, c) = (view.points[Int(t.x)], view.points[Int(t.y)], view.points[Int(t.z)])
                guard min(a.z, min(b.z, c.z)) > 0 else { continue }
                let middle = (surface.positions[Int(t.x)] + surface.positions[Int(t.y)] + surface.positions[Int(t.z)]) / 3
                let toCamera = projection.center - middle
                let cosine = dot(surface.normals[number], toCamera) / length(toCamera)
                // Triangles at less than 5° are not visible.
                guard cosine > 0.08 else { continue }
                let scale = projection.focal * 3 / (a.z + b.z + c.z)
                let area = surface.areas[number] * cosine * scale * scale
                let slope = (1 - cosine * cosine).squareRoot() / cosine
                let tolerance = max(0.0015, (2 + 2 * slope) / projection.focal)
                var sum = SampleSum()
                view.sample((a + b + c) / 3, inverse, tolerance, &sum)
                if area > 40 {
                    view.sample(a * (2 / 3) + (b + c) / 6, inverse, tolerance, &sum)
                    view.sample(b * (2 / 3) + (c + a) / 6, inverse, tolerance, &sum)
                    view.sample(c * (2 / 3) + (a + b) / 6, inverse, tolerance, &sum)
                }
                guard sum.trust > 0 else { continue }
                let color = sum.color / sum.trust
                result[number] = ViewSample(
                    quality: area * sum.trust / sum.count,
                    color: SIMD4<UInt8>(color.clamped(lowerBound: .zero, upperBound: Vector4(repeating: 255)), rounding: .toNearestOrEven))
            }
        }
        return result
    }
}

/// The sum of the colours weighted by trust.
struct SampleSum {
    var color = Vector4(repeating: 0)
    var trust: Float = 0
    var count: Float = 0
}
