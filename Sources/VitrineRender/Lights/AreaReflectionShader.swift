/// The light that a surface reflects of a rectangle or disc of 1 nit.
let areaReflectionShader = """
    fn areaLight(s: Surface, r: Reflectance, f: AreaFrames, light: Light) -> vec3f {
        let offset = light.position.xyz - s.position;
        let nv = max(dot(s.normal, s.view), 1e-3);
        let share = areaShare(f.diffuse, offset, light);
    #if PHYSICAL
        // Treats anisotropic reflections as isotropic ones.
        var result = r.diffuse * share + (r.single + r.multiple) * areaShare(f.mirror, offset, light);
    \(MaterialLobe.statements { $0.area })
        return result;
    #else
        // Phong's and Blinn's highlights are defined for point lights only.
        return (s.baseColor + highlightOf(s, normalize(offset))) * share;
    #endif
    }
    """
