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

                // The environment in an anisotropic lobe: one sample along the reflection at a bent normal, as in McAuley 2015, "Rendering the World
                // of Far Cry 4" (GDC). Several narrow lobes spread along the direction look better, but their shader makes Mesa 22.3's rasterizer
                // crash where no map gives the roughness.
                fn drawnOutEnvironment(s: Surface) -> vec3f {
                    let across = s.drawnAcross;
                    let bent = normalize(cross(cross(across, s.view), across));
                    let share = 0.7 * saturate(s.anisotropy) * saturate(4.0 * s.roughness);
                    let reflected = reflect(-s.view, normalize(mix(s.normal, bent, share)));
                    return environmentSpecular(reflected, s.roughness) * (horizon(reflected, s.geometricNormal) * lobeVisibility(s, reflected, s.roughness));
                }
                """)
    ) { $0.anisotropy.strength != 0 || $0.functionSets("anisotropy") }
}
