/// Group 1, binding 0: `MaterialUniforms`. `SurfaceSource` writes the maps and the functions that read them.
let materialShader = """
    \(MaterialUniforms.wgsl)
    @group(1) @binding(\(SurfaceBindings.block)) var<uniform> material: Material;

    fn mapUV(index: u32, uv: vec4f) -> vec2f {
        if (!has(UV_TRANSFORMS)) { return uv.xy; }
        let u = material.transforms[2u * index];
        let v = material.transforms[2u * index + 1u];
        var p = uv.xy;
        if (has(SECOND_UV)) { p = select(uv.xy, uv.zw, u.w > 0.5); }
        return vec2f(dot(u.xyz, vec3f(p, 1.0)), dot(v.xyz, vec3f(p, 1.0)));
    }

    #if DEFERRED_SHADING
    // The screen derivatives of the first texture coordinates, which neighbouring pixels of other triangles do not give.
    var<private> storedDx: vec2f;
    var<private> storedDy: vec2f;
    // The normal of the triangle.
    var<private> storedFacet: vec3f;

    fn mapDerivative(index: u32, d: vec2f) -> vec2f {
        if (!has(UV_TRANSFORMS)) { return d; }
        return vec2f(dot(material.transforms[2u * index].xy, d), dot(material.transforms[2u * index + 1u].xy, d));
    }

    // The mip level of a map without transform.
    fn mapLevel(size: vec2u) -> f32 {
        let dx = storedDx * vec2f(size);
        let dy = storedDy * vec2f(size);
        return 0.5 * log2(max(max(dot(dx, dx), dot(dy, dy)), 1e-16));
    }
    #endif

    // The texel of a normal map from one that contains only x and y.
    fn unpackedNormal(texel: vec4f) -> vec4f {
        let n = texel.xy * 2.0 - 1.0;
        return vec4f(texel.xy, sqrt(max(1.0 - dot(n, n), 0.0)) * 0.5 + 0.5, 1.0);
    }

    // A tangent-space normal from a texel, not of unit length; scale multiplies x and y.
    fn unpackNormal(texel: vec4f, scale: f32) -> vec3f {
        return (texel.xyz * 2.0 - 1.0) * vec3f(scale, scale, 1.0);
    }
    """
