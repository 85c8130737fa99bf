/// Local vertices to clip space.
let vertexShader = """
    struct Vertex {
        @location(0) position: vec3f,
        @location(1) normal: vec3f,
        @location(2) tangent: vec4f,
        @location(3) uv0: vec2f,
        @location(4) uv1: vec2f,
        @location(5) color: vec4f,
    }

    struct Varyings {
        @builtin(position) clip: vec4f,
        // Centroid: at the edge of a triangle the pixel's middle may lie outside, where texture coordinates belong to something else.
        @location(0) @interpolate(perspective, centroid) world: vec3f,
        @location(1) @interpolate(perspective, centroid) normal: vec3f,
        @location(2) @interpolate(perspective, centroid) tangent: vec4f,
        @location(3) @interpolate(perspective, centroid) uv: vec4f,
        @location(4) @interpolate(perspective, centroid) color: vec4f,
        @location(5) @interpolate(flat) instance: u32,
    }

    @vertex fn transformVertex(vertex: Vertex, @builtin(instance_index) index: u32) -> Varyings {
        var out: Varyings;
        out.instance = visible[index];
        let m = instances[out.instance].worldFromLocal;
        let local = vec4f(vertex.position, 1.0);
        out.world = vec3f(dot(m[0], local), dot(m[1], local), dot(m[2], local));
        out.clip = frame.clipFromWorld * vec4f(out.world, 1.0);
        // The cofactor matrix takes normals along; its sign is the determinant's, which mirroring turns.
        let c0 = cross(m[1].xyz, m[2].xyz);
        let c1 = cross(m[2].xyz, m[0].xyz);
        let c2 = cross(m[0].xyz, m[1].xyz);
        let handedness = select(-1.0, 1.0, dot(m[0].xyz, c0) >= 0.0);
        out.normal = normalize(vec3f(dot(c0, vertex.normal), dot(c1, vertex.normal), dot(c2, vertex.normal)) * handedness);
        let t = vertex.tangent.xyz;
        out.tangent = vec4f(dot(m[0].xyz, t), dot(m[1].xyz, t), dot(m[2].xyz, t), vertex.tangent.w * handedness);
        out.uv = vec4f(vertex.uv0, vertex.uv1);
        out.color = vertex.color;
        return out;
    }
    """
