import VitrineMath

/// The Blinn material that looks nearest to a surface of metalness and roughness.
///
/// COLLADA's common profile has no metalness, and its viewers light a Blinn surface with the environment by its diffuse color alone. Black
/// diffuse, which is correct for a metal, is therefore wrong there. These formulas are fitted to renderings of a sphere and a box in sRGB, under
/// the studio environment, two directional lights, and both together, for roughness 0.05 … 1, metalness 0, 0.5, 1 and gray base colors 0.2, 0.5, 1.
struct BlinnApproximation: Equatable {
    /// Linear.
    let diffuse, specular: Vector3
    /// The exponent of the cosine between normal and half vector, 8 … 1000.
    let shininess: Float

    /// - Parameters:
    ///   - base: The linear base color that the highlight has.
    ///   - metalness: 0 … 1.
    ///   - roughness: 0 … 1, perceptual.
    init(base: Vector3, metalness: Float, roughness: Float) {
        // Light that leaves a rough metal was reflected several times and colored each time (Fdez-Agüera 2019); `single` is the share that
        // leaves a white one after a single reflection.
        let single = 1 - 0.54 * roughness * roughness * roughness
        let reflected = base * single / (Vector3(repeating: 1) - base * (1 - single))
        // A dielectric keeps its color: 4 % of reflections are left to the highlight.
        diffuse = mix(base, reflected * Self.diffuseShare(roughness), metalness)
        shininess = clamp(8 / max(roughness * roughness, 1e-4), 8, 1000)
        // The peak of a microfacet lobe of width α = roughness², seen from above: F / (4 α²).
        let reflectance = mix(Vector3(repeating: 0.04), base, metalness)
        let peak = reflectance / (4 * max(roughness * roughness * roughness * roughness, 1e-4))
        // Colors end at 1: a brighter one keeps its hue.
        specular = peak / max(peak.max(), 1)
    }

    /// How much of a metal's color becomes diffuse. A mirror reflects all of the environment but no light outside of its highlight: half is in
    /// between. The lobe of a rough metal is nearly a cosine.
    static func diffuseShare(_ roughness: Float) -> Float { 0.5 + 0.4 * roughness * roughness.squareRoot() }

    /// Whether reflections are lost that a viewer notices: more than 0.1 in sRGB, root mean square over the renderings named above.
    static func losesReflections(metalness: Float, roughness: Float) -> Bool { metalness * (1 - roughness) > 0.4 }
}
