/// A material at a point, lit.
let surfaceShader = """
    // Tangent and bitangent from the screen derivatives of position and texture coordinates, for geometry without tangents.
    fn derivedTangent(position: vec3f, uv: vec2f, normal: vec3f) -> vec4f {
        let p1 = dpdx(position);
        let p2 = dpdy(position);
        let t1 = dpdx(uv);
        let t2 = dpdy(uv);
        let determinant = t1.x * t2.y - t2.x * t1.y;
        let tangent = (p1 * t2.y - p2 * t1.y) * select(-1.0, 1.0, determinant >= 0.0);
        let projected = tangent - normal * dot(normal, tangent);
        let squared = dot(projected, projected);
        // v grows downwards in the picture: the bitangent points up where cross(normal, tangent) · w does.
        let bitangent = (p2 * t1.x - p1 * t2.x) * select(-1.0, 1.0, determinant >= 0.0);
        let w = select(1.0, -1.0, dot(cross(normal, tangent), bitangent) > 0.0);
        if (squared <= 0.0) { return vec4f(0.0, 0.0, 0.0, 1.0); }
        return vec4f(projected * inverseSqrt(squared), w);
    }

    fn bend(n: vec3f, tangent: vec4f, normal: vec3f) -> vec3f {
        let t = tangent.xyz;
        let b = cross(normal, t) * tangent.w;
        return normalize(t * n.x + b * n.y + normal * n.z);
    }

    fn surfaceAt(in: Varyings, isFront: bool) -> Surface {
        var s: Surface;
        s.position = in.world;
        s.view = normalize(frame.eye.xyz - in.world * frame.eye.w);
        s.color = in.color;
        s.occlusion0 = in.occlusion0;
        s.occlusion1 = in.occlusion1;
        s.occlusion2 = in.occlusion2;

        var base = material.baseColor;
        if (has(BASE_COLOR)) { base *= textureSampleBias(baseColorMap, baseColorSampler, slotUV(BASE_COLOR, in.uv), frame.parameters.z); }
        if (has(VERTEX_COLOR)) { base *= in.color; }
        if (has(BLENDED)) { base.a *= instances[in.instance].opacity; }
        s.baseColor = base.rgb;
        s.alpha = base.a;

        var texel = vec4f(1.0);
        if (has(ROUGHNESS)) { texel = textureSampleBias(roughnessMap, roughnessSampler, slotUV(ROUGHNESS, in.uv), frame.parameters.z); }
        s.roughness = saturate(dot(texel, material.roughness));
        var metalnessTexel = vec4f(1.0);
        if (has(METALNESS_IN_ROUGHNESS)) { metalnessTexel = texel; }
        if (has(METALNESS)) { metalnessTexel = textureSampleBias(metalnessMap, metalnessSampler, slotUV(METALNESS, in.uv), frame.parameters.z); }
        s.metalness = saturate(dot(metalnessTexel, material.metalness));
        var occlusionTexel = vec4f(1.0);
        if (has(OCCLUSION_IN_ROUGHNESS)) { occlusionTexel = texel; }
        if (has(OCCLUSION)) { occlusionTexel = textureSampleBias(occlusionMap, occlusionSampler, slotUV(OCCLUSION, in.uv), frame.parameters.z); }
        s.occlusion = mix(1.0, saturate(dot(occlusionTexel, material.occlusion)), material.scales.z);

        s.emission = material.emission.rgb;
        if (has(EMISSION)) { s.emission *= textureSampleBias(emissionMap, emissionSampler, slotUV(EMISSION, in.uv), frame.parameters.z).rgb; }

        var tangent = in.tangent;
        if (has(VERTEX_NORMALS)) {
            s.geometricNormal = normalize(in.normal);
            if (has(DOUBLE_SIDED)) { s.geometricNormal = select(-s.geometricNormal, s.geometricNormal, isFront); }
        } else if (TRIANGLES) {
            let n = cross(dpdy(in.world), dpdx(in.world));
            s.geometricNormal = normalize(select(-n, n, dot(n, s.view) >= 0.0));
        } else {
            s.geometricNormal = s.view;
        }
        s.normal = s.geometricNormal;
        if (has(NORMAL)) {
            let uv = slotUV(NORMAL, in.uv);
            s.normalUV = uv;
            if (has(VERTEX_TANGENTS)) {
                let projected = tangent.xyz - s.normal * dot(tangent.xyz, s.normal);
                tangent = vec4f(projected * inverseSqrt(max(dot(projected, projected), 1e-20)), tangent.w);
                if (has(DOUBLE_SIDED) && !isFront) { tangent.w = -tangent.w; }
            } else {
                tangent = derivedTangent(in.world, uv, s.normal);
            }
            s.normal = bend(unpackNormal(textureSampleBias(normalMap, normalSampler, uv, frame.parameters.z), material.scales.x), tangent, s.geometricNormal);
        }
        s.tangent = tangent.xyz;
        s.handedness = tangent.w;

        if (has(CLEARCOAT)) {
            var coatTexel = vec4f(1.0);
            if (has(COAT)) { coatTexel = textureSampleBias(coatMap, coatSampler, slotUV(COAT, in.uv), frame.parameters.z); }
            s.coat = saturate(dot(coatTexel, material.coat));
            var roughnessTexel = vec4f(1.0);
            if (has(COAT_ROUGHNESS_IN_COAT)) { roughnessTexel = coatTexel; }
            if (has(COAT_ROUGHNESS)) {
                roughnessTexel = textureSampleBias(coatRoughnessMap, coatRoughnessSampler, slotUV(COAT_ROUGHNESS, in.uv), frame.parameters.z);
            }
            s.coatRoughness = saturate(dot(roughnessTexel, material.coatRoughness));
            s.coatNormal = s.geometricNormal;
            if (has(COAT_NORMAL)) {
                let uv = slotUV(COAT_NORMAL, in.uv);
                if (!has(NORMAL)) {
                    if (has(VERTEX_TANGENTS)) {
                        let projected = tangent.xyz - s.geometricNormal * dot(tangent.xyz, s.geometricNormal);
                        tangent = vec4f(projected * inverseSqrt(max(dot(projected, projected), 1e-20)), tangent.w);
                        if (has(DOUBLE_SIDED) && !isFront) { tangent.w = -tangent.w; }
                    } else {
                        tangent = derivedTangent(in.world, uv, s.geometricNormal);
                    }
                }
                let texel = textureSampleBias(coatNormalMap, coatNormalSampler, uv, frame.parameters.z);
                s.coatNormal = bend(unpackNormal(texel, material.scales.y), tangent, s.geometricNormal);
            }
        }
        s.f0 = mix(vec3f(0.04), s.baseColor, s.metalness);
        return s;
    }

    fn lit(s: Surface, in: Varyings) -> vec3f {
        if (has(UNLIT)) { return s.baseColor; }
        var light = vec3f(0.0);
        if (has(ENVIRONMENT)) { light = environmentLight(s); }
        var emission = s.emission;
        if (has(CLEARCOAT)) {
            let coat = coatLight(s);
            light = light * coat.w;
            if (has(ENVIRONMENT)) { light += coat.rgb; }
            emission *= coat.w;
        }
        if (has(PUNCTUAL_LIGHTS)) { light += punctualLights(s, in.clip.xy, instances[in.instance].categories); }
        return light + emission;
    }

    // Exposed, tone mapped and encoded as the target wants it, premultiplied.
    fn output(radiance: vec3f, alpha: f32) -> vec4f {
        let exposed = radiance * frame.parameters.x;
        if (has(HDR_OUTPUT)) { return vec4f(min(exposed, vec3f(65000.0)) * alpha, alpha); }
        return displayed(exposed, alpha);
    }

    fn displayed(exposed: vec3f, alpha: f32) -> vec4f {
        var color = toneMapped(exposed);
        // Alpha multiplies what is stored, as whoever puts the picture over another one expects.
        if (has(ENCODED_OUTPUT)) { color = encodeSRGB(color); }
        return vec4f(color * alpha, alpha);
    }

    fn shade(in: Varyings, isFront: bool, s: Surface) -> vec4f {
        let alpha = select(1.0, saturate(s.alpha), has(BLENDED));
        if (DEBUG_VIEW != 0u) { return debugPicture(s, in, isFront); }
        return output(lit(s, in), alpha);
    }

    @fragment fn drawSurface(in: Varyings, @builtin(front_facing) isFront: bool) -> @location(0) vec4f {
        return shade(in, isFront, surfaceAt(in, isFront));
    }

    // One sample a pixel: the surface is there or not.
    @fragment fn drawMasked(in: Varyings, @builtin(front_facing) isFront: bool) -> @location(0) vec4f {
        let s = surfaceAt(in, isFront);
        if (s.alpha < material.emission.w) { discard; }
        return shade(in, isFront, s);
    }

    struct Covered {
        @location(0) color: vec4f,
        @builtin(sample_mask) samples: u32,
    }

    // Four samples: alpha around the cutoff, over a pixel's width, becomes the number of covered samples. Alpha-to-coverage would do the same,
    // but would also leave that alpha in the picture, which must stay opaque where the surface is.
    @fragment fn drawMaskedCoverage(in: Varyings, @builtin(front_facing) isFront: bool) -> Covered {
        let s = surfaceAt(in, isFront);
        let coverage = saturate((s.alpha - material.emission.w) / max(fwidth(s.alpha), 1e-4) + 0.5);
        let count = u32(coverage * 4.0 + 0.5);
        if (count == 0u) { discard; }
        // Which samples: turned from pixel to pixel, so that edges don't line up.
        let turn = (u32(in.clip.x) + 2u * u32(in.clip.y)) & 3u;
        let run = (1u << count) - 1u;
        var out: Covered;
        out.samples = ((run << turn) | (run >> (4u - turn))) & 15u;
        out.color = shade(in, isFront, s);
        return out;
    }
    """
