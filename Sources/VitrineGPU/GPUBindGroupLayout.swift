internal import CWebGPU

/// The bindings of one `@group` of a shader: their numbers, kinds, and the stages that see them.
public final class GPUBindGroupLayout {
    /// Names the object in errors and graphics debuggers.
    public let label: String
    /// The numbers of sampled textures and samplers that fragment shaders bind: the device limits them for each stage.
    public let sampledTextureCount, samplerCount: Int
    let device: GPUDevice
    let handle: WGPUBindGroupLayout

    init(
        device: GPUDevice, handle: WGPUBindGroupLayout, label: String, sampledTextureCount: Int = 0, samplerCount: Int = 0
    ) {
        (self.device, self.handle, self.label) = (device, handle, label)
        (self.sampledTextureCount, self.samplerCount) = (sampledTextureCount, samplerCount)
    }

    deinit { wgpuBindGroupLayoutRelease(handle) }
}

/// One `@binding` of a layout; made with the static functions.
public struct GPUBindGroupLayoutEntry: Sendable {
    enum Kind: Sendable {
        case uniformBuffer(hasDynamicOffset: Bool, minSize: Int)
        case storageBuffer(isReadOnly: Bool, hasDynamicOffset: Bool, minSize: Int)
        case sampler(GPUSamplerBindingType)
        case texture(GPUTextureSampleType, GPUTextureViewDimension, isMultisampled: Bool)
        case storageTexture(GPUTextureFormat, GPUStorageTextureAccess, GPUTextureViewDimension)
    }

    /// The number in `@binding`, and who sees it.
    public let binding: Int
    /// The shader stages that may use the binding.
    public let stages: GPUShaderStages
    let kind: Kind

    /// `var<uniform>`. A `minSize` in bytes lets errors show when the pipeline is made, not when something is drawn.
    public static func uniformBuffer(
        _ binding: Int, _ stages: GPUShaderStages, hasDynamicOffset: Bool = false, minSize: Int = 0
    ) -> GPUBindGroupLayoutEntry {
        GPUBindGroupLayoutEntry(
            binding: binding, stages: stages, kind: .uniformBuffer(hasDynamicOffset: hasDynamicOffset, minSize: minSize))
    }

    /// `var<storage, read>`, or `var<storage, read_write>` when not `isReadOnly`.
    public static func storageBuffer(
        _ binding: Int, _ stages: GPUShaderStages, isReadOnly: Bool = true, hasDynamicOffset: Bool = false, minSize: Int = 0
    ) -> GPUBindGroupLayoutEntry {
        GPUBindGroupLayoutEntry(
            binding: binding, stages: stages,
            kind: .storageBuffer(isReadOnly: isReadOnly, hasDynamicOffset: hasDynamicOffset, minSize: minSize))
    }

    /// `var s: sampler` or `sampler_comparison`.
    public static func sampler(
        _ binding: Int, _ stages: GPUShaderStages, _ type: GPUSamplerBindingType = .filtering
    ) -> GPUBindGroupLayoutEntry {
        GPUBindGroupLayoutEntry(binding: binding, stages: stages, kind: .sampler(type))
    }

    /// `var t: texture_2d<f32>` and its relatives.
    public static func texture(
        _ binding: Int, _ stages: GPUShaderStages, _ sampleType: GPUTextureSampleType = .float,
        dimension: GPUTextureViewDimension = .twoDimensional, isMultisampled: Bool = false
    ) -> GPUBindGroupLayoutEntry {
        GPUBindGroupLayoutEntry(binding: binding, stages: stages, kind: .texture(sampleType, dimension, isMultisampled: isMultisampled))
    }

    /// `var t: texture_storage_2d<FORMAT, write>` and its relatives.
    ///
    /// For other access than `write`, let the pipeline derive its layout from the shader.
    public static func storageTexture(
        _ binding: Int, _ stages: GPUShaderStages, _ format: GPUTextureFormat, dimension: GPUTextureViewDimension = .twoDimensional
    ) -> GPUBindGroupLayoutEntry {
        storageTexture(binding, stages, format, access: .writeOnly, dimension: dimension)
    }

    /// A storage texture with any access.
    package static func storageTexture(
        _ binding: Int, _ stages: GPUShaderStages, _ format: GPUTextureFormat, access: GPUStorageTextureAccess,
        dimension: GPUTextureViewDimension = .twoDimensional
    ) -> GPUBindGroupLayoutEntry {
        GPUBindGroupLayoutEntry(binding: binding, stages: stages, kind: .storageTexture(format, access, dimension))
    }

    var raw: WGPUBindGroupLayoutEntry {
        var entry = WGPUBindGroupLayoutEntry()
        entry.binding = UInt32(binding)
        entry.visibility = stages.rawValue
        switch kind {
        case .uniformBuffer(let hasDynamicOffset, let minSize):
            entry.buffer.type = WGPUBufferBindingType_Uniform
            entry.buffer.hasDynamicOffset = hasDynamicOffset ? 1 : 0
            entry.buffer.minBindingSize = UInt64(minSize)
        case .storageBuffer(let isReadOnly, let hasDynamicOffset, let minSize):
            entry.buffer.type = isReadOnly ? WGPUBufferBindingType_ReadOnlyStorage : WGPUBufferBindingType_Storage
            entry.buffer.hasDynamicOffset = hasDynamicOffset ? 1 : 0
            entry.buffer.minBindingSize = UInt64(minSize)
        case .sampler(let type):
            entry.sampler.type = WGPUSamplerBindingType(rawValue: type.rawValue)
        case .texture(let sampleType, let dimension, let isMultisampled):
            entry.texture.sampleType = WGPUTextureSampleType(rawValue: sampleType.rawValue)
            entry.texture.viewDimension = WGPUTextureViewDimension(rawValue: dimension.rawValue)
            entry.texture.multisampled = isMultisampled ? 1 : 0
        case .storageTexture(let format, let access, let dimension):
            entry.storageTexture.format = format.raw
            entry.storageTexture.access = WGPUStorageTextureAccess(rawValue: access.rawValue)
            entry.storageTexture.viewDimension = WGPUTextureViewDimension(rawValue: dimension.rawValue)
        }
        return entry
    }
}

extension GPUDevice {
    /// Describes one `@group`; the order of entries does not matter.
    public func makeBindGroupLayout(_ label: String, _ entries: [GPUBindGroupLayoutEntry]) throws(GPUError) -> GPUBindGroupLayout {
        let mark = state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUBindGroupLayoutDescriptor()
        descriptor.label = memory.string(label)
        descriptor.entryCount = entries.count
        descriptor.entries = memory.array(entries.map { $0.raw })
        var (textures, samplers) = (0, 0)
        for entry in entries where entry.stages.contains(.fragment) {
            if case .texture = entry.kind { textures += 1 }
            if case .sampler = entry.kind { samplers += 1 }
        }
        return try adopt(wgpuDeviceCreateBindGroupLayout(handle, &descriptor), named: label, since: mark) {
            GPUBindGroupLayout(device: self, handle: $0, label: label, sampledTextureCount: textures, samplerCount: samplers)
        }
    }
}

/// The groups that a pipeline's shaders bind, in order. Pipelines with equal layouts can share bind groups.
public final class GPUPipelineLayout {
    /// Names the object in errors and graphics debuggers.
    public let label: String
    let device: GPUDevice
    let handle: WGPUPipelineLayout

    init(device: GPUDevice, handle: WGPUPipelineLayout, label: String) {
        self.device = device
        self.handle = handle
        self.label = label
    }

    deinit { wgpuPipelineLayoutRelease(handle) }
}

extension GPUDevice {
    /// Makes the layout that pipelines with explicit bindings need.
    ///
    /// - Parameters:
    ///   - groups: `@group(0)` first.
    ///   - immediateSize: bytes of `var<immediate>`; needs `GPUFeatures.immediates`.
    public func makePipelineLayout(
        _ label: String, _ groups: [GPUBindGroupLayout], immediateSize: Int = 0
    ) throws(GPUError) -> GPUPipelineLayout {
        let mark = state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUPipelineLayoutDescriptor()
        descriptor.label = memory.string(label)
        descriptor.bindGroupLayoutCount = groups.count
        descriptor.bindGroupLayouts = memory.array(groups.map { $0.handle as WGPUBindGroupLayout? })
        descriptor.immediateSize = UInt32(immediateSize)
        return try adopt(wgpuDeviceCreatePipelineLayout(handle, &descriptor), named: label, since: mark) {
            GPUPipelineLayout(device: self, handle: $0, label: label)
        }
    }
}
