internal import CWebGPU

/// Optional features of WebGPU. Shaders and calls that need a feature fail on a device that was created without it.
public struct GPUFeatures: OptionSet, Sendable, CustomStringConvertible {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Pipelines may disable depth clipping with `GPURenderPipelineDescriptor.isDepthUnclipped`.
    public static let depthClipControl = GPUFeatures(rawValue: 1 << 0)
    /// The format `depth32FloatStencil8`.
    public static let depth32FloatStencil8 = GPUFeatures(rawValue: 1 << 1)
    /// The BC1 to BC7 formats; usual on desktop GPUs.
    public static let textureCompressionBC = GPUFeatures(rawValue: 1 << 2)
    /// The ETC2 and EAC formats; usual on mobile GPUs.
    public static let textureCompressionETC2 = GPUFeatures(rawValue: 1 << 3)
    /// The ASTC formats of low dynamic range; usual on mobile GPUs.
    public static let textureCompressionASTC = GPUFeatures(rawValue: 1 << 4)
    /// `GPUTimer` and timestamps at the beginning and end of passes.
    public static let timestampQuery = GPUFeatures(rawValue: 1 << 5)
    /// Indirect draws may start at an instance other than 0.
    public static let indirectFirstInstance = GPUFeatures(rawValue: 1 << 6)
    /// The type `f16` in WGSL, after `enable f16;`.
    public static let shaderF16 = GPUFeatures(rawValue: 1 << 7)
    /// `rg11B10UFloat` as a render attachment, also multisampled.
    public static let rg11b10UFloatRenderable = GPUFeatures(rawValue: 1 << 8)
    /// `bgra8Unorm` as a storage texture.
    public static let bgra8UnormStorage = GPUFeatures(rawValue: 1 << 9)
    /// Linear filtering of `r32Float`, `rg32Float` and `rgba32Float`.
    public static let float32Filterable = GPUFeatures(rawValue: 1 << 10)
    /// Blending in `r32Float`, `rg32Float` and `rgba32Float` targets.
    public static let float32Blendable = GPUFeatures(rawValue: 1 << 11)
    /// `@builtin(clip_distances)` in vertex shaders, after `enable clip_distances;`.
    public static let clipDistances = GPUFeatures(rawValue: 1 << 12)
    /// `@blend_src` in fragment shaders, after `enable dual_source_blending;`, and the `source1` factors.
    public static let dualSourceBlending = GPUFeatures(rawValue: 1 << 13)
    /// Subgroup functions such as `subgroupAdd` in WGSL, after `enable subgroups;`.
    public static let subgroups = GPUFeatures(rawValue: 1 << 14)
    /// `var<immediate>` in WGSL and `setImmediates` on passes; not in browsers yet.
    public static let immediates = GPUFeatures(rawValue: 1 << 15)
    /// `multiDrawIndirect` reads its number of draws from a buffer; not in browsers.
    public static let multiDrawIndirectCount = GPUFeatures(rawValue: 1 << 16)
    /// `GPUCommandEncoder.writeTimestamp` between passes; not in browsers.
    public static let timestampsInEncoders = GPUFeatures(rawValue: 1 << 17)
    /// 16-bit normalized formats such as `r16Unorm`; not in browsers.
    public static let texture16BitNormalized = GPUFeatures(rawValue: 1 << 18)
    /// Allows every use of a format that the adapter supports, beyond the uses that WebGPU guarantees; not in browsers.
    public static let adapterSpecificFormats = GPUFeatures(rawValue: 1 << 19)
    /// `GPUPolygonMode.line`; not in browsers.
    public static let polygonModeLine = GPUFeatures(rawValue: 1 << 20)

    private static let table: [(feature: GPUFeatures, raw: UInt32, name: String)] = [
        (.depthClipControl, WGPUFeatureName_DepthClipControl.rawValue, "depth-clip-control"),
        (.depth32FloatStencil8, WGPUFeatureName_Depth32FloatStencil8.rawValue, "depth32float-stencil8"),
        (.textureCompressionBC, WGPUFeatureName_TextureCompressionBC.rawValue, "texture-compression-bc"),
        (.textureCompressionETC2, WGPUFeatureName_TextureCompressionETC2.rawValue, "texture-compression-etc2"),
        (.textureCompressionASTC, WGPUFeatureName_TextureCompressionASTC.rawValue, "texture-compression-astc"),
        (.timestampQuery, WGPUFeatureName_TimestampQuery.rawValue, "timestamp-query"),
        (.indirectFirstInstance, WGPUFeatureName_IndirectFirstInstance.rawValue, "indirect-first-instance"),
        (.shaderF16, WGPUFeatureName_ShaderF16.rawValue, "shader-f16"),
        (.rg11b10UFloatRenderable, WGPUFeatureName_RG11B10UfloatRenderable.rawValue, "rg11b10ufloat-renderable"),
        (.bgra8UnormStorage, WGPUFeatureName_BGRA8UnormStorage.rawValue, "bgra8unorm-storage"),
        (.float32Filterable, WGPUFeatureName_Float32Filterable.rawValue, "float32-filterable"),
        (.float32Blendable, WGPUFeatureName_Float32Blendable.rawValue, "float32-blendable"),
        (.clipDistances, WGPUFeatureName_ClipDistances.rawValue, "clip-distances"),
        (.dualSourceBlending, WGPUFeatureName_DualSourceBlending.rawValue, "dual-source-blending"),
        (.subgroups, WGPUFeatureName_Subgroups.rawValue, "subgroups"),
        (.immediates, WGPUNativeFeature_Immediates.rawValue, "immediates"),
        (.multiDrawIndirectCount, WGPUNativeFeature_MultiDrawIndirectCount.rawValue, "multi-draw-indirect-count"),
        (.timestampsInEncoders, WGPUNativeFeature_TimestampQueryInsideEncoders.rawValue, "timestamp-query-inside-encoders"),
        (.texture16BitNormalized, WGPUNativeFeature_TextureFormat16bitNorm.rawValue, "texture-format-16bit-norm"),
        (.adapterSpecificFormats, WGPUNativeFeature_TextureAdapterSpecificFormatFeatures.rawValue, "adapter-specific-formats"),
        (.polygonModeLine, WGPUNativeFeature_PolygonModeLine.rawValue, "polygon-mode-line"),
    ]

    init(_ supported: WGPUSupportedFeatures) {
        var features: GPUFeatures = []
        for i in 0..<supported.featureCount {
            for row in Self.table where row.raw == supported.features[i].rawValue { features.insert(row.feature) }
        }
        self = features
    }

    var names: [WGPUFeatureName] { Self.table.filter { contains($0.feature) }.map { WGPUFeatureName(rawValue: $0.raw) } }

    /// The WebGPU names, separated by commas: "timestamp-query, shader-f16".
    public var description: String {
        var text = ""
        for row in Self.table where contains(row.feature) { text += (text.isEmpty ? "" : ", ") + row.name }
        return text
    }
}
