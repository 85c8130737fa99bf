import VitrineMath

/// The Blinn material that looks most similar to a surface with metalness and roughness.
///
/// COLLADA's common profile has no metalness, and its viewers light a Blinn surface with the environment only by its diffuse colour. A black diffuse
/// colour, which is correct for a metal, is therefore wrong there. The formulas are fitted to renderings of a sphere and a box in sRGB, with the
/// studio environment, two directional lights, and both, for roughness 0.05 … 1, metalness 0, 0.5, 1 and grey base colours 0.2, 0.5, 1.
struct BlinnApproximation: Equatable {
    /// The diffuse and the specular colour, linear.
    let diffuse, specular: Vector3
    /// The exponent of the cosine between normal and half vector, 8 … 1000.
    let shininess: Float

    /// Fits a Blinn material.
    ///
    /// - Parameters:
    ///   - base: The linear base colour that the highlight has.
    ///   - metalness: The metalness, 0 … 1.
    ///   - roughness: The perceptual roughness, 0 … 1.
    init(base: Vector3, metalness: Float, roughness: Float) {
        // Light that leaves a rough metal was reflected several times and coloured each time (Fdez-Agüera 2019); `single` is the fraction that leaves a
        // white metal after a single reflection.
        let single = 1 - 0.54 * roughness * roughness * roughness
        let reflected = base * single / (Vector3(repeating: 1) - base * (1 - single))
        // A dielectric keeps its colour: the highlight has 4 % of the reflections.
        diffuse = mix(base, reflected * Self.diffuseShare(roughness), metalness)
        shininess = clamp(8 / max(roughness * roughness, 1e-4), 8, 1000)
        // The peak of a microfacet lobe of width α = roughness², seen from above: F / (4 α²).
        let reflectance = mix(Vector3(repeating: 0.04), base, metalness)
        let peak = reflectance / (4 * max(roughness * roughness * roughness * roughness, 1e-4))
        // Components are limited to 1: a brighter colour keeps its hue.
        specular = peak / max(peak.max(), 1)
    }

    /// Returns the fraction of a metal's colour that becomes diffuse. A mirror reflects the whole environment but no light outside its highlight: half is
    /// a compromise. The lobe of a rough metal is nearly a cosine.
    static func diffuseShare(_ roughness: Float) -> Float { 0.5 + 0.4 * roughness * roughness.squareRoot() }

    /// Returns whether visible reflections are lost: more than 0.1 in sRGB, root mean square over the renderings above.
    static func losesReflections(metalness: Float, roughness: Float) -> Bool { metalness * (1 - roughness) > 0.4 }
}
