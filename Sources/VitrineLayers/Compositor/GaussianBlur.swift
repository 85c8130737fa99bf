import VitrineGPU
import VitrineGeometry
import VitrineMath
import VitrineRender

/// Blurs surfaces with a separable Gaussian.
///
/// Wide blurs are computed at reduced size, halved until the standard deviation is at most 3 texels. The variance of the down- and upsampling is
/// subtracted. The kernel ends at three standard deviations.
final class GaussianBlur {
    /// The largest standard deviation in texels; larger ones are clamped.
    static let greatestDeviation: Float = 1024

    private let device: GPUDevice
    private let pool: SurfacePool
    private let halve, blur, enlarge: CoverDraw
    private let sampler: GPUSampler

    init(_ device: GPUDevice, _ pool: SurfacePool) throws(GPUError) {
        (self.device, self.pool) = (device, pool)
        halve = try CoverDraw(device, "blur: halve", [.texture(0, .fragment, .unfilterableFloat)], code: Self.halveCode)
        blur = try CoverDraw(
            device, "blur", [.texture(0, .fragment, .unfilterableFloat), .uniformBuffer(1, .fragment, minSize: BlurKernel.byteCount)],
            code: Self.blurCode)
        enlarge = try CoverDraw(
            device, "blur: enlarge", [.texture(0, .fragment), .sampler(1, .fragment), .uniformBuffer(2, .fragment, minSize: 16)],
            code: Self.enlargeCode)
        sampler = try device.makeSampler(GPUSamplerDescriptor("blur"))
    }

    /// Draws a blurred copy of a surface.
    ///
    /// - Parameter deviation: The standard deviation in texels.
    /// - Returns: A surface of the pool with the same texels. The source is unchanged.
    func draw(_ source: LayerSurface, deviation: Float, _ encoder: borrowing GPUCommandEncoder) throws(GPUError) -> LayerSurface {
        let (small, factor) = try drawSmall(source, deviation: deviation, encoder)
        guard factor < 1 else { return LayerSurface(small.texture, small.view, bounds: source.bounds, scale: source.scale) }
        let result = try take(source.texture.width, source.texture.height)
        try enlarge.draw(
            [.texture(0, small.view), .sampler(1, sampler), .buffer(2, try uniforms(factor, 0, 0))], to: result.view, encoder)
        pool.recycle(small)
        return LayerSurface(result.texture, result.view, bounds: source.bounds, scale: source.scale)
    }

    /// Blurs a surface and returns the result at reduced size, to be sampled with a linear filter.
    ///
    /// - Returns: A surface of the pool and its number of texels per texel of the source, at most 1.
    func drawSmall(
        _ source: LayerSurface, deviation: Float, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) -> (surface: LayerSurface, factor: Float) {
        let wanted = min(max(deviation, 0), Self.greatestDeviation)
        var level = 0
        while wanted / Float(1 << level) > 3, level < 9 { level += 1 }
        let factor = Float(1 << level)
        let spread = level == 0 ? 0 : (factor * factor - 1) / 12 + factor * factor / 6
        let sigma = max((wanted * wanted - spread), 0.01).squareRoot() / factor

        var current = source
        var taken: [LayerSurface] = []
        for _ in 0..<level {
            let smaller = try take((current.texture.width + 1) / 2, (current.texture.height + 1) / 2)
            try halve.draw([.texture(0, current.view)], to: smaller.view, encoder)
            taken.append(smaller)
            current = smaller
        }
        let rows = try take(current.texture.width, current.texture.height)
        let both = try take(current.texture.width, current.texture.height)
        try blur.draw([.texture(0, current.view), .buffer(1, try kernel(isHorizontal: true, sigma))], to: rows.view, encoder)
        try blur.draw([.texture(0, rows.view), .buffer(1, try kernel(isHorizontal: false, sigma))], to: both.view, encoder)
        taken.append(rows)
        for surface in taken { pool.recycle(surface) }
        return (both, 1 / factor)
    }

    private func take(_ width: Int, _ height: Int) throws(GPUError) -> LayerSurface {
        try pool.take(PixelRectangle(x: 0, y: 0, width: width, height: height), scale: 1)
    }

    private func kernel(isHorizontal: Bool, _ sigma: Float) throws(GPUError) -> GPUBuffer {
        try device.makeBuffer("blur", contents: [BlurKernel(isHorizontal: isHorizontal, sigma)], usage: .uniform)
    }

    private func uniforms(_ x: Float, _ y: Float, _ z: Float) throws(GPUError) -> GPUBuffer {
        try device.makeBuffer("blur", contents: [x, y, z, 0], usage: .uniform)
    }

    private static let halveCode = """
        @group(0) @binding(0) var source: texture_2d<f32>;
        fn texel(p: vec2i) -> vec4f {
            if (any(p >= vec2i(textureDimensions(source)))) { return vec4f(0.0); }
            return textureLoad(source, p, 0);
        }
        @fragment fn fill(in: Covering) -> @location(0) vec4f {
            let p = vec2i(in.position.xy) * 2;
            return (texel(p) + texel(p + vec2i(1, 0)) + texel(p + vec2i(0, 1)) + texel(p + vec2i(1, 1))) * 0.25;
        }
        """

    // The weights are computed on the processor: an exponential in the shader would cost more than the texture sample.
    private static let blurCode =
        BlurKernel.wgsl + """
            @group(0) @binding(0) var source: texture_2d<f32>;
            @group(0) @binding(1) var<uniform> kernel: Kernel;
            @fragment fn fill(in: Covering) -> @location(0) vec4f {
                let p = vec2i(in.position.xy);
                let along = vec2i(i32(kernel.right), i32(kernel.down));
                let reach = i32(kernel.reach);
                let at = dot(p, along);
                let last = min(reach, dot(vec2i(textureDimensions(source)), along) - 1 - at);
                var sum = vec4f(0.0);
                for (var i = max(-reach, -at); i <= last; i++) {
                    let k = abs(i);
                    sum += textureLoad(source, p + along * i, 0) * kernel.weights[k >> 2u][k & 3];
                }
                return sum;
            }
            """

    private static let enlargeCode = """
        @group(0) @binding(0) var source: texture_2d<f32>;
        @group(0) @binding(1) var linear: sampler;
        @group(0) @binding(2) var<uniform> factor: vec4f;
        @fragment fn fill(in: Covering) -> @location(0) vec4f {
            return textureSampleLevel(source, linear, in.position.xy * factor.x / vec2f(textureDimensions(source)), 0.0);
        }
        """
}

/// One direction of a Gaussian blur.
struct BlurKernel: ShaderStructure {
    /// The direction in texels: (1, 0) or (0, 1).
    var right: UInt32, down: UInt32
    /// The number of texels on each side, at most 15.
    var reach: UInt32
    private var unused: UInt32 = 0
    /// The weights of one side, starting with the centre; all weights sum to 1.
    var weights: ShaderVectors4

    /// Computes the weights of a blur.
    ///
    /// - Parameter sigma: The standard deviation in texels.
    init(isHorizontal: Bool, _ sigma: Float) {
        let reach = min(Int((3 * sigma).rounded(.up)), 15)
        var weights = [Float](repeating: 0, count: 16)
        for index in 0...reach { weights[index] = exp(-0.5 * (Float(index) / sigma) * (Float(index) / sigma)) }
        let sum = 2 * weights.reduce(0, +) - weights[0]
        (right, down, self.reach) = (isHorizontal ? 1 : 0, isHorizontal ? 0 : 1, UInt32(reach))
        self.weights = ShaderVectors4(
            stride(from: 0, to: 16, by: 4).map {
                Vector4(weights[$0] / sum, weights[$0 + 1] / sum, weights[$0 + 2] / sum, weights[$0 + 3] / sum)
            })
    }

    static let name = "Kernel"
    static let fields: [ShaderField<BlurKernel>] = [
        .init("right") { $0.right }, .init("down") { $0.down }, .init("reach") { $0.reach }, .init("unused") { $0.unused },
        .init("weights") { $0.weights },
    ]
}
