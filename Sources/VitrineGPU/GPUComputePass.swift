internal import CWebGPU

/// Runs compute shaders. Dispatches of one pass see what earlier ones wrote.
///
/// `end()` ends it; a pass that goes out of scope ends too, but the encoder cannot be finished before.
public struct GPUComputePass: ~Copyable {
    let handle: WGPUComputePassEncoder

    deinit {
        wgpuComputePassEncoderEnd(handle)
        wgpuComputePassEncoderRelease(handle)
    }

    /// Ends the pass.
    public consuming func end() {}

    /// The shader that dispatches run.
    public func setPipeline(_ pipeline: GPUComputePipeline) { wgpuComputePassEncoderSetPipeline(handle, pipeline.handle) }

    /// Binds a group without dynamic offsets as `@group(index)`.
    public func setBindGroup(_ index: Int, _ group: GPUBindGroup) {
        wgpuComputePassEncoderSetBindGroup(handle, UInt32(index), group.handle, 0, nil)
    }

    /// For a group with one dynamic offset, in bytes.
    public func setBindGroup(_ index: Int, _ group: GPUBindGroup, dynamicOffset: UInt32) {
        var offset = dynamicOffset
        wgpuComputePassEncoderSetBindGroup(handle, UInt32(index), group.handle, 1, &offset)
    }

    /// For a group with several dynamic offsets, in bytes, in the order of bindings.
    public func setBindGroup(_ index: Int, _ group: GPUBindGroup, dynamicOffsets: [UInt32]) {
        dynamicOffsets.withUnsafeBufferPointer {
            wgpuComputePassEncoderSetBindGroup(handle, UInt32(index), group.handle, $0.count, $0.baseAddress)
        }
    }

    /// Writes `var<immediate>`; needs `GPUFeatures.immediates`. Offset and size are multiples of 4.
    @inlinable
    public func setImmediates<Value: BitwiseCopyable>(_ value: Value, offset: Int = 0) {
        withUnsafeBytes(of: value) { setImmediates(bytes: $0, offset: offset) }
    }

    /// Writes bytes of `var<immediate>`; offset and count are multiples of 4.
    public func setImmediates(bytes: UnsafeRawBufferPointer, offset: Int = 0) {
        wgpuComputePassEncoderSetImmediates(handle, UInt32(offset), bytes.baseAddress, bytes.count)
    }

    /// Runs x · y · z workgroups.
    public func dispatch(_ x: Int, _ y: Int = 1, _ z: Int = 1) {
        wgpuComputePassEncoderDispatchWorkgroups(handle, UInt32(x), UInt32(y), UInt32(z))
    }

    /// Reads the three counts of workgroups as `u32` from the buffer.
    public func dispatchIndirect(_ buffer: GPUBuffer, offset: Int = 0) {
        wgpuComputePassEncoderDispatchWorkgroupsIndirect(handle, buffer.handle, UInt64(offset))
    }

    /// Names what follows, up to `popDebugGroup()`, in a graphics debugger.
    public func pushDebugGroup(_ name: String) { withStringView(name) { wgpuComputePassEncoderPushDebugGroup(handle, $0) } }
    /// Ends the group that the last `pushDebugGroup(_:)` began.
    public func popDebugGroup() { wgpuComputePassEncoderPopDebugGroup(handle) }
    /// Marks this position of the pass in a graphics debugger.
    public func insertDebugMarker(_ name: String) { withStringView(name) { wgpuComputePassEncoderInsertDebugMarker(handle, $0) } }
}

extension GPUCommandEncoder {
    /// Begins a pass; nothing else can be recorded before it ends.
    public func beginComputePass(_ label: String) -> GPUComputePass { beginComputePass(label, timestamps: nil) }

    /// Begins a pass that writes the times of its begin and end.
    package func beginComputePass(_ label: String, timestamps: GPUPassTimestamps?) -> GPUComputePass {
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUComputePassDescriptor()
        descriptor.label = memory.string(label)
        if let timestamps { descriptor.timestampWrites = memory.pointer(to: timestamps.raw) }
        // Never null: errors surface in finish().
        return GPUComputePass(handle: wgpuCommandEncoderBeginComputePass(handle, &descriptor))
    }

    /// Records a whole pass.
    public func computePass<E: Error>(_ label: String, _ body: (borrowing GPUComputePass) throws(E) -> Void) throws(E) {
        try computePass(label, timestamps: nil, body)
    }

    /// Records a whole pass that writes the times of its begin and end.
    package func computePass<E: Error>(
        _ label: String, timestamps: GPUPassTimestamps?, _ body: (borrowing GPUComputePass) throws(E) -> Void
    ) throws(E) {
        let pass = beginComputePass(label, timestamps: timestamps)
        try body(pass)
        pass.end()
    }
}
