/// What every shader of a frame shares: group 0 (with `EnvironmentShader`'s bindings from 6), and the bits that switch parts of the surface shader on.
///
/// The bits of `FEATURES` are those of `SurfaceFeatures`; a pipeline is compiled for one set of them, so that what a material does not
/// have costs nothing.
let frameShader = """
    const PI: f32 = 3.14159265358979;

    struct Frame {
        clipFromWorld: mat4x4f,
        worldFromClip: mat4x4f,
        // Homogeneous: a position for perspective (w = 1), the direction towards the viewer for orthographic projection (w = 0).
        eye: vec4f,
        // dot(xyz, point) + w is the distance ahead of the camera.
        forward: vec4f,
        // Radiance of the ambient lights, the same from everywhere.
        ambient: vec4f,
        // The part of the camera's picture that is drawn: origin and size, 0…1.
        part: vec4f,
        // Exposure as a factor, the number of lights without bounds, what is added to the mip level of textures, seconds.
        parameters: vec4f,
        // Width, height in pixels, and their inverses.
        viewport: vec4f,
        // Clusters across, down, in depth, and the number of bounded lights.
        clusters: vec4f,
        // slice = log2(distance ahead) · x + y; and how far the picture was shifted left and up, pixels.
        slices: vec4f,
    }

    struct Instance {
        worldFromLocal: array<vec4f, 3>,
        // Opacity, category bits.
        opacity: f32,
        categories: u32,
        unused0: u32,
        unused1: u32,
    }

    struct Light {
        // Position and 1 / range², or the direction towards a light infinitely far and −1.
        position: vec4f,
        // Linear intensity; scale of the cone.
        color: vec4f,
        // Axis of the cone, pointing away from the light; offset of the cone.
        axis: vec4f,
        // Rectangle and disc: half of its width and height as vectors. Others whose up.w is 1: divided by up.x + up.y d + up.z d².
        right: vec4f,
        up: vec4f,
        categories: u32,
        // The first of its shadow maps; their kind, and their number times 4.
        shadowFirst: u32,
        shadowMode: u32,
        // 0: none, 1: rectangle, 2: disc.
        shape: u32,
    }

    @group(0) @binding(0) var<uniform> frame: Frame;
    @group(0) @binding(1) var<storage, read> instances: array<Instance>;
    @group(0) @binding(2) var<storage, read> visible: array<u32>;
    @group(0) @binding(3) var<storage, read> lights: array<Light>;
    // For each cluster where its lights begin in lightIndices and how many there are.
    @group(0) @binding(4) var<storage, read> clusters: array<vec2u>;
    @group(0) @binding(5) var<storage, read> lightIndices: array<u32>;

    // See `FrameBindings`.
    @group(0) @binding(11) var opaqueScene: texture_2d<f32>;
    @group(0) @binding(12) var opaqueSceneSampler: sampler;

    // At half size: share of the sky that is seen, distance ahead.
    @group(0) @binding(17) var screenOcclusion: texture_2d<f32>;

    override FEATURES: u32 = 0;
    override TONE_MAPPING: u32 = 0;
    override DEBUG_VIEW: u32 = 0;
    override TRIANGLES: bool = true;
    // Normals read for a pixel's reflection: 1, 2 or 4.
    override NORMAL_SAMPLES: u32 = 1;

    fn has(bit: u32) -> bool { return ((FEATURES >> bit) & 1u) != 0u; }

    // What the opaque parts look like: radiance, premultiplied by alpha, which is 0 where nothing was drawn. uv is 0…1 from the
    // picture's upper left corner; level 0 is sharp, each further one half as fine.
    fn opaqueSceneAt(uv: vec2f, level: f32) -> vec4f {
        let seen = textureSampleLevel(opaqueScene, opaqueSceneSampler, uv, level);
        return vec4f(seen.rgb / frame.parameters.x, seen.a);
    }
    """

/// The sRGB transfer function, for targets that the GPU doesn't encode for.
let srgbShader = """
    fn encodeSRGB(linear: vec3f) -> vec3f {
        let c = saturate(linear);
        return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, c * 12.92, c <= vec3f(0.0031308));
    }
    """
