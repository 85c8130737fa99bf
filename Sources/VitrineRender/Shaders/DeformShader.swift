/// Moves vertices by morph targets, then by joints; one invocation per vertex.
let deformShader = """
    \(DeformUniforms.wgsl)
    struct Joint { rows: array<vec4f, 3> }

    @group(0) @binding(0) var<uniform> parameters: DeformUniforms;
    // Position, normal, tangent: 10 floats per vertex, here and in the result.
    @group(0) @binding(1) var<storage, read> source: array<f32>;
    @group(0) @binding(2) var<storage, read_write> result: array<f32>;
    // Joint's number and weight's bits.
    @group(0) @binding(3) var<storage, read> influences: array<vec2u>;
    @group(0) @binding(4) var<storage, read> joints: array<Joint>;
    // Offsets of position, normal, tangent: 9 floats per vertex, target after target.
    @group(0) @binding(5) var<storage, read> offsets: array<f32>;
    // Target's number and weight's bits.
    @group(0) @binding(6) var<storage, read> weights: array<vec2u>;

    fn vector(base: u32) -> vec3f { return vec3f(source[base], source[base + 1u], source[base + 2u]); }
    fn offset(base: u32) -> vec3f { return vec3f(offsets[base], offsets[base + 1u], offsets[base + 2u]); }

    fn store(base: u32, v: vec3f) {
        result[base] = v.x;
        result[base + 1u] = v.y;
        result[base + 2u] = v.z;
    }

    @compute @workgroup_size(64) fn deform(@builtin(global_invocation_id) id: vec3u) {
        let vertex = id.x;
        if (vertex >= parameters.vertexCount) { return; }
        let base = vertex * 10u;
        var position = vector(base);
        var normal = vector(base + 3u);
        var tangent = vector(base + 6u);
        for (var i = 0u; i < parameters.targetCount; i++) {
            let at = (weights[i].x * parameters.vertexCount + vertex) * 9u;
            let weight = bitcast<f32>(weights[i].y);
            position += offset(at) * weight;
            normal += offset(at + 3u) * weight;
            tangent += offset(at + 6u) * weight;
        }
        if (parameters.influences > 0u) {
            var rows = array<vec4f, 3>();
            for (var i = 0u; i < parameters.influences; i++) {
                let influence = influences[vertex * parameters.influences + i];
                let weight = bitcast<f32>(influence.y);
                if (weight == 0.0) { continue; }
                let joint = joints[min(influence.x, parameters.jointCount - 1u)];
                for (var row = 0; row < 3; row++) { rows[row] += joint.rows[row] * weight; }
            }
            let p = vec4f(position, 1.0);
            position = vec3f(dot(rows[0], p), dot(rows[1], p), dot(rows[2], p));
            tangent = vec3f(dot(rows[0].xyz, tangent), dot(rows[1].xyz, tangent), dot(rows[2].xyz, tangent));
            // Cofactors transform normals correctly for any scale of the joints.
            let c0 = cross(rows[1].xyz, rows[2].xyz);
            let c1 = cross(rows[2].xyz, rows[0].xyz);
            let c2 = cross(rows[0].xyz, rows[1].xyz);
            normal = vec3f(dot(c0, normal), dot(c1, normal), dot(c2, normal)) * sign(dot(rows[0].xyz, c0));
        }
        let squared = dot(normal, normal);
        if (squared > 0.0) { normal *= inverseSqrt(squared); }
        store(base, position);
        store(base + 3u, normal);
        store(base + 6u, tangent);
        result[base + 9u] = source[base + 9u];
    }
    """
