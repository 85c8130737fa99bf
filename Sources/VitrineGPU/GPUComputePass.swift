internal import CWebGPU

/// A pass that runs compute shaders. Each dispatch can read the results of the earlier dispatches of the pass.
///
/// The pass ends with `end()` or when it goes out of scope. The encoder cannot be finished before.
public struct GPUComputePass: ~Copyable {
    let handle: WGPUComputePassEncoder

    deinit {
        wgpuComputePassEncoderEnd(handle)
        wgpuComputePassEncoderRelease(handle)
    }

    /// Ends the pass.
    public consuming func end() {}

    /// Sets the pipeline of the following dispatches.
    public func setPipeline(_ pipeline: GPUComputePipeline) { wgpuComputePassEncoderSetPipeline(handle, pipeline.handle) }

    /// Binds a group without dynamic offsets as `@group(index)`.
    public func setBindGroup(_ index: Int, _ group: GPUBindGroup) {
        wgpuComputePassEncoderSetBindGroup(handle, UInt32(index), group.handle, 0, nil)
    }

    /// Binds a group with one dynamic offset, in bytes, as `@group(index)`.
    public func setBindGroup(_ index: Int, _ group: GPUBindGroup, dynamicOffset: UInt32) {
        var offset = dynamicOffset
        wgpuComputePassEncoderSetBindGroup(handle, UInt32(index), group.handle, 1, &offset)
    }

    /// Binds a group with several dynamic offsets, in bytes and in the order of the bindings, as `@group(index)`.
    public func setBindGroup(_ index: Int, _ group: GPUBindGroup, dynamicOffsets: [UInt32]) {
        dynamicOffsets.withUnsafeBufferPointer {
            wgpuComputePassEncoderSetBindGroup(handle, UInt32(index), group.handle, $0.count, $0.baseAddress)
        }
    }

    /// Writes `var<immediate>`; needs `GPUFeatures.immediates`. Offset and size must be multiples of 4.
    @inlinable
    public func setImmediates<Value: BitwiseCopyable>(_ value: Value, offset: Int = 0) {
        withUnsafeBytes(of: value) { setImmediates(bytes: $0, offset: offset) }
    }

    /// Writes bytes of `var<immediate>`; offset and count must be multiples of 4.
    public func setImmediates(bytes: UnsafeRawBufferPointer, offset: Int = 0) {
        wgpuComputePassEncoderSetImmediates(handle, UInt32(offset), bytes.baseAddress, bytes.count)
    }

    /// Runs x · y · z workgroups of the current pipeline.
    public func dispatch(_ x: Int, _ y: Int = 1, _ z: Int = 1) {
        wgpuComputePassEncoderDispatchWorkgroups(handle, UInt32(x), UInt32(y), UInt32(z))
    }

    /// Runs workgroups whose three counts are `u32` values in a buffer.
    public func dispatchIndirect(_ buffer: GPUBuffer, offset: Int = 0) {
        wgpuComputePassEncoderDispatchWorkgroupsIndirect(handle, buffer.handle, UInt64(offset))
    }

    /// Begins a named group of commands in a graphics debugger, up to `popDebugGroup()`.
    public func pushDebugGroup(_ name: String) { withStringView(name) { wgpuComputePassEncoderPushDebugGroup(handle, $0) } }
    /// Ends the group that the last `pushDebugGroup(_:)` began.
    public func popDebugGroup() { wgpuComputePassEncoderPopDebugGroup(handle) }
    /// Inserts a named marker at this position of the pass for graphics debuggers.
    public func insertDebugMarker(_ name: String) { withStringView(name) { wgpuComputePassEncoderInsertDebugMarker(handle, $0) } }
}

extension GPUCommandEncoder {
    /// Begins a compute pass. Until it ends, nothing else can be recorded.
    public func beginComputePass(_ label: String) -> GPUComputePass { beginComputePass(label, timestamps: nil) }

    /// Begins a compute pass that writes timestamps when it begins and ends.
    package func beginComputePass(_ label: String, timestamps: GPUPassTimestamps?) -> GPUComputePass {
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUComputePassDescriptor()
        descriptor.label = memory.string(label)
        if let timestamps { descriptor.timestampWrites = memory.pointer(to: timestamps.raw) }
        // Never null: finish() reports errors.
        return GPUComputePass(handle: wgpuCommandEncoderBeginComputePass(handle, &descriptor))
    }

    /// Records a whole compute pass.
    public func computePass<E: Error>(_ label: String, _ body: (borrowing GPUComputePass) throws(E) -> Void) throws(E) {
        try computePass(label, timestamps: nil, body)
    }

    /// Records a whole compute pass that writes timestamps when it begins and ends.
    package func computePass<E: Error>(
        _ label: String, timestamps: GPUPassTimestamps?, _ body: (borrowing GPUComputePass) throws(E) -> Void
    ) throws(E) {
        let pass = beginComputePass(label, timestamps: timestamps)
        try body(pass)
        pass.end()
    }
}
