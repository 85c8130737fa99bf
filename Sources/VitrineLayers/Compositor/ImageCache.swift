import VitrineGPU
import VitrineMath
import VitrineScene

/// The textures of images, linear and premultiplied, with mip levels. An image is uploaded when it is first drawn.
final class ImageCache {
    private let device: GPUDevice
    private let convert: (encoded: CoverDraw, linear: CoverDraw)
    private let halve: CoverDraw
    private let sampler: GPUSampler
    private var textures: [ObjectIdentifier: (image: Image, texture: CachedTexture)] = [:]
    /// The number of the current frame.
    private var frame: UInt64 = 0

    init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        convert = (
            try CoverDraw(device, "image", [.texture(0, .fragment, .unfilterableFloat)], code: Self.convertCode(isEncoded: true)),
            try CoverDraw(device, "image of floats", [.texture(0, .fragment, .unfilterableFloat)], code: Self.convertCode(isEncoded: false))
        )
        halve = try CoverDraw(device, "image level", [.texture(0, .fragment), .sampler(1, .fragment)], code: Self.halveCode)
        sampler = try device.makeSampler(GPUSamplerDescriptor("image level"))
    }

    /// Starts a frame: the textures that it uses are kept.
    func beginFrame(_ number: UInt64) { frame = number }

    /// Returns the texture of an image.
    ///
    /// - Throws: `.device`; `.invalidOption` for an image that is larger than the GPU's textures.
    func texture(of image: Image) throws(LayerError) -> CachedTexture {
        if let known = textures[ObjectIdentifier(image)] {
            known.texture.use(in: frame)
            return known.texture
        }
        let limit = device.limits.maxTextureDimension2D
        guard image.width <= limit, image.height <= limit else {
            throw .invalidOption(
                name: "image '\(image.name)'",
                reason: "has \(image.width) × \(image.height) pixels; the GPU supports at most \(limit) × \(limit)")
        }
        let texture = try attempting("uploading image '\(image.name)'") { () throws(GPUError) in try upload(image) }
        texture.use(in: frame)
        textures[ObjectIdentifier(image)] = (image, texture)
        return texture
    }

    /// Removes images that no frame has used since `frame`.
    func purge(unusedSince frame: UInt64) { textures = textures.filter { $0.value.texture.lastUse >= frame } }

    /// The memory in bytes.
    var memory: Int { textures.values.reduce(0) { $0 + $1.texture.memory } }

    private func upload(_ image: Image) throws(GPUError) -> CachedTexture {
        let size = GPUExtent(image.width, image.height)
        let source = try device.makeTexture(
            GPUTextureDescriptor(
                image.name, size: size, format: image.format == .rgba8 ? .rgba8Unorm : .rgba32Float,
                usage: [.textureBinding, .copyDestination]))
        switch image.format {
        case .rgba8, .rgba32Float: device.queue.write(image.bytes, to: GPUTexelCopyTextureInfo(texture: source))
        case .rgba16: device.queue.write(Self.floats(image.bytes), to: GPUTexelCopyTextureInfo(texture: source))
        }
        let levels = GPUTexture.fullMipLevelCount(width: image.width, height: image.height)
        let texture = try device.makeTexture(
            GPUTextureDescriptor(
                image.name, size: size, format: LayerSurface.format, usage: [.renderAttachment, .textureBinding], mipLevelCount: levels))
        let encoder = try device.makeCommandEncoder("image")
        let draw = image.format == .rgba32Float ? convert.linear : convert.encoded
        try draw.draw([.texture(0, try source.makeView())], to: try texture.makeView(mipLevels: 0..<1), encoder)
        for level in 1..<max(levels, 1) {
            try halve.draw(
                [.texture(0, try texture.makeView(mipLevels: level - 1..<level)), .sampler(1, sampler)],
                to: try texture.makeView(mipLevels: level..<level + 1), encoder)
        }
        device.queue.submit(try encoder.finish())
        return CachedTexture(texture, try texture.makeView())
    }

    /// Converts 16-bit values to 0…1.
    private static func floats(_ bytes: [UInt8]) -> [Float] {
        var values: [Float] = []
        values.reserveCapacity(bytes.count / 2)
        for index in stride(from: 0, to: bytes.count - 1, by: 2) {
            values.append(Float(UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8) / 65_535)
        }
        return values
    }

    private static func convertCode(isEncoded: Bool) -> String {
        """
        @group(0) @binding(0) var source: texture_2d<f32>;
        fn decoded(c: vec3f) -> vec3f { return select(pow((c + 0.055) / 1.055, vec3f(2.4)), c / 12.92, c <= vec3f(0.04045)); }
        @fragment fn fill(in: Covering) -> @location(0) vec4f {
            let c = textureLoad(source, vec2i(in.position.xy), 0);
            let a = clamp(c.a, 0.0, 1.0);
            let rgb = \(isEncoded ? "decoded(c.rgb)" : "clamp(c.rgb, vec3f(-65000.0), vec3f(65000.0))");
            return vec4f(rgb * a, a);
        }
        """
    }

    private static let halveCode = """
        @group(0) @binding(0) var source: texture_2d<f32>;
        @group(0) @binding(1) var linear: sampler;
        // A linear sample between four texels is their mean.
        @fragment fn fill(in: Covering) -> @location(0) vec4f { return textureSampleLevel(source, linear, in.uv, 0.0); }
        """
}
