/// Punctual lights: which reach a pixel and how strongly. What a surface does to them is in `ReflectanceShader`.
let lightShader = """
    fn punctualLight(s: Surface, r: Reflectance, light: Light) -> vec3f {
        // Infinitely far.
        if (light.position.w < 0.0) { return light.color.rgb * reflectLight(s, r, light.position.xyz); }
        let offset = light.position.xyz - s.position;
        let squared = max(dot(offset, offset), 1e-8);
        let toLight = offset * inverseSqrt(squared);
        // KHR_lights_punctual: inverse square, faded to nothing at the range.
        let ratio = squared * light.position.w;
        let fade = saturate(1.0 - ratio * ratio) / squared;
        let cone = saturate(dot(-toLight, light.axis.xyz) * light.color.w + light.axis.w);
        let strength = fade * cone * cone;
        if (strength <= 0.0) { return vec3f(0.0); }
        return light.color.rgb * strength * reflectLight(s, r, toLight);
    }

    fn clusterOf(fragment: vec2f, position: vec3f) -> u32 {
        let depth = max(dot(frame.forward.xyz, position) + frame.forward.w, 1e-6);
        let slice = clamp(log2(depth) * frame.slices.x + frame.slices.y, 0.0, frame.clusters.z - 1.0);
        let place = (fragment + frame.slices.zw) * frame.viewport.zw;
        let tile = clamp(floor(place * frame.clusters.xy), vec2f(0.0), frame.clusters.xy - 1.0);
        return u32(tile.x) + u32(frame.clusters.x) * (u32(tile.y) + u32(frame.clusters.y) * u32(slice));
    }

    fn punctualLights(s: Surface, fragment: vec2f, categories: u32) -> vec3f {
        let r = reflectance(s);
        var sum = vec3f(0.0);
        for (var i = 0u; i < u32(frame.parameters.y); i++) {
            if ((lights[i].categories & categories) != 0u) { sum += punctualLight(s, r, lights[i]); }
        }
        if (frame.clusters.w > 0.0) {
            let cluster = clusters[clusterOf(fragment, s.position)];
            for (var i = 0u; i < cluster.y; i++) {
                let light = lightIndices[cluster.x + i];
                if ((lights[light].categories & categories) != 0u) { sum += punctualLight(s, r, lights[light]); }
            }
        }
        return sum;
    }
    """
