/// Group 1: a material's numbers and maps, and what they give at a point.
let materialShader = """
    struct Material {
        baseColor: vec4f,
        // w: the alpha below which a masked surface is not drawn.
        emission: vec4f,
        // Normal scale, coat normal scale, how much of the occlusion map is used.
        scales: vec4f,
        // Which channel of the texel holds the number, times the slot's factor.
        metalness: vec4f,
        roughness: vec4f,
        occlusion: vec4f,
        coat: vec4f,
        coatRoughness: vec4f,
        // Two rows (a, b, c, set) a slot: u' = a u + b v + c.
        transforms: array<vec4f, 18>,
    }

    @group(1) @binding(0) var<uniform> material: Material;
    @group(1) @binding(1) var baseColorMap: texture_2d<f32>;
    @group(1) @binding(2) var baseColorSampler: sampler;
    @group(1) @binding(3) var metalnessMap: texture_2d<f32>;
    @group(1) @binding(4) var metalnessSampler: sampler;
    @group(1) @binding(5) var roughnessMap: texture_2d<f32>;
    @group(1) @binding(6) var roughnessSampler: sampler;
    @group(1) @binding(7) var normalMap: texture_2d<f32>;
    @group(1) @binding(8) var normalSampler: sampler;
    @group(1) @binding(9) var occlusionMap: texture_2d<f32>;
    @group(1) @binding(10) var occlusionSampler: sampler;
    @group(1) @binding(11) var emissionMap: texture_2d<f32>;
    @group(1) @binding(12) var emissionSampler: sampler;
    @group(1) @binding(13) var coatMap: texture_2d<f32>;
    @group(1) @binding(14) var coatSampler: sampler;
    @group(1) @binding(15) var coatRoughnessMap: texture_2d<f32>;
    @group(1) @binding(16) var coatRoughnessSampler: sampler;
    @group(1) @binding(17) var coatNormalMap: texture_2d<f32>;
    @group(1) @binding(18) var coatNormalSampler: sampler;

    // Slots in the order of Material.transforms, and their bits in FEATURES.
    const BASE_COLOR = 0u;
    const METALNESS = 1u;
    const ROUGHNESS = 2u;
    const NORMAL = 3u;
    const OCCLUSION = 4u;
    const EMISSION = 5u;
    const COAT = 6u;
    const COAT_ROUGHNESS = 7u;
    const COAT_NORMAL = 8u;
    // Other bits.
    const METALNESS_IN_ROUGHNESS = 9u;
    const OCCLUSION_IN_ROUGHNESS = 10u;
    const COAT_ROUGHNESS_IN_COAT = 11u;
    const UV_TRANSFORMS = 12u;
    const SECOND_UV = 13u;
    const VERTEX_COLOR = 14u;
    const VERTEX_NORMALS = 15u;
    const VERTEX_TANGENTS = 16u;
    const UNLIT = 17u;
    const CLEARCOAT = 18u;
    const BLENDED = 19u;
    const DOUBLE_SIDED = 20u;
    const PUNCTUAL_LIGHTS = 21u;
    const ENVIRONMENT = 22u;
    const ENCODED_OUTPUT = 23u;
    const HDR_OUTPUT = 24u;
    const VERTEX_OCCLUSION = 25u;
    // A map in the occlusion slot, of its own or as a channel of the roughness map.
    fn hasOcclusionMap() -> bool { return has(OCCLUSION) || has(OCCLUSION_IN_ROUGHNESS); }

    fn slotUV(slot: u32, uv: vec4f) -> vec2f {
        if (!has(UV_TRANSFORMS)) { return uv.xy; }
        let u = material.transforms[2u * slot];
        let v = material.transforms[2u * slot + 1u];
        var p = uv.xy;
        if (has(SECOND_UV)) { p = select(uv.xy, uv.zw, u.w > 0.5); }
        return vec2f(dot(u.xyz, vec3f(p, 1.0)), dot(v.xyz, vec3f(p, 1.0)));
    }

    // A tangent-space normal of unit length from a texel; scale multiplies x and y.
    fn unpackNormal(texel: vec4f, scale: f32) -> vec3f {
        return normalize((texel.xyz * 2.0 - 1.0) * vec3f(scale, scale, 1.0));
    }
    """
