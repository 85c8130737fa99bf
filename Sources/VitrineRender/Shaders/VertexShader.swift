/// Local vertices to clip space.
let vertexShader = """
    struct Vertex {
        @location(0) position: vec3f,
        @location(1) normal: vec3f,
        @location(2) tangent: vec4f,
        @location(3) uv0: vec2f,
        @location(4) uv1: vec2f,
        @location(5) color: vec4f,
        // Real spherical harmonics of the occluded light: 1, y, z, x | xy, yz, 3z² − 1, xz | x² − y².
        @location(6) occlusion0: vec4f,
        @location(7) occlusion1: vec4f,
        @location(8) occlusion2: f32,
    }

    struct Varyings {
        @builtin(position) clip: vec4f,
        // Centroid: at the edge of a triangle the pixel's middle may lie outside, where texture coordinates are invalid.
        @location(0) @interpolate(perspective, centroid) world: vec3f,
        @location(1) @interpolate(perspective, centroid) normal: vec3f,
        @location(2) @interpolate(perspective, centroid) tangent: vec4f,
        @location(3) @interpolate(perspective, centroid) uv: vec4f,
        @location(4) @interpolate(perspective, centroid) color: vec4f,
        @location(5) @interpolate(flat) instance: u32,
        // Occlusion as a polynomial of a world direction d: l·d + k + dᵀQd, Q symmetric without trace.
        // l, k | Qxx, Qyy, Qxy, Qyz | Qxz
        @location(6) @interpolate(perspective, centroid) occlusion0: vec4f,
        @location(7) @interpolate(perspective, centroid) occlusion1: vec4f,
        @location(8) @interpolate(perspective, centroid) occlusion2: f32,
        // `world` at the pixel's middle: always in the triangle's plane, whose normal its derivatives give.
        @location(9) plane: vec3f,
        // Towards the eye: linear, and cheaper to interpolate than to compute from uniforms.
        @location(10) @interpolate(perspective, centroid) toEye: vec3f,
    }

    // Rotates the harmonics to the world frame, as a polynomial.
    fn turnOcclusion(vertex: Vertex, m: array<vec4f, 3>, out: ptr<function, Varyings>) {
        // The columns of the rotation; approximate for shear and unequal scale.
        let x = normalize(vec3f(m[0].x, m[1].x, m[2].x));
        let y = normalize(vec3f(m[0].y, m[1].y, m[2].y));
        let z = normalize(vec3f(m[0].z, m[1].z, m[2].z));
        let a = vertex.occlusion0;
        let b = vertex.occlusion1;
        let l = 0.4886025 * (x * a.w + y * a.y + z * a.z);
        let xx = 0.5462742 * vertex.occlusion2 - 0.3153916 * b.z;
        let yy = -0.5462742 * vertex.occlusion2 - 0.3153916 * b.z;
        let q = mat3x3f(
            vec3f(xx, 0.5462742 * b.x, 0.5462742 * b.w), vec3f(0.5462742 * b.x, yy, 0.5462742 * b.y),
            vec3f(0.5462742 * b.w, 0.5462742 * b.y, -xx - yy));
        let rotation = mat3x3f(x, y, z);
        let turned = rotation * q * transpose(rotation);
        (*out).occlusion0 = vec4f(l, 0.2820948 * a.x);
        (*out).occlusion1 = vec4f(turned[0].x, turned[1].y, turned[0].y, turned[1].z);
        (*out).occlusion2 = turned[0].z;
    }

    @vertex fn transformVertex(vertex: Vertex, @builtin(instance_index) index: u32) -> Varyings { return transformed(vertex, visible[index]); }

    fn transformed(vertex: Vertex, instance: u32) -> Varyings {
        var out: Varyings;
        out.instance = instance;
        let m = instances[out.instance].worldFromLocal;
        let local = vec4f(vertex.position, 1.0);
        out.world = vec3f(dot(m[0], local), dot(m[1], local), dot(m[2], local));
        out.plane = out.world;
        out.toEye = frame.eye.xyz - out.world * frame.eye.w;
        out.clip = frame.clipFromWorld * vec4f(out.world, 1.0);
        // The cofactor matrix transforms normals; a mirroring transform changes its sign.
        let c0 = cross(m[1].xyz, m[2].xyz);
        let c1 = cross(m[2].xyz, m[0].xyz);
        let c2 = cross(m[0].xyz, m[1].xyz);
        let handedness = select(-1.0, 1.0, dot(m[0].xyz, c0) >= 0.0);
        out.normal = normalize(vec3f(dot(c0, vertex.normal), dot(c1, vertex.normal), dot(c2, vertex.normal)) * handedness);
        let t = vertex.tangent.xyz;
        out.tangent = vec4f(dot(m[0].xyz, t), dot(m[1].xyz, t), dot(m[2].xyz, t), vertex.tangent.w * handedness);
        out.uv = vec4f(vertex.uv0, vertex.uv1);
    #if SHADOW_RECEIVER
        out.uv = vec4f(vertex.position.xy * keptShadowPlacement.xy + keptShadowPlacement.zw, 0.0, 0.0);
    #endif
        out.color = vertex.color;
        if (has(VERTEX_OCCLUSION)) { turnOcclusion(vertex, m, &out); }
        return out;
    }
    """
