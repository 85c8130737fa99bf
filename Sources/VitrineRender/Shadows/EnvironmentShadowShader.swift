/// Shadows of the environment's light on surfaces, in the frames of a still: from a few directions, others in each frame, so that the mean is the
/// environment's shadow.
let environmentShadowShader = """
    \(EnvironmentShadowMapUniforms.wgsl)
    \(EnvironmentShadowUniforms.wgsl)
    @group(0) @binding(\(FrameBindings.environmentShadows)) var<uniform> environmentShadows: EnvironmentShadows;

    // A bit for each direction whose light arrives at this pixel: software GPUs read and write elements of arrays one pixel at a time.
    var<private> arrivingDirections: u32;

    // To be called before the functions below.
    //
    // A part of the environment has a size, so that its shadows have soft edges. Three texels find one point of them: those above the surface and anywhere in
    // the widest possible edge give the distance of a blocker, the third lies in an edge of the width for that distance. The points differ between pixels and
    // frames, and the mean of the frames is smooth.
    fn findEnvironmentShadows(r: Receiver) {
        // The middle of the texel that is read is √½ of a texel's width away at most: so far off its plane a receiver does not shadow itself.
        let point = vec4f(r.position + r.facet * (0.8 * environmentShadows.texel), 1.0);
        let size = vec2f(textureDimensions(shadowAtlas));
        let metres = size * environmentShadows.texel;
        let depth = environmentShadows.depth;
        let phase = 6.2831853 * fract(r.noise + environmentShadows.noiseOffset);
        var turn = vec2f(cos(phase), sin(phase));
        arrivingDirections = 0u;
        var i = 0u;
        loop {
            let m = environmentShadows.maps[i].atlasFromWorld;
            let bounds = environmentShadows.maps[i].bounds;
            let spread = environmentShadows.maps[i].light.w;
            let uv = vec2f(dot(m[0], point), dot(m[1], point));
            let z = dot(m[2], point);
            // The change of depth on the receiver's plane, per metre along the map's axes.
            let slope = vec2f(dot(m[0].xyz, r.facet), -dot(m[1].xyz, r.facet)) * metres / (max(dot(m[2].xyz, r.facet) * depth, 0.1) * depth);
            let direction = turn * sqrt(fract(r.noise * 7.31 + f32(i) * 0.618034));
            let widest = direction * (max(1.0 - z, 0.0) * depth * spread);
            let blocker = textureLoad(shadowAtlas, vec2i(clamp(uv + widest * vec2f(1.0, -1.0) / metres, bounds.xy, bounds.zw) * size), 0);
            let over = textureLoad(shadowAtlas, vec2i(clamp(uv, bounds.xy, bounds.zw) * size), 0);
            let gap = max(blocker - (z - dot(slope, widest)), over - z);
            let offset = direction * (max(gap, 0.0) * depth * spread);
            let tap = uv + offset * vec2f(1.0, -1.0) / metres;
            let nearest = textureLoad(shadowAtlas, vec2i(tap * size), 0);
            // All casters lie in the map: beside it everything is lit.
            let isLit = z - dot(slope, offset) >= nearest || any(tap < bounds.xy) || any(tap > bounds.zw);
            arrivingDirections |= select(0u, 1u << i, isLit);
            turn = vec2f(turn.x * GOLDEN.x - turn.y * GOLDEN.y, turn.x * GOLDEN.y + turn.y * GOLDEN.x);
            continuing {
                i += 1u;
                break if (i >= environmentShadows.count);
            }
        }
    }

    fn arrives(direction: u32) -> bool { return (arrivingDirections & (1u << direction)) != 0u; }

    // The share of the irradiance of a surface with this normal that arrives. Without light in the frame, `expected`.
    fn arrivingIrradiance(normal: vec3f, expected: f32) -> vec3f {
        let n = normal * environmentShadows.depth;
        let least = environmentShadows.light * 0.001;
        var lit = vec3f(least * expected);
        var sum = vec3f(least);
        var i = 0u;
        loop {
            // The gradient of the depth points to the light.
            let light = environmentShadows.maps[i].light.rgb * max(dot(n, environmentShadows.maps[i].atlasFromWorld[2].xyz), 0.0);
            sum += light;
            lit += select(vec3f(0.0), light, arrives(i));
            continuing {
                i += 1u;
                break if (i >= environmentShadows.count);
            }
        }
        return lit / max(sum, vec3f(1e-30));
    }

    // The share of the light around direction d, above the horizon of the surface, that arrives, weighted by a lobe of this roughness. Where the frame has
    // little light in the lobe, the result is near `expected`.
    fn arrivingShare(d: vec3f, normal: vec3f, roughness: f32, expected: f32) -> f32 {
        let alpha = roughness * roughness;
        // Fisher's distribution as wide as the lobe of the reflected direction, which is twice as wide as that of the normals.
        let sharpness = 0.5 / max(alpha * alpha, 0.01);
        let along = d * environmentShadows.depth;
        let n = normal * environmentShadows.depth;
        // As much light as a fourth of an even environment has in the lobe.
        let least = environmentShadows.light * 0.125 / sharpness;
        var sum = vec2f(least * expected, least);
        var i = 0u;
        loop {
            let toLight = environmentShadows.maps[i].atlasFromWorld[2].xyz;
            let lobe = exp(sharpness * (dot(along, toLight) - 1.0)) * max(dot(n, toLight), 0.0);
            let weight = dot(environmentShadows.maps[i].light.rgb, vec3f(0.2126, 0.7152, 0.0722)) * lobe;
            sum += weight * vec2f(select(0.0, 1.0, arrives(i)), 1.0);
            continuing {
                i += 1u;
                break if (i >= environmentShadows.count);
            }
        }
        return sum.x / max(sum.y, 1e-30);
    }
    """
