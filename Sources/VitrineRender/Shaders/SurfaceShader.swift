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
        // v grows downwards in the image: the bitangent points up where cross(normal, tangent) · w does.
        let bitangent = (p2 * t1.x - p1 * t2.x) * select(-1.0, 1.0, determinant >= 0.0);
        let w = select(1.0, -1.0, dot(cross(normal, tangent), bitangent) > 0.0);
        if (squared <= 0.0) { return vec4f(0.0, 0.0, 0.0, 1.0); }
        return vec4f(projected * inverseSqrt(squared), w);
    }

    // Perpendicular to the geometry's normal; w is the sign of the bitangent.
    fn tangentAt(in: Varyings, isFront: bool, normal: vec3f, uv: vec2f) -> vec4f {
        if (!has(VERTEX_TANGENTS)) { return derivedTangent(in.world, uv, normal); }
        let projected = in.tangent.xyz - normal * dot(in.tangent.xyz, normal);
        var tangent = vec4f(projected * inverseSqrt(max(dot(projected, projected), 1e-20)), in.tangent.w);
        if (has(DOUBLE_SIDED) && !isFront) { tangent.w = -tangent.w; }
        return tangent;
    }

    fn bend(n: vec3f, tangent: vec4f, normal: vec3f) -> vec3f {
        let t = tangent.xyz;
        let b = cross(normal, t) * tangent.w;
        return normalize(t * n.x + b * n.y + normal * n.z);
    }

    fn geometricNormalAt(in: Varyings, isFront: bool, view: vec3f) -> vec3f {
        if (has(VERTEX_NORMALS)) {
            let n = normalize(in.normal);
            if (has(DOUBLE_SIDED)) { return select(-n, n, isFront); }
            return n;
        }
        if (!TRIANGLES) { return view; }
        let n = cross(dpdy(in.plane), dpdx(in.plane));
        return normalize(select(-n, n, dot(n, view) >= 0.0));
    }

    fn surfaceAt(in: Varyings, isFront: bool) -> Surface {
        trianglePlane = cross(dpdy(in.plane), dpdx(in.plane));
    #if DEFERRED_SHADING
        if (has(DEFERRED)) { trianglePlane = storedFacet; }
    #endif
        trianglePoint = in.plane;
        var s: Surface;
        s.position = in.world;
        s.view = normalize(in.toEye);
        s.color = in.color;
        s.occlusion0 = in.occlusion0;
        s.occlusion1 = in.occlusion1;
        s.occlusion2 = in.occlusion2;
        s.geometricNormal = geometricNormalAt(in, isFront, s.view);
        s.normal = s.geometricNormal;
        let t = readMaps(in.uv);
        readBase(&s, in, t);
        readNormals(&s, in, isFront, t);
    #if PHYSICAL
        readLobes(&s, t);
    #endif
    #if FUNCTION
        applyFunction(&s, in, isFront);
    #endif
        if (has(BLENDED)) { s.alpha *= instances[in.instance].opacity; }
    #if PHYSICAL
        findReflectances(&s);
    \(MaterialLobe.statements { $0.preparation })
    #endif
        return s;
    }

    fn readBase(s: ptr<function, Surface>, in: Varyings, t: Texels) {
        var base = material.baseColor * baseColorTexel(t);
        if (has(VERTEX_COLOR)) { base *= in.color; }
        (*s).baseColor = base.rgb;
        (*s).alpha = base.a * dot(opacityTexel(t), material.opacity);
        (*s).roughness = saturate(roughnessValue(t));
        (*s).metalness = saturate(metalnessValue(t));
        (*s).occlusion = mix(1.0, saturate(occlusionValue(t)), material.occlusionStrength);
        (*s).emission = material.emission.rgb * emissionTexel(t).rgb;
    #if LIGHT_MAP
        (*s).lightMap = material.lightMap.rgb * lightMapTexel(t).rgb;
    #endif
        (*s).highlight = material.highlight.rgb * highlightTexel(t).rgb;
        (*s).shininess = material.highlight.w;
    }

    fn readNormals(s: ptr<function, Surface>, in: Varyings, isFront: bool, t: Texels) {
        var tangent = in.tangent;
    #if TANGENTS
        tangent = tangentAt(in, isFront, (*s).geometricNormal, tangentUV(in.uv));
    #endif
        (*s).tangent = tangent.xyz;
        (*s).handedness = tangent.w;
    #if NORMAL_MAP
        (*s).normalUV = tangentUV(in.uv);
        (*s).normal = bend(unpackNormal(normalTexel(t), material.normalScale), tangent, (*s).geometricNormal);
    #endif
    }

    #if PHYSICAL
    fn readLobes(s: ptr<function, Surface>, t: Texels) {
        (*s).ior = material.ior;
    \(MaterialLobe.statements { $0.reading })
    }
    #endif

    fn lit(s: Surface, in: Varyings) -> vec3f {
        if (has(UNLIT)) { return s.baseColor; }
    #if CONSTANT
        return s.baseColor;
    #else
        let r = reflectance(s);
        var light = vec3f(0.0);
        if (has(ENVIRONMENT_SHADOWS)) { findEnvironmentShadows(receiverOf(s, in.clip.xy)); }
        if (has(ENVIRONMENT)) { light = environmentLight(s, r); }
    #if LIGHT_MAP
        if (!has(ENVIRONMENT)) { light = (r.multiple + r.diffuse) * s.lightMap; }
    #endif
    \(MaterialLobe.statements { $0.transmitted })
        var emission = s.emission;
    \(MaterialLobe.statements { $0.environment })
        if (has(PUNCTUAL_LIGHTS)) { light += punctualLights(s, in.clip.xy, instances[in.instance].categories); }
        return light + emission;
    #endif
    }

    fn shade(in: Varyings, isFront: bool, found: Surface) -> vec4f {
        var s = found;
    #if !OCCLUSION_MAP
        if (has(SCREEN_OCCLUSION)) { s.occlusion *= screenVisibility(in.clip.xy, in.world); }
    #endif
        let alpha = select(1.0, saturate(s.alpha), has(BLENDED));
        if (DEBUG_VIEW != 0u) { return debugOutput(s, in, isFront); }
    #if SHADOW_RECEIVER
        var blocked = 0.0;
        if (has(KEPT_SHADOW)) {
            blocked = keptShadowAt(in.uv.xy);
        } else {
            blocked = caughtShadow(s, in.clip.xy, instances[in.instance].categories);
        }
        var shown = saturate(s.alpha) * instances[in.instance].opacity;
        if (has(VERTEX_COLOR)) {
            // A receiver that fades out shows no edge, neither its own nor that of the image on a page.
            let uv = frame.part.xy + in.clip.xy * frame.pixelSize * frame.part.zw;
            let inside = min(uv, 1.0 - uv);
            shown *= smoothstep(0.0, 0.15, min(inside.x, inside.y));
        }
        return vec4f(0.0, 0.0, 0.0, blocked * shown);
    #else
        return output(lit(s, in), alpha);
    #endif
    }

    @fragment fn drawSurface(in: Varyings, @builtin(front_facing) isFront: bool) -> @location(0) vec4f {
        return shade(in, isFront, surfaceAt(in, isFront));
    }

    // One sample per pixel: the surface covers it or not.
    @fragment fn drawMasked(in: Varyings, @builtin(front_facing) isFront: bool) -> @location(0) vec4f {
        let s = surfaceAt(in, isFront);
        if (s.alpha < material.alphaCutoff) { discard; }
        return shade(in, isFront, s);
    }

    #if SHADOW_RECEIVER
    // The mean of 3 × 3 texels, whose noise cancels out.
    fn keptShadowAt(uv: vec2f) -> f32 {
        let step = 0.75 / vec2f(textureDimensions(keptShadow));
        var sum = 0.0;
        for (var i = 0u; i < 4u; i++) {
            let corner = vec2f(f32(i & 1u), f32(i >> 1u)) * 2.0 - 1.0;
            sum += textureSampleLevel(keptShadow, keptShadowSampler, uv + corner * step, 0.0).r;
        }
        return 0.25 * sum;
    }

    // For `ReceivedShadow`: the receiver spread over a texture, without perspective.
    @vertex fn spreadReceiver(vertex: Vertex, @builtin(instance_index) index: u32) -> Varyings {
        var out = transformed(vertex, visible[index]);
        out.clip = vec4f(out.uv.xy * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0), 0.5, 1.0);
        return out;
    }

    @fragment fn catchShadow(in: Varyings, @builtin(front_facing) isFront: bool) -> @location(0) vec4f {
        return vec4f(caughtShadow(surfaceAt(in, isFront), in.clip.xy, instances[in.instance].categories));
    }
    #endif

    // Before the scene, for `OcclusionPass`.
    @fragment fn drawGeometry(in: Varyings, @builtin(front_facing) isFront: bool) -> @location(0) vec4f {
        let view = normalize(in.toEye);
        return vec4f(geometricNormalAt(in, isFront, view) * 0.5 + 0.5, 1.0);
    }

    @fragment fn drawMaskedGeometry(in: Varyings, @builtin(front_facing) isFront: bool) -> @location(0) vec4f {
        let s = surfaceAt(in, isFront);
        if (s.alpha < material.alphaCutoff) { discard; }
        return vec4f(s.geometricNormal * 0.5 + 0.5, 1.0);
    }

    struct Covered {
        @location(0) color: vec4f,
        @builtin(sample_mask) samples: u32,
    }

    // Four samples: alpha around the cutoff, over a pixel's width, becomes the number of covered samples. Alpha-to-coverage would do the same,
    // but would also leave that alpha in the image, which must stay opaque where the surface is.
    @fragment fn drawMaskedCoverage(in: Varyings, @builtin(front_facing) isFront: bool) -> Covered {
        let s = surfaceAt(in, isFront);
        let coverage = saturate((s.alpha - material.alphaCutoff) / max(fwidth(s.alpha), 1e-4) + 0.5);
        let count = u32(coverage * 4.0 + 0.5);
        if (count == 0u) { discard; }
        // The covered samples, rotated from pixel to pixel, so that edges do not align.
        let turn = (u32(in.clip.x) + 2u * u32(in.clip.y)) & 3u;
        let run = (1u << count) - 1u;
        var out: Covered;
        out.samples = ((run << turn) | (run >> (4u - turn))) & 15u;
        out.color = shade(in, isFront, s);
        return out;
    }
    """
