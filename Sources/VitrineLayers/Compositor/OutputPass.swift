import VitrineGPU
import VitrineMath

/// Writes the composited surface to the target, sRGB-encoded and dithered.
///
/// To avoid banding in slow gradients, a fixed pattern of offsets (interleaved gradient noise, Jimenez 2014) of less than one level is added
/// before rounding. A constant colour that equals a level does not change.
final class OutputPass {
    private let encoded, linear, float: CoverDraw

    init(_ device: GPUDevice) throws(GPUError) {
        let entries: [GPUBindGroupLayoutEntry] = [.texture(0, .fragment, .unfilterableFloat)]
        encoded = try CoverDraw(device, "layers to screen", entries, code: Self.code("vec4f(stored(c, in.position.xy), c.a)"))
        // The GPU encodes these formats, so the dithered levels are decoded first.
        linear = try CoverDraw(
            device, "layers to sRGB screen", entries, code: Self.code("vec4f(decoded(stored(c, in.position.xy)), c.a)"))
        float = try CoverDraw(device, "layers to surface", entries, code: Self.code("c"))
    }

    func draw(
        _ source: GPUTextureView, to target: GPUTextureView, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        let draw: CoverDraw
        switch target.format {
        case .rgba8UnormSRGB, .bgra8UnormSRGB: draw = linear
        case .rgba16Float, .rgba32Float: draw = float
        default: draw = encoded
        }
        try draw.draw([.texture(0, source)], to: target, encoder)
    }

    private static func code(_ result: String) -> String {
        """
        @group(0) @binding(0) var source: texture_2d<f32>;

        fn curve(c: vec3f) -> vec3f {
            let a = clamp(c, vec3f(0.0), vec3f(1.0));
            return select(1.055 * pow(a, vec3f(1.0 / 2.4)) - 0.055, a * 12.92, a <= vec3f(0.0031308));
        }
        fn decoded(c: vec3f) -> vec3f { return select(pow((c + 0.055) / 1.055, vec3f(2.4)), c / 12.92, c <= vec3f(0.04045)); }
        fn dithered(c: vec3f, pixel: vec2f) -> vec3f {
            let noise = fract(52.9829189 * fract(dot(floor(pixel), vec2f(0.06711056, 0.00583715))));
            return clamp(floor(c * 255.0 + 0.5 + (noise - 0.5) * 0.88) / 255.0, vec3f(0.0), vec3f(1.0));
        }
        // Alpha multiplies the encoded colour, as compositing of the target expects.
        fn stored(c: vec4f, pixel: vec2f) -> vec3f { return dithered(curve(c.rgb / max(c.a, 1e-6)) * c.a, pixel); }

        @fragment fn fill(in: Covering) -> @location(0) vec4f {
            var c = textureLoad(source, vec2i(in.position.xy), 0);
            c.a = clamp(c.a, 0.0, 1.0);
            return \(result);
        }
        """
    }
}
