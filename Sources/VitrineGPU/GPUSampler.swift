internal import CWebGPU

/// How a sampler reads textures.
public struct GPUSamplerDescriptor: Sendable {
    /// Names the sampler in errors.
    public var label: String
    /// Along the width; clamped by default.
    public var addressU: GPUAddressMode
    /// Along the height; clamped by default.
    public var addressV: GPUAddressMode
    /// Along the depth of volumes; clamped by default.
    public var addressW: GPUAddressMode
    /// When one texel covers several pixels.
    public var magnification: GPUFilterMode
    /// When one pixel covers several texels.
    public var minification: GPUFilterMode
    /// Between mip levels.
    public var mipmap: GPUFilterMode
    /// Mip levels that may be read.
    public var levels: ClosedRange<Float>
    /// Makes a comparison sampler, for shadow maps.
    public var compare: GPUCompareFunction?
    /// 1 to 16; more than 1 needs all three filters linear.
    public var maxAnisotropy: Int

    /// Linear filtering with clamped edges by default.
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

/// Reads textures between texels, between mip levels, and beyond the edges.
public final class GPUSampler {
    /// Names the object in errors and graphics debuggers.
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
    /// Makes a sampler. Devices have few (often 4000 at once): share them.
    public func makeSampler(_ sampler: GPUSamplerDescriptor) throws(GPUError) -> GPUSampler {
        guard (1...16).contains(sampler.maxAnisotropy) else {
            throw .validation(resource: sampler.label, message: "an anisotropy of \(sampler.maxAnisotropy), not 1 to 16")
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
