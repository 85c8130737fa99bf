/// The inputs of a surface function (`SurfaceFunction`), and its call. The text of the function is at the end of the module, so that its first line
/// is known.
let functionShader = """
    struct SurfaceInput {
        // World, metres.
        position: vec3f,
        // In the node's own frame; of skinned geometry as `position`.
        localPosition: vec3f,
        // World, of unit length: the geometry's, turned towards the viewer on double-sided surfaces.
        normal: vec3f,
        tangent: vec3f,
        // Towards the viewer.
        view: vec3f,
        uv: vec2f,
        uv1: vec2f,
        // The vertices' colour, linear; white where they have none.
        color: vec4f,
        // Seconds, `RenderOptions.time`.
        time: f32,
        // From the upper left corner.
        pixel: vec2f,
        isFront: bool,
    }

    fn localPosition(world: vec3f, m: array<vec4f, 3>) -> vec3f {
        let c0 = cross(m[1].xyz, m[2].xyz);
        let c1 = cross(m[2].xyz, m[0].xyz);
        let c2 = cross(m[0].xyz, m[1].xyz);
        let p = world - vec3f(m[0].w, m[1].w, m[2].w);
        let determinant = dot(m[0].xyz, c0);
        return (c0 * p.x + c1 * p.y + c2 * p.z) / select(determinant, 1.0, determinant == 0.0);
    }

    fn applyFunction(s: ptr<function, Surface>, in: Varyings, isFront: bool) {
        var input: SurfaceInput;
        input.position = in.world;
        input.localPosition = localPosition(in.world, instances[in.instance].worldFromLocal);
        input.normal = (*s).geometricNormal;
        input.tangent = (*s).tangent;
        input.view = (*s).view;
        input.uv = in.uv.xy;
        input.uv1 = in.uv.zw;
        input.color = in.color;
        input.time = frame.time;
        input.pixel = in.clip.xy;
        input.isFront = isFront;
        callSurfaceFunction(input, s);
        (*s).normal = normalize((*s).normal);
        (*s).metalness = saturate((*s).metalness);
        (*s).roughness = saturate((*s).roughness);
        (*s).occlusion = saturate((*s).occlusion);
    \(MaterialLobe.statements { $0.limits })
    }
    """
