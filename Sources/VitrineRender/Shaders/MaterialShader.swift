/// Group 1, binding 0: a material's numbers (`MaterialBlock`). The maps and their functions are written by `SurfaceSource`.
let materialShader = """
    // Numbers that may come from a texture: which channel of the texel holds it, times the slot's factor.
    struct Material {
        baseColor: vec4f,
        // w: the alpha below which a masked surface is not drawn.
        emission: vec4f,
        // Normal scale, coat normal scale, how much of the occlusion map is used, index of refraction.
        scales: vec4f,
        metalness: vec4f,
        roughness: vec4f,
        occlusion: vec4f,
        opacity: vec4f,
        coat: vec4f,
        coatRoughness: vec4f,
        specular: vec4f,
        specularColor: vec4f,
        sheenColor: vec4f,
        sheenRoughness: vec4f,
        transmission: vec4f,
        thickness: vec4f,
        // How fast light fades inside, a metre; dispersion.
        attenuation: vec4f,
        iridescence: vec4f,
        // Index of refraction of the film, its thickness in nanometres at texel 0 and 1.
        film: vec4f,
        // Cosine and sine of the rotation, strength.
        anisotropy: vec4f,
        // Colour and exponent of the highlight.
        highlight: vec4f,
        // Two rows (a, b, c, set) a map: u' = a u + b v + c.
        transforms: array<vec4f, TRANSFORM_ROWS>,
    }

    @group(1) @binding(0) var<uniform> material: Material;

    fn mapUV(index: u32, uv: vec4f) -> vec2f {
        if (!has(UV_TRANSFORMS)) { return uv.xy; }
        let u = material.transforms[2u * index];
        let v = material.transforms[2u * index + 1u];
        var p = uv.xy;
        if (has(SECOND_UV)) { p = select(uv.xy, uv.zw, u.w > 0.5); }
        return vec2f(dot(u.xyz, vec3f(p, 1.0)), dot(v.xyz, vec3f(p, 1.0)));
    }

    // A tangent-space normal of unit length from a texel; scale multiplies x and y.
    fn unpackNormal(texel: vec4f, scale: f32) -> vec3f {
        return normalize((texel.xyz * 2.0 - 1.0) * vec3f(scale, scale, 1.0));
    }
    """
