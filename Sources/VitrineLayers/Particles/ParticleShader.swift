import VitrineRender

/// The data and random numbers that the update and draw shaders share.
let particleDataShader =
    Particle.wgsl + ParticleFrame.wgsl + """
        @group(0) @binding(0) var<uniform> particleFrame: ParticleFrame;

        """

/// Advances every particle by the pending ticks. Random numbers: PCG (Jarzynski and Olano, "Hash Functions for GPU Rendering", 2020).
let particleUpdateShader = """
    @group(0) @binding(1) var<storage, read_write> particles: array<Particle>;

    fn particleHash(value: u32) -> u32 {
        let state = value * 747796405u + 2891336453u;
        let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
        return (word >> 22u) ^ word;
    }

    fn random(particle: ptr<function, Particle>) -> f32 {
        (*particle).chance = particleHash((*particle).chance);
        return f32((*particle).chance >> 8u) / 16777216.0;
    }

    fn born(particle: Particle, frame: ParticleFrame) -> Particle {
        var p = particle;
        p.color = frame.colors[min(u32(random(&p) * f32(frame.colorCount)), frame.colorCount - 1u)];
        p.radius = mix(frame.radius.x, frame.radius.y, random(&p));
        let x = random(&p);
        p.position = vec2f(x, random(&p)) * frame.size;
        p.velocity = frame.velocity;
        p.life = 0.0;
        p.births += 1u;
        return p;
    }

    fn gather(particle: Particle, frame: ParticleFrame) -> Particle {
        let way = frame.center - particle.position;
        let distance = length(way);
        if (particle.births == 0u || distance < frame.captureDistance || particle.life > frame.lifetime) {
            return born(particle, frame);
        }
        var p = particle;
        p.position += way / max(distance, 1e-6) * length(p.velocity);
        p.life += 1.0;
        return p;
    }

    @compute @workgroup_size(64) fn updateParticles(@builtin(global_invocation_id) id: vec3u) {
        let index = id.x + id.y * 4194240u;
        if (index >= particleFrame.count) { return; }
        var p = particles[index];
        if (p.births == 0u) { p.chance = particleHash(particleFrame.seed ^ particleHash(index)); }
        for (var tick = 0u; tick < particleFrame.ticks; tick++) { p = updateParticle(p, particleFrame); }
        particles[index] = p;
    }

    """

/// Draws each particle as a polygon around its disc, with the colour of its age.
let particleDrawShader = """
    @group(0) @binding(1) var<storage, read> particles: array<Particle>;

    struct Sprite {
        @builtin(position) position: vec4f,
        @location(0) offset: vec2f,
        @location(1) @interpolate(flat, either) color: vec4f,
    }

    // The tint with opacity, and the size, interpolated between the two stages around an age.
    fn stageSize(age: f32, tint: ptr<function, vec4f>) -> f32 {
        var next = 1u;
        while (next < particleFrame.stageCount && age > particleFrame.stageSizes[next].x) { next++; }
        let last = particleFrame.stageCount - 1u;
        let before = min(next - 1u, last);
        let after = min(next, last);
        let a = particleFrame.stageSizes[before].xy;
        let b = particleFrame.stageSizes[after].xy;
        let share = clamp((age - a.x) / max(b.x - a.x, 1e-6), 0.0, 1.0);
        *tint = mix(particleFrame.stageTints[before], particleFrame.stageTints[after], share);
        return mix(a.y, b.y, share);
    }

    fn isFinite(v: vec2f) -> bool {
        let bits = bitcast<vec2u>(v) & vec2u(0x7f800000u);
        return all(bits != vec2u(0x7f800000u));
    }

    @vertex fn placeSprite(@builtin(vertex_index) vertex: u32, @builtin(instance_index) batch: u32) -> Sprite {
        let number = batch * BATCH + vertex / OUTLINE;
        let corner = outlineCorner(vertex % OUTLINE);
        let p = particles[min(number, particleFrame.count - 1u)];
        var tint: vec4f;
        let size = stageSize(clamp(p.life / particleFrame.lifetime, 0.0, 1.0), &tint);
        let radius = clamp(p.radius, 0.0, 4096.0) * size * particleFrame.progress;
        // The edge is as wide as a pixel, half of which is outside.
        let reach = 1.0 + 0.75 / max(radius * particleFrame.scale, 1e-3);
        let offset = corner * reach;
        var sprite: Sprite;
        sprite.offset = offset;
        sprite.color = p.color * vec4f(tint.rgb * tint.a, tint.a) * particleFrame.progress;
        sprite.position = particleFrame.clipFromUnits * vec4f(p.position + offset * radius, 0.0, 1.0);
        let isThere = number < particleFrame.count && p.births > 0u && radius > 0.0 && any(sprite.color != vec4f(0.0)) && isFinite(p.position);
        if (!isThere) { sprite.position = vec4f(2.0, 2.0, 0.0, 1.0); }
        return sprite;
    }

    @fragment fn drawSprite(sprite: Sprite) -> @location(0) vec4f { return sprite.color * spriteShare(sprite.offset); }

    """

extension ParticleSprite {
    /// The WGSL function `spriteShare(offset)`: the opacity at `offset`, in radii from the centre.
    var shader: String {
        switch self {
        case .disc:
            """
            fn spriteShare(offset: vec2f) -> f32 {
                let d = length(offset);
                return clamp((1.0 - d) / max(fwidth(d), 1e-6) + 0.5, 0.0, 1.0);
            }
            """
        case .soft:
            """
            fn spriteShare(offset: vec2f) -> f32 {
                let q = max(1.0 - dot(offset, offset), 0.0);
                return q * q;
            }
            """
        case .glow:
            """
            fn spriteShare(offset: vec2f) -> f32 {
                let d2 = dot(offset, offset);
                let halo = max(1.0 - d2, 0.0);
                let core = max(1.0 - d2 / 0.09, 0.0);
                return 0.6 * halo * halo * halo * halo + 0.4 * core * core;
            }
            """
        }
    }
}
