internal import CWebGPU

// Unchecked because the C structure has a pointer; it is never set, so the rest is numbers.
/// Sizes and counts that an adapter offers or a device was made for. Sizes are in bytes, texture dimensions in texels.
public struct GPULimits: @unchecked Sendable {
    var raw: WGPULimits

    init(_ raw: WGPULimits) {
        self.raw = raw
        self.raw.nextInChain = nil
    }

    public var maxTextureDimension1D: Int { Int(raw.maxTextureDimension1D) }
    public var maxTextureDimension2D: Int { Int(raw.maxTextureDimension2D) }
    public var maxTextureDimension3D: Int { Int(raw.maxTextureDimension3D) }
    public var maxTextureArrayLayers: Int { Int(raw.maxTextureArrayLayers) }
    public var maxBindGroups: Int { Int(raw.maxBindGroups) }
    public var maxSampledTexturesPerShaderStage: Int { Int(raw.maxSampledTexturesPerShaderStage) }
    public var maxSamplersPerShaderStage: Int { Int(raw.maxSamplersPerShaderStage) }
    public var maxStorageBuffersPerShaderStage: Int { Int(raw.maxStorageBuffersPerShaderStage) }
    public var maxStorageTexturesPerShaderStage: Int { Int(raw.maxStorageTexturesPerShaderStage) }
    public var maxUniformBuffersPerShaderStage: Int { Int(raw.maxUniformBuffersPerShaderStage) }
    public var maxUniformBufferBindingSize: Int { Int(clamping: raw.maxUniformBufferBindingSize) }
    public var maxStorageBufferBindingSize: Int { Int(clamping: raw.maxStorageBufferBindingSize) }
    public var minUniformBufferOffsetAlignment: Int { Int(raw.minUniformBufferOffsetAlignment) }
    public var minStorageBufferOffsetAlignment: Int { Int(raw.minStorageBufferOffsetAlignment) }
    public var maxVertexBuffers: Int { Int(raw.maxVertexBuffers) }
    public var maxVertexAttributes: Int { Int(raw.maxVertexAttributes) }
    public var maxVertexBufferArrayStride: Int { Int(raw.maxVertexBufferArrayStride) }
    public var maxBufferSize: Int { Int(clamping: raw.maxBufferSize) }
    public var maxInterStageShaderVariables: Int { Int(raw.maxInterStageShaderVariables) }
    public var maxColorAttachments: Int { Int(raw.maxColorAttachments) }
    public var maxComputeWorkgroupStorageSize: Int { Int(raw.maxComputeWorkgroupStorageSize) }
    public var maxComputeInvocationsPerWorkgroup: Int { Int(raw.maxComputeInvocationsPerWorkgroup) }
    public var maxComputeWorkgroupSizeX: Int { Int(raw.maxComputeWorkgroupSizeX) }
    public var maxComputeWorkgroupSizeY: Int { Int(raw.maxComputeWorkgroupSizeY) }
    public var maxComputeWorkgroupSizeZ: Int { Int(raw.maxComputeWorkgroupSizeZ) }
    public var maxComputeWorkgroupsPerDimension: Int { Int(raw.maxComputeWorkgroupsPerDimension) }
    /// Bytes of `var<immediate>`.
    public var maxImmediateSize: Int { Int(raw.maxImmediateSize) }
}
