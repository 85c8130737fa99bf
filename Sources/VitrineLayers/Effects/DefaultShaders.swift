extension ShaderLibrary {
    /// The built-in functions: glow, ripple, pixellate, wave, chromaticAberration, hueRotation, grayscale, invert and grain. docs/effects.md shows
    /// each.
    public static let `default`: ShaderLibrary = {
        do throws(ShaderError) {
            return try ShaderLibrary(source: defaultShaders, name: "Vitrine/effects.wgsl", line: 0)
        } catch {
            preconditionFailure("the built-in shaders are invalid")
        }
    }()
}

private let defaultShaders = """
    // working-space: sRGB

    // A glow around a touch. Multiplies each pixel's colour (that of a stroke, for example) by
    //     smoothstep(0, 1, p) exp(-d²) amplitude smoothstep(0, 1, 1 - d / p)
    // where d is the distance to the touch with the sides of `bounds` as unit. p runs from 0 (invisible) to 1.
    // ShaderEffect.glow has the default arguments.
    fn glow(position: vec2f, color: vec4f, touch: vec2f, bounds: vec4f, amplitude: f32, p: f32) -> vec4f {
        if p <= 0.0 { return vec4f(0.0); }
        let d = length((position - touch) / max(bounds.zw, vec2f(1e-6)));
        return color * (smoothstep(0.0, 1.0, p) * exp(-d * d) * amplitude * smoothstep(0.0, 1.0, 1.0 - d / p));
    }

    // A ring that expands from `origin` since `time` 0, in seconds. At the distance d, with t = time - d / speed,
    //     r = amplitude sin(frequency t) exp(-decay t)
    // is the outward offset of the sample, and r / amplitude · alpha is added to the colour; negative sums become 0.
    // amplitude in points, speed in points per second; no change outside 0 < time < duration. ShaderEffect.ripple has the default arguments.
    fn ripple(
        position: vec2f, layer: Layer, origin: vec2f, time: f32, amplitude: f32, frequency: f32, decay: f32, speed: f32, duration: f32
    ) -> vec4f {
        if time <= 0.0 || time >= duration { return sampleLayer(layer, position); }
        let d = length(position - origin);
        let t = max(0.0, time - d / max(speed, 1e-6));
        let swing = sin(frequency * t) * exp(-decay * t);
        // At the origin, the direction is undefined and not used.
        let direction = (position - origin) / max(d, 1e-6);
        let color = sampleLayer(layer, position + amplitude * swing * direction);
        return vec4f(max(color.rgb + swing * color.a, vec3f(0.0)), color.a);
    }

    // Cells of `size` points; each has the colour at its centre.
    fn pixellate(position: vec2f, size: vec2f) -> vec2f {
        let cell = max(size, vec2f(1e-3));
        return (floor(position / cell) + 0.5) * cell;
    }

    // A vertical wave along x with this amplitude and wavelength `length` in points; it moves by one wavelength while `time` runs from 0 to 1.
    fn wave(position: vec2f, time: f32, amplitude: f32, length: f32) -> vec2f {
        return position + vec2f(0.0, amplitude * sin(6.2831853 * (position.x / max(length, 1e-3) - time)));
    }

    // Samples red at `offset` points, blue at the opposite offset.
    fn chromaticAberration(position: vec2f, layer: Layer, offset: vec2f) -> vec4f {
        let middle = sampleLayer(layer, position);
        let red = sampleLayer(layer, position + offset);
        let blue = sampleLayer(layer, position - offset);
        return vec4f(red.r, middle.g, blue.b, max(middle.a, max(red.a, blue.a)));
    }

    // Rotates hues by `angle` in radians. Greys do not change; luminance is preserved unless a component leaves 0…1.
    fn hueRotation(position: vec2f, color: vec4f, angle: f32) -> vec4f {
        // In linear light, rotates about the grey axis (Rodrigues), then moves along it to the original luminance.
        let axis = vec3f(0.57735027);
        let light = linearFromWorking(color);
        let turned = light.rgb * cos(angle) + cross(axis, light.rgb) * sin(angle) + axis * dot(axis, light.rgb) * (1.0 - cos(angle));
        let same = turned + (luminance(light) - luminance(vec4f(turned, light.a)));
        return workingFromLinear(vec4f(max(same, vec3f(0.0)), light.a));
    }

    // `amount` 0: unchanged; 1: luminance only. Interpolates in linear light.
    fn grayscale(position: vec2f, color: vec4f, amount: f32) -> vec4f {
        let light = linearFromWorking(color);
        return workingFromLinear(vec4f(mix(light.rgb, vec3f(luminance(light)), amount), light.a));
    }

    // Inverts the colour. `amount` 0: unchanged.
    fn invert(position: vec2f, color: vec4f, amount: f32) -> vec4f {
        return vec4f(mix(color.rgb, max(color.a - color.rgb, vec3f(0.0)), amount), color.a);
    }

    // Returns a random number 0…1 by three rounds of PCG (Jarzynski & Olano, "Hash functions for GPU rendering", 2020).
    fn noise(cell: vec3u) -> f32 {
        var v = cell * 1664525u + 1013904223u;
        v.x += v.y * v.z;
        v.y += v.z * v.x;
        v.z += v.x * v.y;
        v ^= v >> vec3u(16u);
        v.x += v.y * v.z;
        v.y += v.z * v.x;
        v.z += v.x * v.y;
        return f32(v.x >> 8u) / 16777216.0;
    }

    // Adds grains of `size` points with a brightness of at most ±`amount`; the seed selects the pattern.
    fn grain(position: vec2f, color: vec4f, amount: f32, size: f32, seed: f32) -> vec4f {
        let cell = vec2i(floor(position / max(size, 1e-3)));
        let level = (2.0 * noise(vec3u(vec2u(cell), bitcast<u32>(seed))) - 1.0) * amount;
        return vec4f(clamp(color.rgb + level * color.a, vec3f(0.0), vec3f(color.a)), color.a);
    }
    """
