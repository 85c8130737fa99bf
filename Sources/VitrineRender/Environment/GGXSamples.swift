import VitrineMath

/// Directions of a GGX lobe around +Z, for filtered importance sampling.
///
/// Half-vectors lie on a Fibonacci spiral, drawn from the distribution of visible normals for a view along the normal, which is
/// D(h) · cos θ. Each sample reads the source's mip level whose texels have the solid angle that the sample stands for (Křivánek &
/// Colbert 2008), so that few samples find a small sun, and always with its whole energy.
struct GGXSamples {
    /// x, y, z of the light's direction (z is its cosine and weight), and the source's mip level.
    let values: [SIMD4<Float>]

    /// - Parameters:
    ///   - roughness: perceptual; the distribution's α is its square.
    ///   - sourceSize: texels along a face's edge in the source's mip 0.
    ///   - sourceLevels: mip levels of the source.
    init(roughness: Float, count: Int, sourceSize: Int, sourceLevels: Int) {
        let alpha = Double(roughness * roughness)
        let texel = 4 * Double.pi / (6 * Double(sourceSize * sourceSize))
        let goldenAngle = Double.pi * (3 - 5.0.squareRoot())
        var values: [SIMD4<Float>] = []
        for index in 0..<count {
            let share = (Double(index) + 0.5) / Double(count)
            // Inverse of the cumulative distribution (Walter et al. 2007).
            let cosineSquared = (1 - share) / (1 + (alpha * alpha - 1) * share)
            let z = 2 * cosineSquared - 1
            if z <= 0 { continue }
            let radius = max(1 - z * z, 0).squareRoot()
            let azimuth = Double(index) * goldenAngle
            let density = Self.density(cosineSquared: cosineSquared, alpha: alpha)
            let level = 0.5 * log(1 / (Double(count) * density) / texel) / log(2) + Self.overlap
            values.append(
                SIMD4(
                    Float(radius * cos(azimuth)), Float(radius * sin(azimuth)), Float(z),
                    Float(clamp(level, 0, Double(sourceLevels - 1)))))
        }
        self.values = values
    }

    /// Footprints this much larger (in levels) than a fair share overlap enough that no sun falls between the samples.
    private static let overlap = 0.7

    /// Of the light's direction, per steradian: D(h) / 4 when view and normal agree.
    private static func density(cosineSquared: Double, alpha: Double) -> Double {
        let a2 = alpha * alpha
        let d = cosineSquared * (a2 - 1) + 1
        return a2 / (Double.pi * d * d) / 4
    }
}
