import VitrineMath
import VitrineScene

extension MaterialLobe {
    /// A protective layer over the surface (KHR_materials_clearcoat): dielectric, index of refraction 1.5.
    static let coat = MaterialLobe(
        .coat, "COAT",
        maps: [
            MaterialMap(.coat, "coat") { $0.clearcoat.factor.map },
            MaterialMap(.coatRoughness, "coatRoughness") { $0.clearcoat.roughness.map },
            MaterialMap(.coatNormal, "coatNormal", .normal, condition: "COAT_NORMAL_MAP") { $0.clearcoat.normal.map },
        ],
        uniforms: [
            Uniform("coat") { $0.clearcoat.factor.channelFactors },
            Uniform("coatRoughness") { $0.clearcoat.roughness.channelFactors },
            Uniform("coatNormalScale") { Vector4($0.clearcoat.normal.scale, 0, 0, 0) },
        ],
        shader: Shader(
            members: """
                coat: f32,
                coatRoughness: f32,
                coatNormal: vec3f,
                """,
            reading: """
                (*s).coat = saturate(dot(coatTexel(t), material.coat));
                (*s).coatRoughness = saturate(dot(coatRoughnessTexel(t), material.coatRoughness));
                #if COAT_NORMAL_MAP
                let texel = unpackNormal(coatNormalTexel(t), material.coatNormalScale.x);
                (*s).coatNormal = bend(texel, vec4f((*s).tangent, (*s).handedness), (*s).geometricNormal);
                #else
                (*s).coatNormal = (*s).geometricNormal;
                #endif
                """,
            limits: """
                (*s).coatNormal = normalize((*s).coatNormal);
                (*s).coat = saturate((*s).coat);
                (*s).coatRoughness = saturate((*s).coatRoughness);
                """,
            environment: """
                let coat = coatLight(s);
                light = light * coat.w;
                if (has(ENVIRONMENT)) { light += coat.rgb; }
                emission *= coat.w;
                """,
            direction: """
                let coatNL = saturate(dot(s.coatNormal, toLight));
                let coatNV = max(dot(s.coatNormal, s.view), 1e-3);
                let alpha = max(s.coatRoughness * s.coatRoughness, 2e-3);
                let f = fresnel(vec3f(0.04), vh).x * s.coat;
                // The share of light that the coat removes under uniform light: its reflection towards the eye.
                let ab = directionalAlbedo(s.coatRoughness, coatNV);
                result = result * (1.0 - s.coat * (0.04 * ab.x + ab.y)) + f * ggx(saturate(dot(s.coatNormal, h)), coatNV, coatNL, alpha) * coatNL;
                """,
            area: """
                let coatNV = max(dot(s.coatNormal, s.view), 1e-3);
                let ab = directionalAlbedo(s.coatRoughness, coatNV);
                let albedo = s.coat * (0.04 * ab.x + ab.y);
                let coat = areaShare(f.coat, offset, light);
                result = result * (1.0 - albedo) + albedo * coat;
                """,
            functions: """
                // The coat's reflection, and in w the remaining share of the layers below.
                fn coatLight(s: Surface) -> vec4f {
                    let nv = max(dot(s.coatNormal, s.view), 1e-3);
                    let ab = directionalAlbedo(s.coatRoughness, nv);
                    let albedo = s.coat * (0.04 * ab.x + ab.y);
                    let reflected = reflect(-s.view, s.coatNormal);
                    let middle = lobeMiddle(reflected, s.coatNormal, s.coatRoughness);
                    let radiance = environmentSpecular(middle, s.coatRoughness) + ambientRadiance();
                    let occlusion = lobeOcclusion(s, nv, s.coatRoughness) * horizon(reflected, s.geometricNormal)
                        * lobeVisibility(s, reflected, s.coatRoughness);
                    return vec4f(radiance * (albedo * occlusion), 1.0 - albedo);
                }
                """)
    ) { $0.clearcoat.factor.hasEffect || $0.functionSets("coat") }
}
