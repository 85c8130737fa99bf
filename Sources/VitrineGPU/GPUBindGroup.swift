internal import CWebGPU

/// The resources that shaders access in one `@group`. The bind group retains them.
public final class GPUBindGroup {
    /// The name of the object in errors and graphics debuggers.
    public let label: String
    let device: GPUDevice
    let handle: WGPUBindGroup

    init(device: GPUDevice, handle: WGPUBindGroup, label: String) {
        self.device = device
        self.handle = handle
        self.label = label
    }

    deinit { wgpuBindGroupRelease(handle) }
}

/// A resource of a bind group, with its binding number.
public struct GPUBindGroupEntry {
    enum Resource {
        case buffer(GPUBuffer, Range<Int>)
        case sampler(GPUSampler)
        case texture(GPUTextureView)
    }

    /// The number in `@binding`.
    public let binding: Int
    let resource: Resource

    /// Creates an entry for a buffer, or for the bytes `range` of it.
    public static func buffer(_ binding: Int, _ buffer: GPUBuffer, _ range: Range<Int>? = nil) -> GPUBindGroupEntry {
        GPUBindGroupEntry(binding: binding, resource: .buffer(buffer, range ?? 0..<buffer.size))
    }

    /// Creates an entry for a sampler or a comparison sampler.
    public static func sampler(_ binding: Int, _ sampler: GPUSampler) -> GPUBindGroupEntry {
        GPUBindGroupEntry(binding: binding, resource: .sampler(sampler))
    }

    /// Creates an entry for a sampled texture or a storage texture.
    public static func texture(_ binding: Int, _ view: GPUTextureView) -> GPUBindGroupEntry {
        GPUBindGroupEntry(binding: binding, resource: .texture(view))
    }

    var device: GPUDevice {
        switch resource {
        case .buffer(let buffer, _): buffer.device
        case .sampler(let sampler): sampler.device
        case .texture(let view): view.texture.device
        }
    }

    var raw: WGPUBindGroupEntry {
        var entry = WGPUBindGroupEntry()
        entry.binding = UInt32(binding)
        switch resource {
        case .buffer(let buffer, let range):
            entry.buffer = buffer.handle
            entry.offset = UInt64(range.lowerBound)
            entry.size = UInt64(range.count)
        case .sampler(let sampler): entry.sampler = sampler.handle
        case .texture(let view): entry.textureView = view.handle
        }
        return entry
    }
}

extension GPUDevice {
    /// Creates a bind group; every binding of the layout needs one entry.
    public func makeBindGroup(
        _ label: String, layout: GPUBindGroupLayout, _ entries: [GPUBindGroupEntry]
    ) throws(GPUError) -> GPUBindGroup {
        try require(layout.device, for: label)
        for entry in entries { try require(entry.device, for: label) }
        let mark = state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUBindGroupDescriptor()
        descriptor.label = memory.string(label)
        descriptor.layout = layout.handle
        descriptor.entryCount = entries.count
        descriptor.entries = memory.array(entries.map { $0.raw })
        return try adopt(wgpuDeviceCreateBindGroup(handle, &descriptor), named: label, since: mark) {
            GPUBindGroup(device: self, handle: $0, label: label)
        }
    }
}
