/// A material at a point, before it is lit. Surface functions write the first part.
let surfaceStructShader = """
    struct Surface {
        baseColor: vec3f,
        alpha: f32,
        metalness: f32,
        roughness: f32,
        occlusion: f32,
        normal: vec3f,
        emission: vec3f,
        coat: f32,
        coatRoughness: f32,
        coatNormal: vec3f,
        ior: f32,
        specular: f32,
        specularColor: vec3f,
        sheenColor: vec3f,
        sheenRoughness: f32,
        transmission: f32,
        // In the mesh's own frame.
        thickness: f32,
        // How fast light fades inside, a metre.
        attenuation: vec3f,
        dispersion: f32,
        iridescence: f32,
        filmIor: f32,
        // Nanometres.
        filmThickness: f32,
        anisotropy: f32,
        // Of unit length, in the plane of tangent and bitangent.
        anisotropyDirection: vec2f,
        highlight: vec3f,
        shininess: f32,

        // From here on found by the shader.
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
        // Where the normal map is read.
        normalUV: vec2f,
        // Reflected straight on and at grazing angles: by the dielectric and by the metal (1 at grazing angles), and by their mixture.
        dielectricF0: vec3f,
        dielectricF90: f32,
        metalF0: vec3f,
        f0: vec3f,
        f90: f32,
        // Microfacet widths along and across the direction in which reflections are drawn out.
        alphas: vec2f,
        drawnAlong: vec3f,
        drawnAcross: vec3f,
        // The node's scale.
        scale: f32,
    }
    """
