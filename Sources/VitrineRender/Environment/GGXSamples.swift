import VitrineMath

/// Directions of a GGX lobe around +Z, for filtered importance sampling.
///
/// Half-vectors lie on a Fibonacci spiral, drawn from the distribution of visible normals for a view along the normal, which is
/// D(h) · cos θ. Each sample reads a mip level of the source whose texels have about the solid angle that the sample stands for (Křivánek & Colbert
/// 2008).
struct GGXSamples {
    /// x and y of the light's direction, its weight (with the cosine; all sum up to 1), and the source's mip level.
    let values: [SIMD4<Float>]

    /// Computes the samples of a prefiltered level.
    ///
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
            // Denser in the lobe's wide tail than its energy requires, so that a light there does not fall between two samples.
            let rest = 1 - (Double(index) + 0.5) / Double(count)
            let share = 1 - rest * rest.squareRoot()
            let weight = 1.5 * rest.squareRoot()
            // Inverse of the cumulative distribution (Walter et al. 2007).
            let cosineSquared = (1 - share) / (1 + (alpha * alpha - 1) * share)
            let z = 2 * cosineSquared - 1
            if z <= 0 { continue }
            let radius = max(1 - z * z, 0).squareRoot()
            let azimuth = Double(index) * goldenAngle
            let density = Self.density(cosineSquared: cosineSquared, alpha: alpha)
            let level = 0.5 * log(weight / (Double(count) * density) / texel) / log(2) - Self.refinement(roughness)
            values.append(
                SIMD4(
                    Float(radius * cos(azimuth)), Float(radius * sin(azimuth)), Float(weight * z),
                    Float(clamp(level.rounded(), 0, Double(sourceLevels - 1)))))
        }
        let sum = values.reduce(0) { $0 + $1.z }
        self.values = values.map { SIMD4($0.x, $0.y, $0.z / sum, $0.w) }
    }

    /// The number of mip levels by which the footprints are finer than equal shares: larger ones blur a sharp lobe, smaller ones leave the samples of a wide
    /// one visible in blurred backgrounds. Suns are not sampled (`BrightSpots`).
    private static func refinement(_ roughness: Float) -> Double { 0.5 - 1.2 * Double(roughness) }

    /// Returns the probability density of the light's direction, per steradian: D(h) / 4 when view and normal agree.
    private static func density(cosineSquared: Double, alpha: Double) -> Double {
        let a2 = alpha * alpha
        let d = cosineSquared * (a2 - 1) + 1
        return a2 / (Double.pi * d * d) / 4
    }
}

/// The GGX lobe of a prefiltered level as a function of the direction: viewed along the normal, weighted by the cosine, with integral 1.
struct GGXLobe {
    /// The square of the microfacet width α.
    let alphaSquared: Float
    /// The lobe is strength · z / (1 + (α² − 1)(1 + z) / 2)², where z is the cosine between direction and normal.
    let strength: Float

    /// Creates the lobe of a roughness, widened by a spread.
    ///
    /// - Parameters:
    ///   - roughness: perceptual.
    ///   - spread: the mean square of angles, in square radians, by which the lobe is widened.
    init(roughness: Float, spread: Float) {
        // Half-vectors turn by half the angle of the light, and α² is the mean square of their slopes (of Beckmann's lobe, which is similar).
        let a2 = Double(roughness * roughness * roughness * roughness) + Double(spread) / 4
        // The mean cosine of the distribution, over even shares of it.
        let count = 256
        var mean = 0.0
        for index in 0..<count {
            let share = (Double(index) + 0.5) / Double(count)
            mean += max(2 * (1 - share) / (1 + (a2 - 1) * share) - 1, 0) / Double(count)
        }
        alphaSquared = Float(a2)
        strength = Float(a2 / (4 * Double.pi * mean))
    }
}
