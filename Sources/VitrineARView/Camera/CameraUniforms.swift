import VitrineAR
import VitrineMath
import VitrineRender

/// The uniforms of the camera shaders.
struct CameraUniforms: ShaderStructure {
    /// The transform from the view to the undistorted image, both 0…1.
    let imageFromView: ShaderMatrix3
    /// Focal lengths and principal point as shares of the image size.
    let pinhole: Vector4
    /// The distortion coefficients of the lens.
    let lens: Vector4
    /// The contributions of Y, Cb and Cr to the colour; w: their levels at black or grey.
    let luma, blueDifference, redDifference: Vector4
    /// The scale to the chroma texture.
    let chromaScale: Vector2
    /// The position of the overlay in pixels.
    let overlayOrigin: Vector2
    /// The factor of the overlay's light; w is unused.
    let tint: Vector4

    static let name = "CameraUniforms"
    static let fields: [ShaderField<CameraUniforms>] = [
        .init("imageFromView") { $0.imageFromView }, .init("pinhole") { $0.pinhole }, .init("lens") { $0.lens },
        .init("luma") { $0.luma }, .init("blueDifference") { $0.blueDifference }, .init("redDifference") { $0.redDifference },
        .init("chromaScale") { $0.chromaScale }, .init("overlayOrigin") { $0.overlayOrigin }, .init("tint") { $0.tint },
    ]

    init(
        _ frame: ARFrame, _ orientation: InterfaceOrientation, _ viewport: Vector2, chromaScale: Vector2,
        overlay: CameraBackground.Overlay?
    ) {
        let model = frame.camera.model
        let size = frame.camera.imageResolution
        let (focal, center) = (Vector2(model.focal) / size, Vector2(model.center) / size)
        let conversion = frame.capturedImage.conversion
        imageFromView = ShaderMatrix3(frame.displayTransform(for: orientation, viewportSize: viewport).inverse)
        pinhole = Vector4(focal.x, focal.y, center.x, center.y)
        lens = Vector4(model.distortion.fourCoefficients)
        luma = Vector4(conversion.matrix.x, conversion.offset.x)
        blueDifference = Vector4(conversion.matrix.y, conversion.offset.y)
        redDifference = Vector4(conversion.matrix.z, conversion.offset.z)
        self.chromaScale = chromaScale
        overlayOrigin = Vector2(Float(overlay?.x ?? 0), Float(overlay?.y ?? 0))
        tint = Vector4(overlay?.tint ?? Vector3(1, 1, 1), 0)
    }
}

/// A triangle over the target, and the mapping from the view to the captured image.
let cameraLensShader = """
    \(CameraUniforms.wgsl)
    @group(0) @binding(0) var<uniform> camera: CameraUniforms;

    \(coverShader)
    \(LensKind.wgsl)

    // The point in the captured image, 0…1, for a point in the view.
    fn captured(view: vec2f) -> vec2f {
        let undistorted = camera.imageFromView[0].xy * view.x + camera.imageFromView[1].xy * view.y + camera.imageFromView[2].xy;
        if (!DISTORTED) { return undistorted; }
        return distorted((undistorted - camera.pinhole.zw) / camera.pinhole.xy, camera.lens) * camera.pinhole.xy + camera.pinhole.zw;
    }

    """

let cameraBackgroundShader = """
    @group(0) @binding(1) var luma: texture_2d<f32>;
    @group(0) @binding(2) var chroma: texture_2d<f32>;
    @group(0) @binding(3) var linear: sampler;
    @group(0) @binding(4) var overlay: texture_2d<f32>;
    // The share of light that shadows leave, one texel per pixel of the overlay.
    @group(0) @binding(5) var kept: texture_2d<f32>;
    override OVERLAY: bool = false;
    override SHADOWS: bool = false;
    // A monochrome image has no chroma to sample.
    override GREY: bool = false;
    override ENCODED: bool = false;

    fn decodeSRGB(c: vec3f) -> vec3f { return select(pow((c + 0.055) / 1.055, vec3f(2.4)), c / 12.92, c <= vec3f(0.04045)); }
    fn encodeSRGB(c: vec3f) -> vec3f { return select(1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055, c * 12.92, c <= vec3f(0.0031308)); }

    // Encoded, 0…1.
    fn cameraColor(uv: vec2f) -> vec3f {
        let y = textureSampleLevel(luma, linear, uv, 0.0).r - camera.luma.w;
        var color = camera.luma.xyz * y;
        if (!GREY) {
            let offset = vec2f(camera.blueDifference.w, camera.redDifference.w);
            let c = textureSampleLevel(chroma, linear, uv * camera.chromaScale, 0.0).rg - offset;
            color += camera.blueDifference.xyz * c.x + camera.redDifference.xyz * c.y;
        }
        // Black outside of the image, except for a border of 1 % that repeats the edge pixels.
        if (DISTORTED && any(abs(uv - 0.5) > vec2f(0.51))) { color = vec3f(0.0); }
        return saturate(color);
    }

    @fragment fn fill(in: Covering) -> @location(0) vec4f {
        let color = cameraColor(captured(in.uv));
        if (!OVERLAY && ENCODED) { return vec4f(color, 1.0); }
        var light = decodeSRGB(color);
        if (OVERLAY) {
            let texel = vec2i(in.position.xy - camera.overlayOrigin);
            let over = textureLoad(overlay, texel, 0);
            if (SHADOWS) { light *= textureLoad(kept, texel, 0).r; }
            light = over.rgb * camera.tint.rgb + light * (1.0 - over.a);
        }
        if (ENCODED) { light = encodeSRGB(saturate(light)); }
        return vec4f(light, 1.0);
    }
    """
