internal import CWebGPU

extension GPUTextureFormat {
    var raw: WGPUTextureFormat { WGPUTextureFormat(rawValue: rawValue) }

    /// Width and height of one block: 1×1, or more for compressed formats.
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

    /// Bytes of one block (one texel of uncompressed formats) in a copy to or from a buffer; nil where WebGPU allows no copy.
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

    /// Bytes of one tightly packed row of blocks; 0 where WebGPU allows no copy.
    package func bytesPerRow(width: Int, aspect: GPUTextureAspect = .all) -> Int {
        let block = blockSize.width
        return (width + block - 1) / block * (bytesPerBlock(aspect: aspect) ?? 0)
    }

    /// Rows of blocks in an image of this height.
    package func blockRows(height: Int) -> Int {
        let block = blockSize.height
        return (height + block - 1) / block
    }

    /// It holds depth.
    public var hasDepth: Bool {
        switch self {
        case .depth16Unorm, .depth24Plus, .depth24PlusStencil8, .depth32Float, .depth32FloatStencil8: true
        default: false
        }
    }

    /// It holds stencil values.
    public var hasStencil: Bool {
        switch self {
        case .stencil8, .depth24PlusStencil8, .depth32FloatStencil8: true
        default: false
        }
    }

    /// Memory holds the sRGB curve, shaders see linear values.
    public var isSRGB: Bool { linearTwin != nil }

    /// The same bytes read without the sRGB curve; nil when this format has none.
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

    /// The same bytes with the sRGB curve; nil when there is no such format.
    public var sRGBTwin: GPUTextureFormat? {
        guard !isSRGB, let next = GPUTextureFormat(rawValue: rawValue + 1), next.linearTwin?.rawValue == rawValue else { return nil }
        return next
    }
}
