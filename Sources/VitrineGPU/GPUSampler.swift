internal import CWebGPU

/// The description of a sampler to create.
public struct GPUSamplerDescriptor: Sendable {
    /// The name of the sampler in errors.
    public var label: String
    /// The address mode along the width; clamped by default.
    public var addressU: GPUAddressMode
    /// The address mode along the height; clamped by default.
    public var addressV: GPUAddressMode
    /// The address mode along the depth of volumes; clamped by default.
    public var addressW: GPUAddressMode
    /// The filter if one texel covers several pixels.
    public var magnification: GPUFilterMode
    /// The filter if one pixel covers several texels.
    public var minification: GPUFilterMode
    /// The filter between mip levels.
    public var mipmap: GPUFilterMode
    /// The range of mip levels that may be sampled.
    public var levels: ClosedRange<Float>
    /// The comparison of a comparison sampler, for shadow maps; nil for other samplers.
    public var compare: GPUCompareFunction?
    /// The maximum anisotropy, 1 to 16; more than 1 needs three linear filters.
    public var maxAnisotropy: Int

    /// Creates a description; linear filtering with clamped edges by default.
    public init(
        _ label: String, address: GPUAddressMode = .clampToEdge, filter: GPUFilterMode = .linear, mipmap: GPUFilterMode? = nil,
        levels: ClosedRange<Float> = 0...32, compare: GPUCompareFunction? = nil, maxAnisotropy: Int = 1
    ) {
        self.label = label
        addressU = address
        addressV = address
        addressW = address
        magnification = filter
        minification = filter
        self.mipmap = mipmap ?? filter
        self.levels = levels
        self.compare = compare
        self.maxAnisotropy = maxAnisotropy
    }
}

/// An object that defines how shaders sample textures: address modes, filters, mip levels.
public final class GPUSampler {
    /// The name of the object in errors and graphics debuggers.
    public let label: String
    let device: GPUDevice
    let handle: WGPUSampler

    init(device: GPUDevice, handle: WGPUSampler, label: String) {
        self.device = device
        self.handle = handle
        self.label = label
    }

    deinit { wgpuSamplerRelease(handle) }
}

extension GPUDevice {
    /// Creates a sampler. Share samplers: devices limit their number, often to 4000.
    public func makeSampler(_ sampler: GPUSamplerDescriptor) throws(GPUError) -> GPUSampler {
        guard (1...16).contains(sampler.maxAnisotropy) else {
            throw .validation(resource: sampler.label, message: "the anisotropy must be 1 to 16, but is \(sampler.maxAnisotropy)")
        }
        let mark = state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUSamplerDescriptor()
        descriptor.label = memory.string(sampler.label)
        descriptor.addressModeU = WGPUAddressMode(rawValue: sampler.addressU.rawValue)
        descriptor.addressModeV = WGPUAddressMode(rawValue: sampler.addressV.rawValue)
        descriptor.addressModeW = WGPUAddressMode(rawValue: sampler.addressW.rawValue)
        descriptor.magFilter = WGPUFilterMode(rawValue: sampler.magnification.rawValue)
        descriptor.minFilter = WGPUFilterMode(rawValue: sampler.minification.rawValue)
        descriptor.mipmapFilter = WGPUMipmapFilterMode(rawValue: sampler.mipmap.rawValue)
        descriptor.lodMinClamp = sampler.levels.lowerBound
        descriptor.lodMaxClamp = sampler.levels.upperBound
        descriptor.compare = WGPUCompareFunction(rawValue: sampler.compare?.rawValue ?? 0)
        descriptor.maxAnisotropy = UInt16(sampler.maxAnisotropy)
        return try adopt(wgpuDeviceCreateSampler(handle, &descriptor), named: sampler.label, since: mark) {
            GPUSampler(device: self, handle: $0, label: sampler.label)
        }
    }
}
