/// Deferred shading: `writeAttributes` stores the interpolated attributes of the nearest surface (`AttributeBuffer`), and `shadeAttributes` shades each
/// pixel once from them, with the functions of `surfaceShader`.
///
/// | word | contents |
/// | --- | --- |
/// | first.x, first.y | texture coordinates |
/// | first.z | their screen derivatives: common exponent and four numbers of 6 bits |
/// | first.w, second.z, second.w | `occlusion0` and `occlusion1`, 12 bits each |
/// | second.x | normal, octahedral |
/// | second.y | sign of the bitangent, angle of the tangent (15 bits), `occlusion2` (12 bits), number of the material (4 bits) |
///
/// Only in frames that need the position (`SurfaceFeatures.attributePosition`):
///
/// | word | contents |
/// | --- | --- |
/// | third.x | distance ahead of the camera |
/// | third.y | normal of the triangle, octahedral |
/// | third.z | instance |
let deferredShader = """
    #if DEFERRED_SHADING
    struct Attributes {
        @location(0) first: vec4u,
        @location(1) second: vec4u,
        @location(2) third: vec4u,
    }

    @group(2) @binding(0) var firstAttributes: texture_2d<u32>;
    @group(2) @binding(1) var secondAttributes: texture_2d<u32>;
    @group(2) @binding(2) var thirdAttributes: texture_2d<u32>;

    // `instance` also contains the number of the material.
    @vertex fn transformNumbered(vertex: Vertex, @builtin(instance_index) index: u32) -> Varyings {
        let entry = visible[index];
        var out = transformed(vertex, entry & \(AttributeBuffer.instanceMask)u);
        out.instance = entry;
        return out;
    }

    @fragment fn writeAttributes(in: Varyings, @builtin(front_facing) isFront: bool) -> Attributes {
        let normal = geometricNormalAt(in, isFront, normalize(in.toEye));
        let direction = packDirection(normal);
        let number = in.instance & \(~AttributeBuffer.instanceMask)u;
        var tangent = 0u;
    #if TANGENTS
        tangent = packTangent(tangentAt(in, isFront, normal, tangentUV(in.uv)), unpackDirection(direction));
    #endif
        let bias = exp2(frame.mipBias);
        let derivatives = packDerivatives(vec4f(dpdx(in.uv.xy), dpdy(in.uv.xy)) * bias);
        var out: Attributes;
        out.first = vec4u(bitcast<vec2u>(in.uv.xy), derivatives, 0u);
        out.second = vec4u(direction, tangent | number, 0u, 0u);
        if (has(VERTEX_OCCLUSION)) {
            let a = packOcclusion(in.occlusion0);
            let b = packOcclusion(in.occlusion1);
            out.first.w = a.x | (a.y << 12u) | (a.z << 24u);
            out.second.y |= packOcclusion(vec4f(in.occlusion2)).x << 16u;
            out.second.z = (a.z >> 8u) | (a.w << 4u) | (b.x << 16u) | (b.y << 28u);
            out.second.w = (b.y >> 4u) | (b.z << 8u) | (b.w << 20u);
        }
        if (has(ATTRIBUTE_POSITION)) {
            let plane = cross(dpdy(in.plane), dpdx(in.plane));
            let squared = dot(plane, plane);
            let facet = select(normal, plane * inverseSqrt(max(squared, 1e-30)), squared > 1e-30);
            let ahead = dot(frame.forward.xyz, in.world) + frame.forward.w;
            out.third = vec4u(bitcast<u32>(ahead), packDirection(facet), in.instance & \(AttributeBuffer.instanceMask)u, 0u);
        }
        return out;
    }

    struct DeferredVaryings {
        @builtin(position) clip: vec4f,
        @location(0) toEye: vec3f,
        // On the near plane.
        @location(1) near: vec3f,
    }

    // A triangle over the whole image; the instance is the number of the material. The depth test leaves the pixels that have attributes or, if there are
    // several materials, those of the material.
    @vertex fn coverAttributes(@builtin(vertex_index) index: u32, @builtin(instance_index) number: u32) -> DeferredVaryings {
        let corner = vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
        let near = frame.worldFromClip * vec4f(corner, 1.0, 1.0);
        var out: DeferredVaryings;
        out.clip = vec4f(corner, select(0.0, \(MaterialDepth.depth("number")), has(SEVERAL_MATERIALS)), 1.0);
        out.near = near.xyz / near.w;
        out.toEye = frame.eye.xyz - out.near * frame.eye.w;
        return out;
    }

    @fragment fn shadeAttributes(in: DeferredVaryings) -> @location(0) vec4f {
        let pixel = vec2i(in.clip.xy);
        let first = textureLoad(firstAttributes, pixel, 0);
        let second = textureLoad(secondAttributes, pixel, 0);
        var v: Varyings;
        v.clip = in.clip;
        v.toEye = in.toEye;
        v.color = vec4f(1.0);
        v.uv = vec4f(bitcast<vec2f>(first.xy), 0.0, 0.0);
        let derivatives = unpackDerivatives(first.z);
        storedDx = derivatives.xy;
        storedDy = derivatives.zw;
        v.normal = unpackDirection(second.x);
        if (has(ATTRIBUTE_POSITION)) {
            let third = textureLoad(thirdAttributes, pixel, 0);
            // The view ray begins at the near plane.
            let ahead = dot(frame.forward.xyz, in.near) + frame.forward.w;
            v.world = in.near + in.toEye * ((bitcast<f32>(third.x) - ahead) / dot(frame.forward.xyz, in.toEye));
            v.plane = v.world;
            storedFacet = unpackDirection(third.y);
            v.instance = third.z;
        }
    #if TANGENTS
        v.tangent = unpackTangent(second.y, v.normal);
    #endif
        if (has(VERTEX_OCCLUSION)) {
            let z = second.z;
            let w = second.w;
            v.occlusion0 = unpackOcclusion(vec4u(first.w, first.w >> 12u, (first.w >> 24u) | (z << 8u), z >> 4u));
            v.occlusion1 = unpackOcclusion(vec4u(z >> 16u, (z >> 28u) | (w << 4u), w >> 8u, w >> 20u));
            v.occlusion2 = unpackOcclusion(vec4u(second.y >> 16u)).x;
        }
        return shade(v, true, surfaceAt(v, true));
    }

    // A unit vector in 32 bits (Cigolle et al. 2014).
    fn packDirection(n: vec3f) -> u32 {
        let p = n.xy / (abs(n.x) + abs(n.y) + abs(n.z));
        let folded = (1.0 - abs(p.yx)) * select(vec2f(-1.0), vec2f(1.0), p >= vec2f(0.0));
        return pack2x16snorm(select(p, folded, n.z < 0.0));
    }

    fn unpackDirection(word: u32) -> vec3f {
        let p = unpack2x16snorm(word);
        let z = 1.0 - abs(p.x) - abs(p.y);
        let fold = vec2f(max(-z, 0.0));
        return normalize(vec3f(p + select(fold, -fold, p >= vec2f(0.0)), z));
    }

    #if TANGENTS
    // A unit vector perpendicular to n (Duff et al. 2017).
    fn perpendicular(n: vec3f) -> vec3f {
        let s = select(-1.0, 1.0, n.z >= 0.0);
        let a = -1.0 / (s + n.z);
        return vec3f(1.0 + s * n.x * n.x * a, s * n.x * n.y * a, -s * n.x);
    }

    // A unit vector perpendicular to n as its angle around n, and its sign w, in the lower 16 bits. Instead of the angle, the position on a square
    // around n is stored, which needs no trigonometry.
    fn packTangent(tangent: vec4f, n: vec3f) -> u32 {
        let x = perpendicular(n);
        let p = vec2f(dot(tangent.xyz, x), dot(tangent.xyz, cross(n, x)));
        let along = 0.5 - 0.5 * p.x / max(abs(p.x) + abs(p.y), 1e-6);
        return (u32(along * 16383.0 + 0.5) << 1u) | select(0u, 0x8000u, p.y < 0.0) | select(0u, 1u, tangent.w < 0.0);
    }

    fn unpackTangent(word: u32, n: vec3f) -> vec4f {
        let x = perpendicular(n);
        let along = 1.0 - f32((word >> 1u) & 16383u) * (2.0 / 16383.0);
        let across = (1.0 - abs(along)) * select(1.0, -1.0, (word & 0x8000u) != 0u);
        return vec4f(normalize(x * along + cross(n, x) * across), select(1.0, -1.0, (word & 1u) != 0u));
    }
    #endif

    // Four numbers with the exponent of the largest one: the mip level is off by at most a thirtieth.
    fn packDerivatives(d: vec4f) -> u32 {
        let largest = max(max(abs(d.x), abs(d.y)), max(abs(d.z), abs(d.w)));
        let exponent = clamp(bitcast<u32>(largest) >> 23u, 1u, 252u);
        let q = vec4u(clamp(d * bitcast<f32>((253u - exponent) << 23u), vec4f(-1.0), vec4f(1.0)) * 31.0 + 32.5);
        return exponent | (q.x << 8u) | (q.y << 14u) | (q.z << 20u) | (q.w << 26u);
    }

    fn unpackDerivatives(word: u32) -> vec4f {
        let q = vec4u(word >> 8u, word >> 14u, word >> 20u, word >> 26u) & vec4u(63u);
        return (vec4f(q) - 32.0) * (bitcast<f32>(((word & 255u) + 1u) << 23u) / 31.0);
    }

    // Numbers from -1 to 1 in 12 bits.
    fn packOcclusion(v: vec4f) -> vec4u { return vec4u(clamp(v, vec4f(-1.0), vec4f(1.0)) * 2047.0 + 2048.5); }

    fn unpackOcclusion(bits: vec4u) -> vec4f { return (vec4f(bits & vec4u(4095u)) - 2048.0) / 2047.0; }
    #endif
    """
