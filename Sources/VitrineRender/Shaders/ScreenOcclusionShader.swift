/// The result of `OcclusionPass` for a surface.
let screenOcclusionShader = """
    // The visible share of the environment at a point: the mean of the four results around its pixel, without those at another distance.
    fn screenVisibility(pixel: vec2f, position: vec3f) -> f32 {
        let last = vec2i(textureDimensions(screenOcclusion)) - 1;
        let ahead = dot(frame.forward.xyz, position) + frame.forward.w;
        let texel = pixel * 0.5 - 0.5;
        let corner = floor(texel);
        let f = texel - corner;
        var sum = 0.0;
        var weights = 0.0;
        var nearest = 1.0;
        for (var i = 0; i < 4; i++) {
            let side = vec2i(i & 1, i >> 1);
            let found = textureLoad(screenOcclusion, clamp(vec2i(corner) + side, vec2i(0), last), 0).xy;
            let off = abs(found.y - ahead) / max(ahead, 1e-6);
            let share = mix(1.0 - f, f, vec2f(side));
            let weight = (share.x * share.y + 0.01) / (0.003 + off);
            sum += found.x * weight;
            weights += weight;
            nearest = min(nearest, off);
        }
        return mix(sum / weights, 1.0, smoothstep(0.05, 0.15, nearest));
    }
    """
