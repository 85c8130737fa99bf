import VitrineMath
import VitrineScene

extension MaterialLobe {
    /// Light that passes through (KHR_materials_transmission, KHR_materials_volume, KHR_materials_dispersion): the opaque scene where the
    /// refracted ray leaves the volume, and the environment where there is no geometry.
    static let transmission = MaterialLobe(
        .transmission, "TRANSMISSION",
        maps: [MaterialMap(.transmission, "transmission") { $0.transmission.factor.map }],
        uniforms: [Uniform("transmission") { $0.transmission.factor.channelFactors }],
        shader: Shader(
            members: """
                transmission: f32,
                // Found by the shader: the node's scale.
                scale: f32,
                """,
            reading: "(*s).transmission = saturate(dot(transmissionTexel(t), material.transmission));",
            limits: "(*s).transmission = saturate((*s).transmission);",
            preparation: """
                let m = instances[in.instance].worldFromLocal;
                s.scale = sqrt((dot(m[0].xyz, m[0].xyz) + dot(m[1].xyz, m[1].xyz) + dot(m[2].xyz, m[2].xyz)) / 3.0);
                """,
            transmitted: "light += r.transmitted * transmittedLight(s);",
            direction: "result += lightThrough(s, r, toLight);",
            area: """
                // Light from behind is transmitted as if it were mirrored to the front.
                let mirrored = mat3x3f(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), vec3f(0.0, 0.0, -1.0)) * f.diffuse;
                var through = r.transmitted * areaShare(areaMatrix(transmissionRoughness(s), nv) * mirrored, offset, light);
                #if VOLUME
                through *= exp(-s.attenuation * s.thickness * s.scale);
                #endif
                result += through;
                """,
            functions: """
                struct Leaving {
                    position: vec3f,
                    direction: vec3f,
                    // Metres inside.
                    distance: f32,
                }

                // The refracted ray through the volume. Its far side is unknown: the volume is treated as a sphere whose diameter is the thickness,
                // which is exact for spheres and close for most closed shapes.
                fn refractThrough(s: Surface, ior: f32) -> Leaving {
                    var out: Leaving;
                    out.position = s.position;
                    out.direction = -s.view;
                #if VOLUME
                    let inside = refract(-s.view, s.normal, 1.0 / max(ior, 1.0));
                    let cosine = -dot(s.normal, inside);
                    out.distance = s.thickness * s.scale * cosine;
                    out.position += inside * out.distance;
                    // The normal on the far side of a sphere, turned inwards.
                    let far = -normalize(s.normal + inside * (2.0 * cosine));
                    let leaving = refract(inside, far, max(ior, 1.0));
                    out.direction = select(leaving, inside, dot(leaving, leaving) < 0.5);
                #endif
                    return out;
                }

                // A facet that leans by an angle turns reflected light by twice that, and light that passes two boundaries only by about 1.1 (n − 1) of it; the
                // width is the square of this roughness. Very rough glass also scatters inside and becomes as dull as its reflection.
                fn transmissionRoughness(s: Surface) -> f32 {
                #if VOLUME
                    return s.roughness * mix(sqrt(saturate(0.55 * (s.ior - 1.0))), 1.0, s.roughness * s.roughness);
                #else
                    return s.roughness;
                #endif
                }

                #if VOLUME
                // The light that the far side of the sphere reflects once, which then leaves at a third point: bright light behind the eye shines up
                // in glass.
                fn mirroredWithin(s: Surface, roughness: f32) -> vec3f {
                    let ior = max(s.ior, 1.0);
                    let inside = refract(-s.view, s.normal, 1.0 / ior);
                    let cosine = -dot(s.normal, inside);
                    let far = s.normal + inside * (2.0 * cosine);
                    let back = reflect(inside, -far);
                    let leaving = refract(back, -normalize(far + back * (2.0 * cosine)), ior);
                    let direction = select(leaving, back, dot(leaving, leaving) < 0.5);
                    var light = ambientRadiance();
                    if (has(ENVIRONMENT)) { light += environmentSpecular(direction, roughness); }
                    return light * exp(-s.attenuation * (2.0 * s.thickness * s.scale * cosine));
                }
                #endif

                // The mean light from behind, and the share of the light that the rough inside scatters so often that it comes from all of it. The share and
                // `roughPath` are fitted to exact paths through spheres (`lobe_glass.py`) of two indices and three roughnesses in two environments.
                fn scatteredWithin(s: Surface) -> vec4f {
                #if VOLUME
                    if (has(ENVIRONMENT)) {
                        let mean = environmentIrradiance(-s.view) / PI + ambientRadiance();
                        return vec4f(mean, saturate(2.0 * (s.ior - 1.0) * s.roughness * s.roughness * s.roughness));
                    }
                #endif
                    return vec4f(0.0);
                }

                // The factor by which the path of light that is scattered inside is longer.
                fn roughPath(s: Surface) -> f32 { return 1.0 + 0.6 * s.roughness * s.roughness; }

                fn seenThrough(s: Surface, ior: f32, roughness: f32, scattered: vec4f) -> vec3f {
                    let leaving = refractThrough(s, ior);
                    let clip = frame.clipFromWorld * vec4f(leaving.position, 1.0);
                    let uv = clip.xy / clip.w * vec2f(0.5, -0.5) + 0.5;
                    let level = log2(frame.viewportSize.x) * roughness;
                    var scene = opaqueSceneAt(uv, level);
                    // Outside of the image there is no data.
                    let inside = all(uv >= vec2f(0.0)) && all(uv <= vec2f(1.0)) && clip.w > 0.0;
                    scene = select(vec4f(0.0), scene, inside);
                    var behind = vec3f(0.0);
                    if (has(ENVIRONMENT)) { behind = environmentSpecular(leaving.direction, roughness) + ambientRadiance(); }
                    behind = mix(behind, scattered.rgb, scattered.w);
                    let light = scene.rgb + behind * (1.0 - scene.a);
                #if VOLUME
                    // Beer and Lambert.
                    return light * exp(-s.attenuation * (leaving.distance * roughPath(s)));
                #else
                    return light;
                #endif
                }

                // Radiance that arrives through the surface, before the surface's own colour.
                fn transmittedLight(s: Surface) -> vec3f {
                    let roughness = transmissionRoughness(s);
                    let scattered = scatteredWithin(s);
                #if DISPERSION
                    // KHR_materials_dispersion: the index of red, green and blue by the Abbe number 20 / dispersion.
                    let spread = (s.ior - 1.0) * 0.025 * s.dispersion;
                    let red = seenThrough(s, s.ior - spread, roughness, scattered);
                    let green = seenThrough(s, s.ior, roughness, scattered);
                    let blue = seenThrough(s, s.ior + spread, roughness, scattered);
                    let seen = vec3f(red.r, green.g, blue.b);
                #else
                    let seen = seenThrough(s, s.ior, roughness, scattered);
                #endif
                #if VOLUME
                    // A sphere's far side mirrors as much as its near side does.
                    let mirrored = fresnelBetween(s.dielectricF0, s.dielectricF90, max(dot(s.normal, s.view), 1e-3));
                    return mix(seen, mirroredWithin(s, s.roughness), mirrored);
                #else
                    return seen;
                #endif
                }

                // A light behind the surface shines through it as if it were mirrored in front: a thin rough sheet.
                fn lightThrough(s: Surface, r: Reflectance, toLight: vec3f) -> vec3f {
                    let nl = -dot(s.normal, toLight);
                    if (nl <= 0.0) { return vec3f(0.0); }
                    let mirrored = toLight + s.normal * (2.0 * nl);
                    let h = normalize(s.view + mirrored);
                    let roughness = transmissionRoughness(s);
                    let alpha = max(roughness * roughness, 2e-3);
                    let nv = max(dot(s.normal, s.view), 1e-3);
                    var light = r.transmitted * (ggx(saturate(dot(s.normal, h)), nv, nl, alpha) * nl);
                #if VOLUME
                    light *= exp(-s.attenuation * s.thickness * s.scale);
                #endif
                    return light;
                }
                """)
    ) { $0.isTransmissive }

    /// The medium below a transmissive surface.
    static let volume = MaterialLobe(
        .volume, "VOLUME",
        maps: [MaterialMap(.thickness, "thickness") { $0.volume.thickness.map }],
        uniforms: [
            Uniform("thickness") { $0.volume.thickness.channelFactors },
            // Rate per metre at which light fades inside, by channel; dispersion.
            Uniform("volume") { Vector4($0.volume.attenuationRates, $0.transmission.dispersion) },
        ],
        shader: Shader(
            members: """
                // In the mesh's own frame.
                thickness: f32,
                // How fast light fades inside, a metre.
                attenuation: vec3f,
                dispersion: f32,
                """,
            reading: """
                (*s).thickness = max(dot(thicknessTexel(t), material.thickness), 0.0);
                (*s).attenuation = material.volume.rgb;
                (*s).dispersion = material.volume.w;
                """)
    ) { $0.isTransmissive && $0.hasVolume }

    /// An index of refraction for each colour.
    static let dispersion = MaterialLobe(.dispersion, "DISPERSION") {
        $0.isTransmissive && $0.hasVolume && $0.transmission.dispersion > 0
    }
}

extension Material {
    fileprivate var isTransmissive: Bool { transmission.factor.hasEffect || functionSets("transmission") }
    fileprivate var hasVolume: Bool { volume.thickness.hasEffect || functionSets("thickness") }
}
