/// What a surface reflects of a rectangle or disc of 1 nit.
let areaReflectionShader = """
    fn areaLight(s: Surface, r: Reflectance, f: AreaFrames, light: Light) -> vec3f {
        let offset = light.position.xyz - s.position;
        let nv = max(dot(s.normal, s.view), 1e-3);
        let share = areaShare(f.diffuse, offset, light);
    #if PHYSICAL
        // Drawn-out reflections are taken for round ones.
        var result = r.diffuse * share + (r.single + r.multiple) * areaShare(f.mirror, offset, light);
    \(MaterialLobe.statements { $0.area })
        return result;
    #else
        // The old models' highlights know points only.
        return (s.baseColor + highlightOf(s, normalize(offset))) * share;
    #endif
    }
    """
