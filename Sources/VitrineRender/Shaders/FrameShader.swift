/// Shared by all shaders of a frame: the bindings of group 0 (`FrameBindings`) and the constants that a pipeline is compiled for.
///
/// The bits of `FEATURES` are those of `SurfaceFeatures`; features that a pipeline lacks cost nothing.
let frameShader = """
    const PI: f32 = 3.14159265358979;

    \(FrameUniforms.wgsl)
    \(InstanceUniforms.wgsl)
    \(LightUniforms.wgsl)
    @group(0) @binding(\(FrameBindings.uniforms)) var<uniform> frame: Frame;
    @group(0) @binding(\(FrameBindings.instances)) var<storage, read> instances: array<Instance>;
    @group(0) @binding(\(FrameBindings.visible)) var<storage, read> visible: array<u32>;
    @group(0) @binding(\(FrameBindings.lights)) var<storage, read> lights: array<Light>;
    @group(0) @binding(\(FrameBindings.mainLights)) var<uniform> mainLights: array<Light, \(FrameBindings.mainLightCount)>;
    // By cluster: first index in lightIndices, and count.
    @group(0) @binding(\(FrameBindings.clusters)) var<storage, read> clusters: array<vec2u>;
    @group(0) @binding(\(FrameBindings.lightIndices)) var<storage, read> lightIndices: array<u32>;

    @group(0) @binding(\(FrameBindings.opaqueScene)) var opaqueScene: texture_2d<f32>;
    @group(0) @binding(\(FrameBindings.opaqueSceneSampler)) var opaqueSceneSampler: sampler;

    // At half size: visible share of the sky, distance ahead.
    @group(0) @binding(\(FrameBindings.screenOcclusion)) var screenOcclusion: texture_2d<f32>;

    override FEATURES: u32 = 0;
    override TONE_MAPPING: u32 = 0;
    override DEBUG_VIEW: u32 = 0;
    override TRIANGLES: bool = true;
    // Normals per pixel for reflections: 1, 2 or 4.
    override NORMAL_SAMPLES: u32 = 1;

    fn lightAt(index: u32) -> Light {
        var light = mainLights[min(index, \(FrameBindings.mainLightCount - 1)u)];
        if (has(MANY_LIGHTS) && index >= \(FrameBindings.mainLightCount)u) { light = lights[index]; }
        return light;
    }

    fn has(bit: u32) -> bool { return ((FEATURES >> bit) & 1u) != 0u; }

    // Radiance of the ambient lights.
    fn ambientRadiance() -> vec3f {
        if (!has(AMBIENT)) { return vec3f(0.0); }
        return frame.ambient.xyz;
    }

    // Radiance of the opaque parts, premultiplied by alpha, which is 0 where nothing was drawn. uv is 0…1 from the upper left corner of the
    // image; level 0 is sharp, each further level has half the resolution.
    fn opaqueSceneAt(uv: vec2f, level: f32) -> vec4f {
        let seen = textureSampleLevel(opaqueScene, opaqueSceneSampler, uv, level);
        return vec4f(seen.rgb / frame.exposure, seen.a);
    }
    """

/// The sRGB transfer function, for targets that the GPU does not encode.
let srgbShader = """
    fn encodeSRGB(linear: vec3f) -> vec3f {
        let c = saturate(linear);
        return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, c * 12.92, c <= vec3f(0.0031308));
    }
    """
