/// Lights with a position or a direction: which of them arrive at a pixel, their strength and shadows. Reflection is in
/// `ReflectanceShader`.
let lightShader = """
    // The direction of a point, spot or directional light, and the irradiance that it causes per unit of intensity.
    struct Arrival {
        direction: vec3f,
        strength: f32,
    }

    fn arrival(light: Light, position: vec3f) -> Arrival {
        // Infinitely far.
        if (light.position.w < 0.0) { return Arrival(light.position.xyz, 1.0); }
        let offset = light.position.xyz - position;
        let squared = max(dot(offset, offset), 1e-8);
        let direction = offset * inverseSqrt(squared);
        // KHR_lights_punctual: inverse square, faded to nothing at the range.
        let ratio = squared * light.position.w;
        let fade = saturate(1.0 - ratio * ratio);
        if (has(AREA_LIGHTS) && light.shape != 0u) {
            // Its strength follows from its solid angle; its back is dark.
            return Arrival(direction, select(0.0, fade, dot(light.axis.xyz, offset) < 0.0));
        }
        let cone = saturate(dot(-direction, light.axis.xyz) * light.color.w + light.axis.w);
        var divisor = squared;
        if (light.up.w > 0.0) { divisor = light.up.x + (light.up.y + light.up.z * sqrt(squared)) * sqrt(squared); }
        return Arrival(direction, fade / divisor * cone * cone);
    }

    fn lightOn(s: Surface, r: Reflectance, receiver: Receiver, area: AreaFrames, light: Light) -> vec3f {
        let a = arrival(light, s.position);
        if (a.strength <= 0.0) { return vec3f(0.0); }
        var result = light.color.rgb * a.strength;
        if (has(AREA_LIGHTS) && light.shape != 0u) {
            result *= areaLight(s, r, area, light);
        } else {
            result *= reflectLight(s, r, a.direction);
        }
        if (has(SHADOWS) && light.shadowMode != 0u && max(result.x, max(result.y, result.z)) > 0.0) {
            result *= shadow(light.shadowFirst, light.shadowMode, receiver);
        }
        return result;
    }

    fn clusterOf(fragment: vec2f, position: vec3f) -> u32 {
        let depth = max(dot(frame.forward.xyz, position) + frame.forward.w, 1e-6);
        let slice = clamp(log2(depth) * frame.sliceScale.x + frame.sliceScale.y, 0.0, frame.sliceCount - 1.0);
        let uv = (fragment + frame.subpixelOffset) * frame.pixelSize * frame.part.zw + frame.part.xy;
        let tile = clamp(floor(uv * frame.tileCounts), vec2f(0.0), frame.tileCounts - 1.0);
        return u32(tile.x) + u32(frame.tileCounts.x) * (u32(tile.y) + u32(frame.tileCounts.y) * u32(slice));
    }

    // The index of a pixel's light: the unbounded ones, then those of its cluster.
    fn lightIndex(cluster: vec2u, number: u32) -> u32 {
        var index = number;
        if (number >= frame.unboundedLightCount) { index = lightIndices[cluster.x + number - frame.unboundedLightCount]; }
        return index;
    }

    fn punctualLights(s: Surface, fragment: vec2f, categories: u32) -> vec3f {
        let r = reflectance(s);
        var receiver: Receiver;
        if (has(SHADOWS)) { receiver = receiverOf(s, fragment); }
        var area: AreaFrames;
        if (has(AREA_LIGHTS)) { area = areaFrames(s); }
        var sum = vec3f(0.0);
        // One loop for both kinds of lights, with its test at the end: see `mapShadow`.
        var cluster = vec2u(0u);
        if (frame.boundedLightCount > 0u) { cluster = clusters[clusterOf(fragment, s.position)]; }
        let count = frame.unboundedLightCount + cluster.y;
        if (count == 0u) { return sum; }
        var i = 0u;
        loop {
            let light = lightAt(lightIndex(cluster, i));
            if ((light.categories & categories) != 0u) { sum += lightOn(s, r, receiver, area, light); }
            continuing {
                i += 1u;
                break if (i >= count);
            }
        }
        return sum;
    }
    """
