import VitrineMath
import VitrineScene

extension MaterialLobe {
    /// Reflections that are elongated along a direction (KHR_materials_anisotropy): GGX with two widths, Heitz 2014, "Understanding the
    /// Masking-Shadowing Function in Microfacet-Based BRDFs".
    static let anisotropy = MaterialLobe(
        .anisotropy, "ANISOTROPY", needsTangents: true,
        maps: [MaterialMap(.anisotropy, "anisotropy", condition: "ANISOTROPY_MAP") { $0.anisotropy.map }],
        uniforms: [
            // Cosine and sine of the rotation, strength.
            Uniform("anisotropy") { m in
                let rotation = m.anisotropy.rotation.radians
                return Vector4(cos(rotation), sin(rotation), m.anisotropy.strength, 0)
            }
        ],
        shader: Shader(
            members: """
                anisotropy: f32,
                // Of unit length, in the plane of tangent and bitangent.
                anisotropyDirection: vec2f,
                // Found by the shader: microfacet widths along and across the direction of elongation.
                alphas: vec2f,
                drawnAlong: vec3f,
                drawnAcross: vec3f,
                """,
            reading: """
                (*s).anisotropy = material.anisotropy.z;
                var direction = vec2f(1.0, 0.0);
                #if ANISOTROPY_MAP
                let texel = anisotropyTexel(t);
                direction = texel.rg * 2.0 - 1.0;
                (*s).anisotropy *= texel.b;
                #endif
                let turned = vec2f(
                    material.anisotropy.x * direction.x - material.anisotropy.y * direction.y,
                    material.anisotropy.y * direction.x + material.anisotropy.x * direction.y);
                (*s).anisotropyDirection = turned * inverseSqrt(max(dot(turned, turned), 1e-8));
                """,
            preparation: "findAnisotropy(&s);",
            functions: """
                // The two widths and their axes around the shading normal.
                fn findAnisotropy(s: ptr<function, Surface>) {
                    let alpha = max((*s).roughness * (*s).roughness, 2e-3);
                    let strength = saturate((*s).anisotropy);
                    (*s).alphas = vec2f(mix(alpha, 1.0, strength * strength), alpha);
                    let bitangent = cross((*s).normal, (*s).tangent) * (*s).handedness;
                    let along = (*s).tangent * (*s).anisotropyDirection.x + bitangent * (*s).anisotropyDirection.y;
                    let projected = along - (*s).normal * dot(along, (*s).normal);
                    (*s).drawnAlong = projected * inverseSqrt(max(dot(projected, projected), 1e-12));
                    (*s).drawnAcross = cross((*s).normal, (*s).drawnAlong);
                }

                // Distribution times height-correlated visibility; vectors in the frame of along, across, normal.
                fn anisotropicGGX(h: vec3f, v: vec3f, l: vec3f, alphas: vec2f) -> f32 {
                    let p = vec3f(h.xy / alphas, h.z);
                    let squared = dot(p, p);
                    let d = 1.0 / (PI * alphas.x * alphas.y * squared * squared);
                    let g = l.z * length(vec3f(alphas * v.xy, v.z)) + v.z * length(vec3f(alphas * l.xy, l.z));
                    return d * 0.5 / max(g, 1e-6);
                }

                fn aroundDrawn(s: Surface, d: vec3f) -> vec3f { return vec3f(dot(s.drawnAlong, d), dot(s.drawnAcross, d), dot(s.normal, d)); }

                // The isotropic lobes of a frame that make up an anisotropic one; the least microfacet width of each in a single frame, as a share of the width
                // along the direction of elongation.
                const LOBE_COUNT = 6u;
                const LEAST_WIDTH = 0.12;

                // The environment in an anisotropic lobe: isotropic lobes side by side along the direction of elongation. They are distributed as the visible
                // normals of a surface without a width across (Heitz 2018, "Sampling the GGX Distribution of Visible Normals").
                fn drawnOutEnvironment(s: Surface) -> vec3f {
                    var v = aroundDrawn(s, s.view);
                    v.z = max(v.z, 1e-3);
                    // The more frames a still has, the nearer its lobes are to each other, and the narrower they may be.
                    let width = max(s.alphas.y, LEAST_WIDTH * s.alphas.x * frame.lobeSample.y);
                    let length = sqrt(max(s.alphas.x * s.alphas.x - width * width, 0.0));
                    let roughness = sqrt(width);
                    let stretched = normalize(vec2f(length * v.x, v.z));
                    let skewed = 0.5 + 0.5 * stretched.y;
                    let side = select(-1.0, 1.0, v.x >= 0.0);
                    let maskedView = masking(v, s.alphas);
                    var sum = vec3f(0.0);
                    var weights = 1e-6;
                    var middle = vec3f(0.0);
                    for (var i = 0u; i < LOBE_COUNT; i++) {
                        // A point of a disc, the other coordinate at its mean, moved to the visible part of the hemisphere.
                        let onDiameter = side * alongDiameter((f32(i) + frame.lobeSample.x) / f32(LOBE_COUNT));
                        let beside = 0.25 * (1.0 - onDiameter * onDiameter);
                        let t = mix(sqrt(1.0 - beside), onDiameter, skewed);
                        let up = sqrt(max(1.0 - beside - t * t, 0.0));
                        let h = normalize(vec2f(length * (up * stretched.x - side * stretched.y * t), abs(stretched.x) * t + up * stretched.y));
                        let l = vec3f(h.x, 0.0, h.y) * (2.0 * (v.x * h.x + v.z * h.y)) - v;
                        let weight = select(0.0, (1.0 + maskedView) / (1.0 + maskedView + masking(l, s.alphas)), l.z > 1e-4);
                        let d = s.drawnAlong * l.x + s.drawnAcross * l.y + s.normal * l.z;
                        sum += environmentSpecular(lobeMiddle(d, s.normal, roughness), roughness) * (weight * horizon(d, s.geometricNormal));
                        middle += weight * d;
                        weights += weight;
                    }
                    return sum * (lobeVisibility(s, normalize(middle + 1e-6 * s.normal), s.roughness) / weights);
                }

                // Where a share of the area of a disc of radius 1 ends along its diameter, -1…1: a polynomial, within 0.08.
                fn alongDiameter(share: f32) -> f32 {
                    let u = 2.0 * share - 1.0;
                    let u2 = u * u;
                    return u * ((0.0605 * u2 + 0.0769) * u2 + 0.785);
                }

                // Smith's Λ (Heitz 2014).
                fn masking(d: vec3f, alphas: vec2f) -> f32 {
                    let slope = alphas * d.xy / max(d.z, 1e-4);
                    return 0.5 * sqrt(1.0 + dot(slope, slope)) - 0.5;
                }
                """)
    ) { $0.anisotropy.strength != 0 || $0.functionSets("anisotropy") }
}
