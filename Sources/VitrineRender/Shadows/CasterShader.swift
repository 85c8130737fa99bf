/// Draws opaque casters into a shadow map: depth only, independent of materials.
let casterShader = """
    \(InstanceUniforms.wgsl)
    @group(0) @binding(\(CasterBindings.instances)) var<storage, read> instances: array<Instance>;
    @group(0) @binding(\(CasterBindings.clipFromWorld)) var<uniform> clipFromWorld: mat4x4f;
    @group(0) @binding(\(CasterBindings.visible)) var<storage, read> visible: array<u32>;

    @vertex fn castShadow(@location(0) position: vec3f, @builtin(instance_index) index: u32) -> @builtin(position) vec4f {
        let m = instances[visible[index]].worldFromLocal;
        let local = vec4f(position, 1.0);
        return clipFromWorld * vec4f(dot(m[0], local), dot(m[1], local), dot(m[2], local), 1.0);
    }
    """

/// Draws casters with holes, as part of a surface's module: its alpha is the surface's own.
let cutOutShader = """
    @group(0) @binding(\(CasterBindings.clipFromWorld)) var<uniform> casterClipFromWorld: mat4x4f;
    @group(0) @binding(\(CasterBindings.visible)) var<storage, read> casterVisible: array<u32>;

    @vertex fn castCutOut(vertex: Vertex, @builtin(instance_index) index: u32) -> Varyings {
        var out = transformed(vertex, casterVisible[index]);
        out.clip = casterClipFromWorld * vec4f(out.world, 1.0);
        return out;
    }

    @fragment fn cutOut(in: Varyings, @builtin(front_facing) isFront: bool) {
        if (surfaceAt(in, isFront).alpha < material.alphaCutoff) { discard; }
    }

    // A half transparent caster blocks half of the light: every second texel of the map, in a pattern that filters average out.
    @fragment fn dither(in: Varyings, @builtin(front_facing) isFront: bool) {
        let threshold = fract(52.9829189 * fract(dot(floor(in.clip.xy), vec2f(0.06711056, 0.00583715))));
        let s = surfaceAt(in, isFront);
        var blocked = s.alpha;
    #if TRANSMISSION
        blocked *= 1.0 - s.transmission * (1.0 - s.metalness);
    #endif
        if (blocked <= threshold) { discard; }
    }
    """
