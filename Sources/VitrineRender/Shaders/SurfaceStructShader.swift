/// A material at a point, before it is lit. Surface functions write the first part, and the members of the lobes.
let surfaceStructShader = """
    struct Surface {
        baseColor: vec3f,
        alpha: f32,
        metalness: f32,
        roughness: f32,
        occlusion: f32,
        normal: vec3f,
        emission: vec3f,
        ior: f32,
        highlight: vec3f,
        shininess: f32,

        // Computed by the shader from here on.
        geometricNormal: vec3f,
        tangent: vec3f,
        // The sign of the bitangent.
        handedness: f32,
        position: vec3f,
        view: vec3f,
        color: vec4f,
        occlusion0: vec4f,
        occlusion1: vec4f,
        occlusion2: f32,
        // Baked: radiance of a white matte surface.
        lightMap: vec3f,
        // Where the normal map is read.
        normalUV: vec2f,
        // Reflected straight on and at grazing angles: by the dielectric and by the metal (1 at grazing angles), and by their mixture.
        dielectricF0: vec3f,
        dielectricF90: f32,
        metalF0: vec3f,
        f0: vec3f,
        f90: f32,

        // Of the lobes.
    \(MaterialLobe.members)
    }
    """
