internal import CWebGPU

// Unchecked because the C structure contains a pointer, which is always null; the rest are numbers.
/// The largest sizes and counts that an adapter supports, or that a device was created with. Sizes are in bytes, texture dimensions in texels.
package struct GPULimits: @unchecked Sendable {
    var raw: WGPULimits

    init(_ raw: WGPULimits) {
        self.raw = raw
        self.raw.nextInChain = nil
    }

    package var maxTextureDimension1D: Int { Int(raw.maxTextureDimension1D) }
    package var maxTextureDimension2D: Int { Int(raw.maxTextureDimension2D) }
    package var maxTextureDimension3D: Int { Int(raw.maxTextureDimension3D) }
    package var maxTextureArrayLayers: Int { Int(raw.maxTextureArrayLayers) }
    package var maxBindGroups: Int { Int(raw.maxBindGroups) }
    package var maxSampledTexturesPerShaderStage: Int {
        get { Int(raw.maxSampledTexturesPerShaderStage) }
        set { raw.maxSampledTexturesPerShaderStage = UInt32(newValue) }
    }
    package var maxSamplersPerShaderStage: Int { Int(raw.maxSamplersPerShaderStage) }
    package var maxStorageBuffersPerShaderStage: Int { Int(raw.maxStorageBuffersPerShaderStage) }
    package var maxStorageTexturesPerShaderStage: Int { Int(raw.maxStorageTexturesPerShaderStage) }
    package var maxUniformBuffersPerShaderStage: Int { Int(raw.maxUniformBuffersPerShaderStage) }
    package var maxUniformBufferBindingSize: Int { Int(clamping: raw.maxUniformBufferBindingSize) }
    package var maxStorageBufferBindingSize: Int { Int(clamping: raw.maxStorageBufferBindingSize) }
    package var minUniformBufferOffsetAlignment: Int { Int(raw.minUniformBufferOffsetAlignment) }
    package var minStorageBufferOffsetAlignment: Int { Int(raw.minStorageBufferOffsetAlignment) }
    package var maxVertexBuffers: Int { Int(raw.maxVertexBuffers) }
    package var maxVertexAttributes: Int { Int(raw.maxVertexAttributes) }
    package var maxVertexBufferArrayStride: Int { Int(raw.maxVertexBufferArrayStride) }
    package var maxBufferSize: Int { Int(clamping: raw.maxBufferSize) }
    package var maxInterStageShaderVariables: Int { Int(raw.maxInterStageShaderVariables) }
    package var maxColorAttachments: Int { Int(raw.maxColorAttachments) }
    package var maxComputeWorkgroupStorageSize: Int { Int(raw.maxComputeWorkgroupStorageSize) }
    package var maxComputeInvocationsPerWorkgroup: Int { Int(raw.maxComputeInvocationsPerWorkgroup) }
    package var maxComputeWorkgroupSizeX: Int { Int(raw.maxComputeWorkgroupSizeX) }
    package var maxComputeWorkgroupSizeY: Int { Int(raw.maxComputeWorkgroupSizeY) }
    package var maxComputeWorkgroupSizeZ: Int { Int(raw.maxComputeWorkgroupSizeZ) }
    package var maxComputeWorkgroupsPerDimension: Int { Int(raw.maxComputeWorkgroupsPerDimension) }
    /// The size of `var<immediate>` in bytes.
    package var maxImmediateSize: Int { Int(raw.maxImmediateSize) }
}
