internal import CWebGPU

/// The bindings of one `@group` of a shader: their numbers, kinds, and the stages that access them.
public final class GPUBindGroupLayout {
    /// The name of the object in errors and graphics debuggers.
    public let label: String
    /// The numbers of sampled textures and samplers that fragment shaders bind; devices limit them per stage.
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

/// One `@binding` of a layout; created with the static functions.
public struct GPUBindGroupLayoutEntry: Sendable {
    enum Kind: Sendable {
        case uniformBuffer(hasDynamicOffset: Bool, minSize: Int)
        case storageBuffer(isReadOnly: Bool, hasDynamicOffset: Bool, minSize: Int)
        case sampler(GPUSamplerBindingType)
        case texture(GPUTextureSampleType, GPUTextureViewDimension, isMultisampled: Bool)
        case storageTexture(GPUTextureFormat, GPUStorageTextureAccess, GPUTextureViewDimension)
    }

    /// The number in `@binding`.
    public let binding: Int
    /// The shader stages that may use the binding.
    public let stages: GPUShaderStages
    let kind: Kind

    /// Creates an entry for `var<uniform>`. A `minSize` in bytes moves the check of the buffer's size from draw calls to the creation of
    /// pipelines and bind groups.
    public static func uniformBuffer(
        _ binding: Int, _ stages: GPUShaderStages, hasDynamicOffset: Bool = false, minSize: Int = 0
    ) -> GPUBindGroupLayoutEntry {
        GPUBindGroupLayoutEntry(
            binding: binding, stages: stages, kind: .uniformBuffer(hasDynamicOffset: hasDynamicOffset, minSize: minSize))
    }

    /// Creates an entry for `var<storage, read>`, or for `var<storage, read_write>` if not `isReadOnly`.
    public static func storageBuffer(
        _ binding: Int, _ stages: GPUShaderStages, isReadOnly: Bool = true, hasDynamicOffset: Bool = false, minSize: Int = 0
    ) -> GPUBindGroupLayoutEntry {
        GPUBindGroupLayoutEntry(
            binding: binding, stages: stages,
            kind: .storageBuffer(isReadOnly: isReadOnly, hasDynamicOffset: hasDynamicOffset, minSize: minSize))
    }

    /// Creates an entry for `var s: sampler` or `sampler_comparison`.
    public static func sampler(
        _ binding: Int, _ stages: GPUShaderStages, _ type: GPUSamplerBindingType = .filtering
    ) -> GPUBindGroupLayoutEntry {
        GPUBindGroupLayoutEntry(binding: binding, stages: stages, kind: .sampler(type))
    }

    /// Creates an entry for `var t: texture_2d<f32>` and the other sampled texture types.
    public static func texture(
        _ binding: Int, _ stages: GPUShaderStages, _ sampleType: GPUTextureSampleType = .float,
        dimension: GPUTextureViewDimension = .twoDimensional, isMultisampled: Bool = false
    ) -> GPUBindGroupLayoutEntry {
        GPUBindGroupLayoutEntry(binding: binding, stages: stages, kind: .texture(sampleType, dimension, isMultisampled: isMultisampled))
    }

    /// Creates an entry for `var t: texture_storage_2d<FORMAT, write>` and the other write-only storage texture types.
    ///
    /// For other access than `write`, create the pipeline without a layout; it is then derived from the shader.
    public static func storageTexture(
        _ binding: Int, _ stages: GPUShaderStages, _ format: GPUTextureFormat, dimension: GPUTextureViewDimension = .twoDimensional
    ) -> GPUBindGroupLayoutEntry {
        storageTexture(binding, stages, format, access: .writeOnly, dimension: dimension)
    }

    /// Creates an entry for a storage texture with any access.
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
    /// Creates a bind group layout; the order of the entries does not matter.
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
    /// The name of the object in errors and graphics debuggers.
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
    /// Creates a pipeline layout.
    ///
    /// - Parameters:
    ///   - groups: The bind group layouts, `@group(0)` first.
    ///   - immediateSize: The size of `var<immediate>` in bytes; needs `GPUFeatures.immediates`.
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
