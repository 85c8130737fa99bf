internal import CWebGPU

/// The storage format of texels. The raw values are those of `webgpu.h`.
///
/// A name consists of the channels, the bits per channel and the numeric type: `rgba16Float` has four channels of 16-bit floating-point
/// numbers. In formats with the suffix `SRGB`, memory contains sRGB-encoded values, and shaders read and write linear values.
///
/// The compressed formats need a feature: BC `GPUFeatures.textureCompressionBC`, ETC2 and EAC `textureCompressionETC2`, ASTC
/// `textureCompressionASTC`.
public enum GPUTextureFormat: UInt32, Sendable {
    /// One 8-bit unsigned normalized channel, 0 to 1.
    case r8Unorm = 0x01
    /// One 8-bit signed normalized channel, −1 to 1.
    case r8Snorm = 0x02
    /// One 8-bit unsigned integer channel.
    case r8Uint = 0x03
    /// One 8-bit signed integer channel.
    case r8Sint = 0x04
    /// One 16-bit unsigned normalized channel, 0 to 1; needs `GPUFeatures.texture16BitNormalized`.
    case r16Unorm = 0x05
    /// One 16-bit signed normalized channel, −1 to 1; needs `GPUFeatures.texture16BitNormalized`.
    case r16Snorm = 0x06
    /// One 16-bit unsigned integer channel.
    case r16Uint = 0x07
    /// One 16-bit signed integer channel.
    case r16Sint = 0x08
    /// One 16-bit floating-point channel.
    case r16Float = 0x09
    /// Two 8-bit unsigned normalized channels, 0 to 1.
    case rg8Unorm = 0x0A
    /// Two 8-bit signed normalized channels, −1 to 1.
    case rg8Snorm = 0x0B
    /// Two 8-bit unsigned integer channels.
    case rg8Uint = 0x0C
    /// Two 8-bit signed integer channels.
    case rg8Sint = 0x0D
    /// One 32-bit floating-point channel; filtered only with `GPUFeatures.float32Filterable`.
    case r32Float = 0x0E
    /// One 32-bit unsigned integer channel.
    case r32Uint = 0x0F
    /// One 32-bit signed integer channel.
    case r32Sint = 0x10
    /// Two 16-bit unsigned normalized channels, 0 to 1; needs `GPUFeatures.texture16BitNormalized`.
    case rg16Unorm = 0x11
    /// Two 16-bit signed normalized channels, −1 to 1; needs `GPUFeatures.texture16BitNormalized`.
    case rg16Snorm = 0x12
    /// Two 16-bit unsigned integer channels.
    case rg16Uint = 0x13
    /// Two 16-bit signed integer channels.
    case rg16Sint = 0x14
    /// Two 16-bit floating-point channels.
    case rg16Float = 0x15
    /// Four 8-bit unsigned normalized channels, 0 to 1.
    case rgba8Unorm = 0x16
    /// Four 8-bit unsigned normalized channels; colour is sRGB-encoded, alpha linear.
    case rgba8UnormSRGB = 0x17
    /// Four 8-bit signed normalized channels, −1 to 1.
    case rgba8Snorm = 0x18
    /// Four 8-bit unsigned integer channels.
    case rgba8Uint = 0x19
    /// Four 8-bit signed integer channels.
    case rgba8Sint = 0x1A
    /// Four 8-bit unsigned normalized channels in the order blue, green, red, alpha, 0 to 1.
    case bgra8Unorm = 0x1B
    /// Four 8-bit unsigned normalized channels in the order blue, green, red, alpha; colour is sRGB-encoded, alpha linear.
    case bgra8UnormSRGB = 0x1C
    /// 10-bit red, green and blue and 2-bit alpha in 32 bits, unsigned integers.
    case rgb10A2Uint = 0x1D
    /// 10-bit red, green and blue and 2-bit alpha in 32 bits, unsigned normalized.
    case rgb10A2Unorm = 0x1E
    /// 11-bit red and green and 10-bit blue in 32 bits, unsigned floating-point; no alpha.
    case rg11B10UFloat = 0x1F
    /// 9-bit red, green and blue with a shared 5-bit exponent; sampled only.
    case rgb9E5UFloat = 0x20
    /// Two 32-bit floating-point channels; filtered only with `GPUFeatures.float32Filterable`.
    case rg32Float = 0x21
    /// Two 32-bit unsigned integer channels.
    case rg32Uint = 0x22
    /// Two 32-bit signed integer channels.
    case rg32Sint = 0x23
    /// Four 16-bit unsigned normalized channels, 0 to 1; needs `GPUFeatures.texture16BitNormalized`.
    case rgba16Unorm = 0x24
    /// Four 16-bit signed normalized channels, −1 to 1; needs `GPUFeatures.texture16BitNormalized`.
    case rgba16Snorm = 0x25
    /// Four 16-bit unsigned integer channels.
    case rgba16Uint = 0x26
    /// Four 16-bit signed integer channels.
    case rgba16Sint = 0x27
    /// Four 16-bit floating-point channels.
    case rgba16Float = 0x28
    /// Four 32-bit floating-point channels; filtered only with `GPUFeatures.float32Filterable`.
    case rgba32Float = 0x29
    /// Four 32-bit unsigned integer channels.
    case rgba32Uint = 0x2A
    /// Four 32-bit signed integer channels.
    case rgba32Sint = 0x2B
    /// 8-bit unsigned integer stencil.
    case stencil8 = 0x2C
    /// 16-bit unsigned normalized depth.
    case depth16Unorm = 0x2D
    /// Depth of at least 24 bits; not copied to buffers.
    case depth24Plus = 0x2E
    /// Depth of at least 24 bits and 8-bit stencil; only stencil is copied to buffers.
    case depth24PlusStencil8 = 0x2F
    /// 32-bit floating-point depth.
    case depth32Float = 0x30
    /// 32-bit floating-point depth and 8-bit stencil; needs `GPUFeatures.depth32FloatStencil8`.
    case depth32FloatStencil8 = 0x31
    /// BC1: colour and 1-bit alpha, 8 bytes per block of 4×4 texels.
    case bc1RGBAUnorm = 0x32
    /// BC1: colour and 1-bit alpha, 8 bytes per block of 4×4 texels; colour is sRGB-encoded.
    case bc1RGBAUnormSRGB = 0x33
    /// BC2: colour and explicit 4-bit alpha, 16 bytes per block of 4×4 texels.
    case bc2RGBAUnorm = 0x34
    /// BC2: colour and explicit 4-bit alpha, 16 bytes per block of 4×4 texels; colour is sRGB-encoded.
    case bc2RGBAUnormSRGB = 0x35
    /// BC3: colour and interpolated alpha, 16 bytes per block of 4×4 texels.
    case bc3RGBAUnorm = 0x36
    /// BC3: colour and interpolated alpha, 16 bytes per block of 4×4 texels; colour is sRGB-encoded.
    case bc3RGBAUnormSRGB = 0x37
    /// BC4: one channel, 0 to 1, 8 bytes per block of 4×4 texels.
    case bc4RUnorm = 0x38
    /// BC4: one channel, −1 to 1, 8 bytes per block of 4×4 texels.
    case bc4RSnorm = 0x39
    /// BC5: two channels, 0 to 1, 16 bytes per block of 4×4 texels.
    case bc5RGUnorm = 0x3A
    /// BC5: two channels, −1 to 1, 16 bytes per block of 4×4 texels; for normal maps.
    case bc5RGSnorm = 0x3B
    /// BC6H: unsigned 16-bit floating-point colour, 16 bytes per block of 4×4 texels.
    case bc6hRGBUFloat = 0x3C
    /// BC6H: signed 16-bit floating-point colour, 16 bytes per block of 4×4 texels.
    case bc6hRGBFloat = 0x3D
    /// BC7: colour and alpha of high quality, 16 bytes per block of 4×4 texels.
    case bc7RGBAUnorm = 0x3E
    /// BC7: colour and alpha of high quality, 16 bytes per block of 4×4 texels; colour is sRGB-encoded.
    case bc7RGBAUnormSRGB = 0x3F
    /// ETC2: colour without alpha, 8 bytes per block of 4×4 texels.
    case etc2RGB8Unorm = 0x40
    /// ETC2: colour without alpha, 8 bytes per block of 4×4 texels; colour is sRGB-encoded.
    case etc2RGB8UnormSRGB = 0x41
    /// ETC2: colour and 1-bit alpha, 8 bytes per block of 4×4 texels.
    case etc2RGB8A1Unorm = 0x42
    /// ETC2: colour and 1-bit alpha, 8 bytes per block of 4×4 texels; colour is sRGB-encoded.
    case etc2RGB8A1UnormSRGB = 0x43
    /// ETC2: colour and 8-bit alpha, 16 bytes per block of 4×4 texels.
    case etc2RGBA8Unorm = 0x44
    /// ETC2: colour and 8-bit alpha, 16 bytes per block of 4×4 texels; colour is sRGB-encoded.
    case etc2RGBA8UnormSRGB = 0x45
    /// EAC: one 11-bit channel, 0 to 1, 8 bytes per block of 4×4 texels.
    case eacR11Unorm = 0x46
    /// EAC: one 11-bit channel, −1 to 1, 8 bytes per block of 4×4 texels.
    case eacR11Snorm = 0x47
    /// EAC: two 11-bit channels, 0 to 1, 16 bytes per block of 4×4 texels.
    case eacRG11Unorm = 0x48
    /// EAC: two 11-bit channels, −1 to 1, 16 bytes per block of 4×4 texels.
    case eacRG11Snorm = 0x49
    /// ASTC: colour and alpha, 16 bytes per block of 4×4 texels.
    case astc4x4Unorm = 0x4A
    /// ASTC: colour and alpha, 16 bytes per block of 4×4 texels; colour is sRGB-encoded.
    case astc4x4UnormSRGB = 0x4B
    /// ASTC: colour and alpha, 16 bytes per block of 5×4 texels.
    case astc5x4Unorm = 0x4C
    /// ASTC: colour and alpha, 16 bytes per block of 5×4 texels; colour is sRGB-encoded.
    case astc5x4UnormSRGB = 0x4D
    /// ASTC: colour and alpha, 16 bytes per block of 5×5 texels.
    case astc5x5Unorm = 0x4E
    /// ASTC: colour and alpha, 16 bytes per block of 5×5 texels; colour is sRGB-encoded.
    case astc5x5UnormSRGB = 0x4F
    /// ASTC: colour and alpha, 16 bytes per block of 6×5 texels.
    case astc6x5Unorm = 0x50
    /// ASTC: colour and alpha, 16 bytes per block of 6×5 texels; colour is sRGB-encoded.
    case astc6x5UnormSRGB = 0x51
    /// ASTC: colour and alpha, 16 bytes per block of 6×6 texels.
    case astc6x6Unorm = 0x52
    /// ASTC: colour and alpha, 16 bytes per block of 6×6 texels; colour is sRGB-encoded.
    case astc6x6UnormSRGB = 0x53
    /// ASTC: colour and alpha, 16 bytes per block of 8×5 texels.
    case astc8x5Unorm = 0x54
    /// ASTC: colour and alpha, 16 bytes per block of 8×5 texels; colour is sRGB-encoded.
    case astc8x5UnormSRGB = 0x55
    /// ASTC: colour and alpha, 16 bytes per block of 8×6 texels.
    case astc8x6Unorm = 0x56
    /// ASTC: colour and alpha, 16 bytes per block of 8×6 texels; colour is sRGB-encoded.
    case astc8x6UnormSRGB = 0x57
    /// ASTC: colour and alpha, 16 bytes per block of 8×8 texels.
    case astc8x8Unorm = 0x58
    /// ASTC: colour and alpha, 16 bytes per block of 8×8 texels; colour is sRGB-encoded.
    case astc8x8UnormSRGB = 0x59
    /// ASTC: colour and alpha, 16 bytes per block of 10×5 texels.
    case astc10x5Unorm = 0x5A
    /// ASTC: colour and alpha, 16 bytes per block of 10×5 texels; colour is sRGB-encoded.
    case astc10x5UnormSRGB = 0x5B
    /// ASTC: colour and alpha, 16 bytes per block of 10×6 texels.
    case astc10x6Unorm = 0x5C
    /// ASTC: colour and alpha, 16 bytes per block of 10×6 texels; colour is sRGB-encoded.
    case astc10x6UnormSRGB = 0x5D
    /// ASTC: colour and alpha, 16 bytes per block of 10×8 texels.
    case astc10x8Unorm = 0x5E
    /// ASTC: colour and alpha, 16 bytes per block of 10×8 texels; colour is sRGB-encoded.
    case astc10x8UnormSRGB = 0x5F
    /// ASTC: colour and alpha, 16 bytes per block of 10×10 texels.
    case astc10x10Unorm = 0x60
    /// ASTC: colour and alpha, 16 bytes per block of 10×10 texels; colour is sRGB-encoded.
    case astc10x10UnormSRGB = 0x61
    /// ASTC: colour and alpha, 16 bytes per block of 12×10 texels.
    case astc12x10Unorm = 0x62
    /// ASTC: colour and alpha, 16 bytes per block of 12×10 texels; colour is sRGB-encoded.
    case astc12x10UnormSRGB = 0x63
    /// ASTC: colour and alpha, 16 bytes per block of 12×12 texels.
    case astc12x12Unorm = 0x64
    /// ASTC: colour and alpha, 16 bytes per block of 12×12 texels; colour is sRGB-encoded.
    case astc12x12UnormSRGB = 0x65
}

extension GPUTextureFormat {
    var raw: WGPUTextureFormat { WGPUTextureFormat(rawValue: rawValue) }

    /// The width and height of one block: 1×1, or more for compressed formats.
    public var blockSize: (width: Int, height: Int) {
        switch rawValue {
        case Self.bc1RGBAUnorm.rawValue...Self.eacRG11Snorm.rawValue: (4, 4)
        case Self.astc4x4Unorm.rawValue...Self.astc12x12UnormSRGB.rawValue:
            Self.astcBlocks[Int(rawValue - Self.astc4x4Unorm.rawValue) / 2]
        default: (1, 1)
        }
    }

    private static let astcBlocks: [(width: Int, height: Int)] = [
        (4, 4), (5, 4), (5, 5), (6, 5), (6, 6), (8, 5), (8, 6), (8, 8), (10, 5), (10, 6), (10, 8), (10, 10), (12, 10), (12, 12),
    ]

    /// The size in bytes of one block (one texel of uncompressed formats) in a copy to or from a buffer; nil where WebGPU allows no copy.
    package func bytesPerBlock(aspect: GPUTextureAspect = .all) -> Int? {
        switch self {
        case .r8Unorm, .r8Snorm, .r8Uint, .r8Sint, .stencil8: 1
        case .r16Unorm, .r16Snorm, .r16Uint, .r16Sint, .r16Float, .rg8Unorm, .rg8Snorm, .rg8Uint, .rg8Sint, .depth16Unorm: 2
        case .r32Float, .r32Uint, .r32Sint, .rg16Unorm, .rg16Snorm, .rg16Uint, .rg16Sint, .rg16Float, .rgba8Unorm, .rgba8UnormSRGB,
            .rgba8Snorm, .rgba8Uint, .rgba8Sint, .bgra8Unorm, .bgra8UnormSRGB, .rgb10A2Uint, .rgb10A2Unorm, .rg11B10UFloat,
            .rgb9E5UFloat, .depth32Float:
            4
        case .rg32Float, .rg32Uint, .rg32Sint, .rgba16Unorm, .rgba16Snorm, .rgba16Uint, .rgba16Sint, .rgba16Float: 8
        case .rgba32Float, .rgba32Uint, .rgba32Sint: 16
        case .depth24Plus: nil
        case .depth24PlusStencil8: aspect == .stencilOnly ? 1 : nil
        case .depth32FloatStencil8: aspect == .stencilOnly ? 1 : aspect == .depthOnly ? 4 : nil
        case .bc1RGBAUnorm, .bc1RGBAUnormSRGB, .bc4RUnorm, .bc4RSnorm, .etc2RGB8Unorm, .etc2RGB8UnormSRGB, .etc2RGB8A1Unorm,
            .etc2RGB8A1UnormSRGB, .eacR11Unorm, .eacR11Snorm:
            8
        default: 16
        }
    }

    /// The size in bytes of one tightly packed row of blocks; 0 where WebGPU allows no copy.
    package func bytesPerRow(width: Int, aspect: GPUTextureAspect = .all) -> Int {
        let block = blockSize.width
        return (width + block - 1) / block * (bytesPerBlock(aspect: aspect) ?? 0)
    }

    /// The number of block rows in an image of this height.
    package func blockRows(height: Int) -> Int {
        let block = blockSize.height
        return (height + block - 1) / block
    }

    /// Whether the format has a depth aspect.
    public var hasDepth: Bool {
        switch self {
        case .depth16Unorm, .depth24Plus, .depth24PlusStencil8, .depth32Float, .depth32FloatStencil8: true
        default: false
        }
    }

    /// Whether the format has a stencil aspect.
    public var hasStencil: Bool {
        switch self {
        case .stencil8, .depth24PlusStencil8, .depth32FloatStencil8: true
        default: false
        }
    }

    /// Whether memory contains sRGB-encoded values that shaders read and write as linear values.
    public var isSRGB: Bool { linearTwin != nil }

    /// The format with the same layout without sRGB encoding; nil if this format is not sRGB-encoded.
    public var linearTwin: GPUTextureFormat? {
        switch self {
        case .rgba8UnormSRGB: .rgba8Unorm
        case .bgra8UnormSRGB: .bgra8Unorm
        case .bc1RGBAUnormSRGB, .bc2RGBAUnormSRGB, .bc3RGBAUnormSRGB, .bc7RGBAUnormSRGB, .etc2RGB8UnormSRGB, .etc2RGB8A1UnormSRGB,
            .etc2RGBA8UnormSRGB:
            GPUTextureFormat(rawValue: rawValue - 1)
        default:
            rawValue >= Self.astc4x4Unorm.rawValue && (rawValue - Self.astc4x4Unorm.rawValue) % 2 == 1
                ? GPUTextureFormat(rawValue: rawValue - 1) : nil
        }
    }

    /// The format with the same layout and sRGB encoding; nil if there is none.
    public var sRGBTwin: GPUTextureFormat? {
        guard !isSRGB, let next = GPUTextureFormat(rawValue: rawValue + 1), next.linearTwin?.rawValue == rawValue else { return nil }
        return next
    }
}
