/// A surface that shows only the shadows on it.
let shadowReceiverShader = """
    #if SHADOW_RECEIVER
    fn luminance(c: vec3f) -> f32 { return dot(c, vec3f(0.2126, 0.7152, 0.0722)); }

    // Irradiance of a light on the receiver: without shadows, and the part that shadows block.
    fn caught(s: Surface, receiver: Receiver, light: Light) -> vec2f {
        let a = arrival(light, s.position);
        var strength = a.strength * saturate(dot(s.normal, a.direction));
        if (has(AREA_LIGHTS) && light.shape != 0u) {
            strength = a.strength * areaShare(areaFrame(s.normal, s.view), light.position.xyz - s.position, light) * PI;
        }
        let irradiance = luminance(light.color.rgb) * strength;
        if (irradiance <= 0.0 || !has(SHADOWS) || light.shadowMode == 0u) { return vec2f(irradiance, 0.0); }
        return vec2f(irradiance, irradiance * (1.0 - shadow(light.shadowFirst, light.shadowMode, receiver)));
    }

    // The share of all light that shadows block.
    fn caughtShadow(s: Surface, fragment: vec2f, categories: u32) -> f32 {
        let receiver = receiverOf(s, fragment);
        var sum = vec2f(luminance(ambientRadiance()) * PI, 0.0);
        if (has(ENVIRONMENT)) {
            let irradiance = luminance(environmentIrradiance(s.normal));
            sum.x += irradiance;
            if (has(SHADOWS)) { sum.y += irradiance * (1.0 - environmentShadow(receiver)); }
        }
        if (has(PUNCTUAL_LIGHTS)) {
            var cluster = vec2u(0u);
            if (frame.boundedLightCount > 0u) { cluster = clusters[clusterOf(fragment, s.position)]; }
            let count = frame.unboundedLightCount + cluster.y;
            for (var i = 0u; i < count; i++) {
                let light = lightAt(lightIndex(cluster, i));
                if ((light.categories & categories) != 0u) { sum += caught(s, receiver, light); }
            }
        }
        return sum.y / max(sum.x, 1e-9);
    }
    #endif
    """
