/// The background: drawn last, at the far end of depth, so that covered pixels are not shaded.
let backgroundShader = """
    struct BackgroundVaryings {
        @builtin(position) clip: vec4f,
        // Towards the far plane, not of unit length.
        @location(0) direction: vec3f,
        // On the near plane.
        @location(1) origin: vec3f,
    }

    @vertex fn coverImage(@builtin(vertex_index) index: u32) -> BackgroundVaryings {
        let corner = vec2f(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
        var out: BackgroundVaryings;
        out.clip = vec4f(corner, 0.0, 1.0);
        // Between two depths along the pixel's ray; 0 may lie at infinity.
        let near = frame.worldFromClip * vec4f(corner, 1.0, 1.0);
        let mid = frame.worldFromClip * vec4f(corner, 0.5, 1.0);
        out.origin = near.xyz / near.w;
        out.direction = mid.xyz / mid.w - near.xyz / near.w;
        return out;
    }

    @fragment fn drawSky(in: BackgroundVaryings) -> @location(0) vec4f {
        // A software GPU executes both sides of a branch: features that most skies do not need are compiled out.
        if (!has(SOFT_SKY)) { return output(environmentSharpSky(normalize(in.direction)), 1.0); }
        return output(environmentBackground(in.origin, normalize(in.direction)), 1.0);
    }
    """
