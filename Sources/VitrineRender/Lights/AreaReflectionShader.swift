/// What a surface reflects of a rectangle or disc of 1 nit.
let areaReflectionShader = """
    fn areaLight(s: Surface, r: Reflectance, f: AreaFrames, light: Light) -> vec3f {
        let offset = light.position.xyz - s.position;
        let nv = max(dot(s.normal, s.view), 1e-3);
        let share = areaShare(f.diffuse, offset, light);
    #if PHYSICAL
        // Drawn-out reflections are taken for round ones.
        var result = r.diffuse * share + (r.single + r.multiple) * areaShare(f.mirror, offset, light);
    #if SHEEN
        let sheenRough = sheenRoughness(s);
        let sheen = sheenAlbedo(nv, sheenRough);
        let leaning = areaFrame(sheenDirection(s, nv, sheenRough), s.view);
        result = result * (1.0 - largest(s.sheenColor) * sheen) + s.sheenColor * sheen * areaShare(leaning, offset, light);
    #endif
    #if TRANSMISSION
        // From behind it shines through as if it were mirrored in front.
        let mirrored = mat3x3f(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), vec3f(0.0, 0.0, -1.0)) * f.diffuse;
        var through = r.transmitted * areaShare(areaMatrix(transmissionRoughness(s), nv) * mirrored, offset, light);
    #if VOLUME
        through *= exp(-s.attenuation * s.thickness * s.scale);
    #endif
        result += through;
    #endif
    #if COAT
        let coatNV = max(dot(s.coatNormal, s.view), 1e-3);
        let ab = directionalAlbedo(s.coatRoughness, coatNV);
        let albedo = s.coat * (0.04 * ab.x + ab.y);
        let coat = areaShare(f.coat, offset, light);
        result = result * (1.0 - albedo) + albedo * coat;
    #endif
        return result;
    #else
        // The old models' highlights know points only.
        return (s.baseColor + highlightOf(s, normalize(offset))) * share;
    #endif
    }
    """
