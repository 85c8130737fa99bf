internal import CWebGPU

/// Query results that the GPU writes: timestamps in ticks, or numbers of samples that passed.
package final class GPUQuerySet {
    package let label: String
    package let count: Int
    let device: GPUDevice
    let handle: WGPUQuerySet

    init(device: GPUDevice, handle: WGPUQuerySet, label: String, count: Int) {
        self.device = device
        self.handle = handle
        self.label = label
        self.count = count
    }

    deinit { wgpuQuerySetRelease(handle) }
}

extension GPUDevice {
    /// Creates a query set.
    ///
    /// - Parameter count: The number of queries, at most 4096.
    package func makeQuerySet(_ label: String, _ type: GPUQueryType, count: Int) throws(GPUError) -> GPUQuerySet {
        let mark = state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUQuerySetDescriptor()
        descriptor.label = memory.string(label)
        descriptor.type = WGPUQueryType(rawValue: type.rawValue)
        descriptor.count = UInt32(count)
        return try adopt(wgpuDeviceCreateQuerySet(handle, &descriptor), named: label, since: mark) {
            GPUQuerySet(device: self, handle: $0, label: label, count: count)
        }
    }
}

extension GPUCommandEncoder {
    /// Writes query results as `u64` values into a buffer with the usage `queryResolve`; the offset must be a multiple of 256.
    package func resolve(_ queries: GPUQuerySet, _ range: Range<Int>? = nil, to buffer: GPUBuffer, at offset: Int = 0) {
        let range = range ?? 0..<queries.count
        wgpuCommandEncoderResolveQuerySet(
            handle, queries.handle, UInt32(range.lowerBound), UInt32(range.count), buffer.handle, UInt64(offset))
    }

    /// Writes a timestamp when the GPU has executed all commands recorded so far; needs `GPUFeatures.timestampsInEncoders`.
    package func writeTimestamp(_ queries: GPUQuerySet, _ index: Int) {
        wgpuCommandEncoderWriteTimestamp(handle, queries.handle, UInt32(index))
    }
}
