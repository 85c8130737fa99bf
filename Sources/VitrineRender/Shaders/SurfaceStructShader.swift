/// A material at a point, before it is lit.
let surfaceStructShader = """
    struct Surface {
        baseColor: vec3f,
        alpha: f32,
        metalness: f32,
        roughness: f32,
        occlusion: f32,
        normal: vec3f,
        geometricNormal: vec3f,
        tangent: vec3f,
        emission: vec3f,
        coat: f32,
        coatRoughness: f32,
        coatNormal: vec3f,
        position: vec3f,
        view: vec3f,
        f0: vec3f,
        color: vec4f,
        occlusion0: vec4f,
        occlusion1: vec4f,
        occlusion2: f32,
        // Where the normal map is read, and the sign of the bitangent.
        normalUV: vec2f,
        handedness: f32,
    }
    """
