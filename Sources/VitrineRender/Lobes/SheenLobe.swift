import VitrineMath
import VitrineScene

extension MaterialLobe {
    /// Fine fibres (KHR_materials_sheen): Estevez and Kulla, "Production Friendly Microfacet Sheen BRDF", 2017.
    static let sheen = MaterialLobe(
        .sheen, "SHEEN",
        maps: [
            MaterialMap(.sheenColor, "sheenColor", .color) { $0.sheen.color.map },
            MaterialMap(
                .sheenRoughness, "sheenRoughness", readsOnlyAlpha: { $0.sheen.roughness.channel == .alpha },
                map: {
                    $0.sheen.roughness.map
                }),
        ],
        uniforms: [
            Uniform("sheenColor") { $0.sheen.color.linear },
            Uniform("sheenRoughness") { $0.sheen.roughness.channelFactors },
        ],
        shader: Shader(
            members: """
                sheenColor: vec3f,
                sheenRoughness: f32,
                """,
            reading: """
                (*s).sheenColor = saturate(material.sheenColor.rgb * sheenColorTexel(t).rgb);
                (*s).sheenRoughness = saturate(dot(sheenRoughnessTexel(t), material.sheenRoughness));
                """,
            limits: """
                (*s).sheenColor = saturate((*s).sheenColor);
                (*s).sheenRoughness = saturate((*s).sheenRoughness);
                """,
            environment: """
                let sheen = sheenLight(s);
                light = light * sheen.w;
                if (has(ENVIRONMENT)) { light += sheen.rgb; }
                """,
            direction: """
                if (nl > 0.0) {
                    let sheen = sheenOfLight(s, saturate(dot(s.normal, h)), nv, nl);
                    result = result * sheen.w + sheen.rgb;
                }
                """,
            area: """
                let roughness = sheenRoughness(s);
                let sheen = sheenAlbedo(nv, roughness);
                let leaning = areaFrame(sheenDirection(s, nv, roughness), s.view);
                result = result * (1.0 - largest(s.sheenColor) * sheen) + s.sheenColor * sheen * areaShare(leaning, offset, light);
                """,
            functions: """
                // Below, the lobe is narrower than that of any cloth and reflects more light than it receives.
                const LEAST_SHEEN_ROUGHNESS = 0.1;

                fn sheenRoughness(s: Surface) -> f32 { return max(s.sheenRoughness, LEAST_SHEEN_ROUGHNESS); }

                // The paper's fit of the logarithm of its masking term, for a microfacet width.
                fn sheenMaskingFit(x: f32, alpha: f32) -> f32 {
                    let t = (1.0 - alpha) * (1.0 - alpha);
                    let a = mix(21.5473, 25.3245, t);
                    let b = mix(3.82987, 3.32435, t);
                    let c = mix(0.19823, 0.16801, t);
                    let d = mix(-1.97760, -1.27393, t);
                    let e = mix(-4.32054, -4.85967, t);
                    return a / (1.0 + b * pow(x, c)) + d * x + e;
                }

                fn sheenMasking(cosine: f32, alpha: f32) -> f32 {
                    if (cosine < 0.5) { return exp(sheenMaskingFit(max(cosine, 1e-4), alpha)); }
                    return exp(2.0 * sheenMaskingFit(0.5, alpha) - sheenMaskingFit(max(1.0 - cosine, 1e-4), alpha));
                }

                // The white lobe: inverted Gaussian distribution and masking, without the cosine.
                fn sheenLobe(nh: f32, nv: f32, nl: f32, roughness: f32) -> f32 {
                    let alpha = roughness * roughness;
                    let sine = sqrt(max(1.0 - nh * nh, 1e-8));
                    let distribution = (2.0 + 1.0 / alpha) * pow(sine, 1.0 / alpha) / (2.0 * PI);
                    return distribution / ((1.0 + sheenMasking(nv, alpha) + sheenMasking(nl, alpha)) * 4.0 * max(nv, 1e-3) * max(nl, 1e-3));
                }

                // The lobe's directional albedo: the exponential of a polynomial of roughness and the root of the cosine, fitted to 19 × 24 integrals
                // of 192² samples (root mean square error 0.014). Clamped to 1, which the lobe itself exceeds below a roughness of 0.2 at grazing
                // angles.
                fn sheenAlbedo(nv: f32, r: f32) -> f32 {
                    let u = sqrt(nv);
                    var e = -6.46148;
                    e = e * u + (6.77805 * r + 7.05473);
                    e = e * u + ((-14.75012 * r + 15.97174) * r + -12.39143);
                    e = e * u + (((24.55197 * r + -43.60311) * r + 25.09536) * r + -3.82031);
                    e = e * u + (((-8.62392 * r + 17.09179) * r + -10.46647) * r + 1.75774);
                    return min(exp(e), 1.0);
                }

                // Where the lobe points: fibres send light back towards where it came from. Around it the lobe is about as wide as a cosine's, so
                // the lobe gathers irradiance from there (its mean direction is 0.5 to 0.65 long for all angles that matter, a cosine's is 0.67).
                fn sheenDirection(s: Surface, nv: f32, r: f32) -> vec3f {
                    let lean = exp((0.37485 * nv + -0.35731 * r + 1.49585) * nv + ((2.64612 * r + -5.94141) * r + 1.45112));
                    return normalize(s.normal + (s.view - s.normal * nv) * lean);
                }

                // Light of one direction reflected by the fibres, cosine included, and in w the share that arrives at the layers below.
                fn sheenOfLight(s: Surface, nh: f32, nv: f32, nl: f32) -> vec4f {
                    let r = sheenRoughness(s);
                    let albedos = vec2f(sheenAlbedo(nv, r), sheenAlbedo(nl, r));
                    let below = 1.0 - max(s.sheenColor.r, max(s.sheenColor.g, s.sheenColor.b)) * max(albedos.x, albedos.y);
                    return vec4f(s.sheenColor * (sheenLobe(nh, nv, nl, r) * nl), below);
                }

                // The fibres' reflection, and in w the remaining share of the layers below.
                fn sheenLight(s: Surface) -> vec4f {
                    let nv = max(dot(s.normal, s.view), 1e-3);
                    let r = sheenRoughness(s);
                    let albedo = sheenAlbedo(nv, r);
                    let direction = sheenDirection(s, nv, r);
                    var occlusion = s.occlusion;
                #if !OCCLUSION_MAP
                    occlusion *= diffuseVisibility(s, direction);
                #endif
                    let radiance = (environmentIrradiance(direction) / PI + ambientRadiance()) * occlusion;
                    return vec4f(s.sheenColor * radiance * albedo, 1.0 - largest(s.sheenColor) * albedo);
                }
                """)
    ) { $0.sheen.color.hasEffect || $0.functionSets("sheenColor") }
}
