import CWebGPU
import Testing

@testable import VitrineGPU

/// The raw values of our enumerations are those of webgpu.h: the first and last of each, and those in the middle that are easily shifted.
@Suite struct EnumTests {
    @Test func textureFormats() {
        #expect(GPUTextureFormat.r8Unorm.raw == WGPUTextureFormat_R8Unorm)
        #expect(GPUTextureFormat.rgba8UnormSRGB.raw == WGPUTextureFormat_RGBA8UnormSrgb)
        #expect(GPUTextureFormat.bgra8UnormSRGB.raw == WGPUTextureFormat_BGRA8UnormSrgb)
        #expect(GPUTextureFormat.rg11B10UFloat.raw == WGPUTextureFormat_RG11B10Ufloat)
        #expect(GPUTextureFormat.rgb9E5UFloat.raw == WGPUTextureFormat_RGB9E5Ufloat)
        #expect(GPUTextureFormat.rgba16Float.raw == WGPUTextureFormat_RGBA16Float)
        #expect(GPUTextureFormat.depth32Float.raw == WGPUTextureFormat_Depth32Float)
        #expect(GPUTextureFormat.depth32FloatStencil8.raw == WGPUTextureFormat_Depth32FloatStencil8)
        #expect(GPUTextureFormat.bc1RGBAUnorm.raw == WGPUTextureFormat_BC1RGBAUnorm)
        #expect(GPUTextureFormat.bc6hRGBUFloat.raw == WGPUTextureFormat_BC6HRGBUfloat)
        #expect(GPUTextureFormat.bc7RGBAUnormSRGB.raw == WGPUTextureFormat_BC7RGBAUnormSrgb)
        #expect(GPUTextureFormat.eacRG11Snorm.raw == WGPUTextureFormat_EACRG11Snorm)
        #expect(GPUTextureFormat.astc4x4Unorm.raw == WGPUTextureFormat_ASTC4x4Unorm)
        #expect(GPUTextureFormat.astc12x12UnormSRGB.raw == WGPUTextureFormat_ASTC12x12UnormSrgb)
    }

    @Test func vertexFormats() {
        #expect(GPUVertexFormat.uint8.rawValue == WGPUVertexFormat_Uint8.rawValue)
        #expect(GPUVertexFormat.unorm8x4.rawValue == WGPUVertexFormat_Unorm8x4.rawValue)
        #expect(GPUVertexFormat.float16x4.rawValue == WGPUVertexFormat_Float16x4.rawValue)
        #expect(GPUVertexFormat.float32x3.rawValue == WGPUVertexFormat_Float32x3.rawValue)
        #expect(GPUVertexFormat.sint32x4.rawValue == WGPUVertexFormat_Sint32x4.rawValue)
        #expect(GPUVertexFormat.unorm10x3a2.rawValue == WGPUVertexFormat_Unorm10_10_10_2.rawValue)
        #expect(GPUVertexFormat.unorm8x4BGRA.rawValue == WGPUVertexFormat_Unorm8x4BGRA.rawValue)
        #expect(GPUVertexFormat.float32x3.byteCount == 12)
        #expect(GPUVertexFormat.unorm10x3a2.byteCount == 4)
    }

    @Test func usages() {
        #expect(GPUBufferUsage.mapRead.rawValue == WGPUBufferUsage_MapRead)
        #expect(GPUBufferUsage.mapWrite.rawValue == WGPUBufferUsage_MapWrite)
        #expect(GPUBufferUsage.copySource.rawValue == WGPUBufferUsage_CopySrc)
        #expect(GPUBufferUsage.copyDestination.rawValue == WGPUBufferUsage_CopyDst)
        #expect(GPUBufferUsage.index.rawValue == WGPUBufferUsage_Index)
        #expect(GPUBufferUsage.vertex.rawValue == WGPUBufferUsage_Vertex)
        #expect(GPUBufferUsage.uniform.rawValue == WGPUBufferUsage_Uniform)
        #expect(GPUBufferUsage.storage.rawValue == WGPUBufferUsage_Storage)
        #expect(GPUBufferUsage.indirect.rawValue == WGPUBufferUsage_Indirect)
        #expect(GPUBufferUsage.queryResolve.rawValue == WGPUBufferUsage_QueryResolve)
        #expect(GPUTextureUsage.copySource.rawValue == WGPUTextureUsage_CopySrc)
        #expect(GPUTextureUsage.copyDestination.rawValue == WGPUTextureUsage_CopyDst)
        #expect(GPUTextureUsage.textureBinding.rawValue == WGPUTextureUsage_TextureBinding)
        #expect(GPUTextureUsage.storageBinding.rawValue == WGPUTextureUsage_StorageBinding)
        #expect(GPUTextureUsage.renderAttachment.rawValue == WGPUTextureUsage_RenderAttachment)
        #expect(GPUShaderStages.render.rawValue == WGPUShaderStage_Vertex | WGPUShaderStage_Fragment)
        #expect(GPUShaderStages.compute.rawValue == WGPUShaderStage_Compute)
        #expect(GPUColorWriteMask.all.rawValue == WGPUColorWriteMask_All)
    }

    @Test func textureEnums() {
        #expect(GPUTextureDimension.threeDimensional.rawValue == WGPUTextureDimension_3D.rawValue)
        #expect(GPUTextureDimension.oneDimensional.rawValue == WGPUTextureDimension_1D.rawValue)
        #expect(GPUTextureViewDimension.oneDimensional.rawValue == WGPUTextureViewDimension_1D.rawValue)
        #expect(GPUTextureViewDimension.twoDimensionalArray.rawValue == WGPUTextureViewDimension_2DArray.rawValue)
        #expect(GPUTextureViewDimension.cube.rawValue == WGPUTextureViewDimension_Cube.rawValue)
        #expect(GPUTextureViewDimension.cubeArray.rawValue == WGPUTextureViewDimension_CubeArray.rawValue)
        #expect(GPUTextureViewDimension.threeDimensional.rawValue == WGPUTextureViewDimension_3D.rawValue)
        #expect(GPUTextureAspect.all.rawValue == WGPUTextureAspect_All.rawValue)
        #expect(GPUTextureAspect.stencilOnly.rawValue == WGPUTextureAspect_StencilOnly.rawValue)
        #expect(GPUTextureAspect.depthOnly.rawValue == WGPUTextureAspect_DepthOnly.rawValue)
        #expect(GPUTextureSampleType.float.rawValue == WGPUTextureSampleType_Float.rawValue)
        #expect(GPUTextureSampleType.unfilterableFloat.rawValue == WGPUTextureSampleType_UnfilterableFloat.rawValue)
        #expect(GPUTextureSampleType.depth.rawValue == WGPUTextureSampleType_Depth.rawValue)
        #expect(GPUTextureSampleType.signedInteger.rawValue == WGPUTextureSampleType_Sint.rawValue)
        #expect(GPUTextureSampleType.unsignedInteger.rawValue == WGPUTextureSampleType_Uint.rawValue)
        #expect(GPUStorageTextureAccess.writeOnly.rawValue == WGPUStorageTextureAccess_WriteOnly.rawValue)
        #expect(GPUStorageTextureAccess.readWrite.rawValue == WGPUStorageTextureAccess_ReadWrite.rawValue)
        #expect(GPUSamplerBindingType.filtering.rawValue == WGPUSamplerBindingType_Filtering.rawValue)
        #expect(GPUSamplerBindingType.comparison.rawValue == WGPUSamplerBindingType_Comparison.rawValue)
        #expect(GPUAddressMode.clampToEdge.rawValue == WGPUAddressMode_ClampToEdge.rawValue)
        #expect(GPUAddressMode.mirrorRepeat.rawValue == WGPUAddressMode_MirrorRepeat.rawValue)
        #expect(GPUFilterMode.linear.rawValue == WGPUFilterMode_Linear.rawValue)
        #expect(GPUFilterMode.linear.rawValue == WGPUMipmapFilterMode_Linear.rawValue)
    }

    @Test func pipelineEnums() {
        #expect(GPUCompareFunction.never.rawValue == WGPUCompareFunction_Never.rawValue)
        #expect(GPUCompareFunction.greaterEqual.rawValue == WGPUCompareFunction_GreaterEqual.rawValue)
        #expect(GPUCompareFunction.always.rawValue == WGPUCompareFunction_Always.rawValue)
        #expect(GPUPrimitiveTopology.pointList.rawValue == WGPUPrimitiveTopology_PointList.rawValue)
        #expect(GPUPrimitiveTopology.triangleStrip.rawValue == WGPUPrimitiveTopology_TriangleStrip.rawValue)
        #expect(GPUIndexFormat.uint32.rawValue == WGPUIndexFormat_Uint32.rawValue)
        #expect(GPUFrontFace.clockwise.rawValue == WGPUFrontFace_CW.rawValue)
        #expect(GPUCullMode.back.rawValue == WGPUCullMode_Back.rawValue)
        #expect(GPUVertexStepMode.instance.rawValue == WGPUVertexStepMode_Instance.rawValue)
        #expect(GPUBlendFactor.zero.rawValue == WGPUBlendFactor_Zero.rawValue)
        #expect(GPUBlendFactor.oneMinusDestinationAlpha.rawValue == WGPUBlendFactor_OneMinusDstAlpha.rawValue)
        #expect(GPUBlendFactor.oneMinusConstant.rawValue == WGPUBlendFactor_OneMinusConstant.rawValue)
        #expect(GPUBlendFactor.oneMinusSource1Alpha.rawValue == WGPUBlendFactor_OneMinusSrc1Alpha.rawValue)
        #expect(GPUBlendOperation.max.rawValue == WGPUBlendOperation_Max.rawValue)
        #expect(GPUStencilOperation.keep.rawValue == WGPUStencilOperation_Keep.rawValue)
        #expect(GPUStencilOperation.decrementWrap.rawValue == WGPUStencilOperation_DecrementWrap.rawValue)
        #expect(GPUPolygonMode.line.rawValue == WGPUPolygonMode_Line.rawValue)
        #expect(GPUStoreOperation.discard.rawValue == WGPUStoreOp_Discard.rawValue)
        #expect(GPUQueryType.timestamp.rawValue == WGPUQueryType_Timestamp.rawValue)
    }

    @Test func hostEnums() {
        #expect(GPUPresentMode.fifo.rawValue == WGPUPresentMode_Fifo.rawValue)
        #expect(GPUPresentMode.mailbox.rawValue == WGPUPresentMode_Mailbox.rawValue)
        #expect(GPUAlphaMode.premultiplied.rawValue == WGPUCompositeAlphaMode_Premultiplied.rawValue)
        #expect(GPUAlphaMode.inherit.rawValue == WGPUCompositeAlphaMode_Inherit.rawValue)
        #expect(GPUAdapterInfo.Kind.discrete.rawValue == WGPUAdapterType_DiscreteGPU.rawValue)
        #expect(GPUAdapterInfo.Kind.software.rawValue == WGPUAdapterType_CPU.rawValue)
        #expect(GPUAdapterInfo.Backend.vulkan.rawValue == WGPUBackendType_Vulkan.rawValue)
        #expect(GPUAdapterInfo.Backend.openGLES.rawValue == WGPUBackendType_OpenGLES.rawValue)
        #expect(GPUDeviceLostReason.failedCreation.rawValue == WGPUDeviceLostReason_FailedCreation.rawValue)
    }

    @Test func layoutOfFormats() {
        #expect(GPUTextureFormat.rgba16Float.bytesPerRow(width: 3) == 24)
        #expect(GPUTextureFormat.bc7RGBAUnorm.bytesPerRow(width: 5) == 32)
        #expect(GPUTextureFormat.bc1RGBAUnorm.bytesPerRow(width: 4) == 8)
        #expect(GPUTextureFormat.astc12x10Unorm.blockRows(height: 11) == 2)
        #expect(GPUTextureFormat.astc12x10UnormSRGB.blockSize == (12, 10))
        #expect(GPUTextureFormat.depth24Plus.bytesPerBlock() == nil)
        #expect(GPUTextureFormat.depth32FloatStencil8.bytesPerBlock(aspect: .depthOnly) == 4)
        #expect(GPUTextureFormat.rgba8Unorm.sRGBTwin == .rgba8UnormSRGB)
        #expect(GPUTextureFormat.rgba8UnormSRGB.linearTwin == .rgba8Unorm)
        #expect(GPUTextureFormat.bc3RGBAUnorm.sRGBTwin == .bc3RGBAUnormSRGB)
        #expect(GPUTextureFormat.astc5x4UnormSRGB.linearTwin == .astc5x4Unorm)
        #expect(GPUTextureFormat.rgba16Float.sRGBTwin == nil)
        #expect(GPUTextureFormat.bc4RUnorm.sRGBTwin == nil)
        #expect(!GPUTextureFormat.rgba8Unorm.isSRGB)
        #expect(GPUTexture.fullMipLevelCount(width: 256, height: 100) == 9)
        #expect(GPUTexture.fullMipLevelCount(width: 1, height: 1) == 1)
        #expect(GPUTexture.fullMipLevelCount(width: 5, height: 3) == 3)
    }
}
