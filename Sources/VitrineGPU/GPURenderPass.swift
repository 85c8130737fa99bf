internal import CWebGPU

/// A pass that draws into its attachments.
///
/// The pass ends with `end()` or when it goes out of scope. The encoder cannot be finished before. Calls only record commands:
/// `GPUCommandEncoder.finish()` reports their errors. No call allocates memory.
public struct GPURenderPass: ~Copyable {
    let handle: WGPURenderPassEncoder

    deinit {
        wgpuRenderPassEncoderEnd(handle)
        wgpuRenderPassEncoderRelease(handle)
    }

    /// Ends the pass.
    public consuming func end() {}

    // MARK: State

    /// Sets the pipeline of the following draws.
    public func setPipeline(_ pipeline: GPURenderPipeline) { wgpuRenderPassEncoderSetPipeline(handle, pipeline.handle) }

    /// Binds a group without dynamic offsets as `@group(index)`.
    public func setBindGroup(_ index: Int, _ group: GPUBindGroup) {
        wgpuRenderPassEncoderSetBindGroup(handle, UInt32(index), group.handle, 0, nil)
    }

    /// Binds a group with one dynamic offset, in bytes, as `@group(index)`.
    public func setBindGroup(_ index: Int, _ group: GPUBindGroup, dynamicOffset: UInt32) {
        var offset = dynamicOffset
        wgpuRenderPassEncoderSetBindGroup(handle, UInt32(index), group.handle, 1, &offset)
    }

    /// Binds a group with several dynamic offsets, in bytes and in the order of the bindings, as `@group(index)`.
    public func setBindGroup(_ index: Int, _ group: GPUBindGroup, dynamicOffsets: UnsafeBufferPointer<UInt32>) {
        wgpuRenderPassEncoderSetBindGroup(handle, UInt32(index), group.handle, dynamicOffsets.count, dynamicOffsets.baseAddress)
    }

    /// Binds a group with several dynamic offsets, in bytes and in the order of the bindings, as `@group(index)`.
    public func setBindGroup(_ index: Int, _ group: GPUBindGroup, dynamicOffsets: [UInt32]) {
        dynamicOffsets.withUnsafeBufferPointer { setBindGroup(index, group, dynamicOffsets: $0) }
    }

    /// Binds a buffer from a byte offset to its end.
    public func setVertexBuffer(_ slot: Int, _ buffer: GPUBuffer, offset: Int = 0) {
        wgpuRenderPassEncoderSetVertexBuffer(handle, UInt32(slot), buffer.handle, UInt64(offset), UInt64(buffer.size - offset))
    }

    /// Binds the bytes `range` of a buffer.
    public func setVertexBuffer(_ slot: Int, _ buffer: GPUBuffer, _ range: Range<Int>) {
        wgpuRenderPassEncoderSetVertexBuffer(handle, UInt32(slot), buffer.handle, UInt64(range.lowerBound), UInt64(range.count))
    }

    /// Binds the index buffer of `drawIndexed`, from a byte offset to its end.
    public func setIndexBuffer(_ buffer: GPUBuffer, _ format: GPUIndexFormat, offset: Int = 0) {
        wgpuRenderPassEncoderSetIndexBuffer(
            handle, buffer.handle, WGPUIndexFormat(rawValue: format.rawValue), UInt64(offset), UInt64(buffer.size - offset))
    }

    /// Writes `var<immediate>`; needs `GPUFeatures.immediates`. Offset and size must be multiples of 4.
    @inlinable
    public func setImmediates<Value: BitwiseCopyable>(_ value: Value, offset: Int = 0) {
        withUnsafeBytes(of: value) { setImmediates(bytes: $0, offset: offset) }
    }

    /// Writes bytes of `var<immediate>`; offset and count must be multiples of 4.
    public func setImmediates(bytes: UnsafeRawBufferPointer, offset: Int = 0) {
        wgpuRenderPassEncoderSetImmediates(handle, UInt32(offset), bytes.baseAddress, bytes.count)
    }

    /// Sets the rectangle of the attachments to which clip space maps, in pixels from the top left, and the depth range.
    public func setViewport(x: Float, y: Float, width: Float, height: Float, depth: ClosedRange<Float> = 0...1) {
        wgpuRenderPassEncoderSetViewport(handle, x, y, width, height, depth.lowerBound, depth.upperBound)
    }

    /// Restricts drawing to a rectangle, in pixels from the top left.
    public func setScissor(x: Int, y: Int, width: Int, height: Int) {
        wgpuRenderPassEncoderSetScissorRect(handle, UInt32(x), UInt32(y), UInt32(width), UInt32(height))
    }

    /// Sets the value of `GPUBlendFactor.constant`; initially transparent black.
    public func setBlendConstant(_ color: GPUColor) {
        var raw = WGPUColor(r: color.red, g: color.green, b: color.blue, a: color.alpha)
        wgpuRenderPassEncoderSetBlendConstant(handle, &raw)
    }

    /// Sets the value that stencil tests compare with and that `replace` writes; initially 0.
    package func setStencilReference(_ value: UInt32) { wgpuRenderPassEncoderSetStencilReference(handle, value) }

    // MARK: Drawing

    /// Draws vertices in order.
    public func draw(vertexCount: Int, instanceCount: Int = 1, firstVertex: Int = 0, firstInstance: Int = 0) {
        wgpuRenderPassEncoderDraw(handle, UInt32(vertexCount), UInt32(instanceCount), UInt32(firstVertex), UInt32(firstInstance))
    }

    /// Draws vertices in the order of the index buffer; `baseVertex` is added to each index.
    public func drawIndexed(
        indexCount: Int, instanceCount: Int = 1, firstIndex: Int = 0, baseVertex: Int = 0, firstInstance: Int = 0
    ) {
        wgpuRenderPassEncoderDrawIndexed(
            handle, UInt32(indexCount), UInt32(instanceCount), UInt32(firstIndex), Int32(baseVertex), UInt32(firstInstance))
    }

    /// Draws with arguments in a buffer, four `u32`: vertex count, instance count, first vertex, first instance.
    public func drawIndirect(_ buffer: GPUBuffer, offset: Int = 0) {
        wgpuRenderPassEncoderDrawIndirect(handle, buffer.handle, UInt64(offset))
    }

    /// Draws with arguments in a buffer, four `u32` and one `i32`: index count, instance count, first index, base vertex, first instance.
    public func drawIndexedIndirect(_ buffer: GPUBuffer, offset: Int = 0) {
        wgpuRenderPassEncoderDrawIndexedIndirect(handle, buffer.handle, UInt64(offset))
    }

    /// Draws `count` times as `drawIndirect`, with arguments 16 bytes apart; not in browsers.
    public func multiDrawIndirect(_ buffer: GPUBuffer, offset: Int = 0, count: Int) {
        wgpuRenderPassEncoderMultiDrawIndirect(handle, buffer.handle, UInt64(offset), UInt32(count))
    }

    /// Draws `count` times as `drawIndexedIndirect`, with arguments 20 bytes apart; not in browsers.
    public func multiDrawIndexedIndirect(_ buffer: GPUBuffer, offset: Int = 0, count: Int) {
        wgpuRenderPassEncoderMultiDrawIndexedIndirect(handle, buffer.handle, UInt64(offset), UInt32(count))
    }

    /// Draws as `multiDrawIndexedIndirect(_:offset:count:)`, with the number of draws as `u32` in a buffer, at most `maxCount`; needs
    /// `GPUFeatures.multiDrawIndirectCount`.
    public func multiDrawIndexedIndirect(
        _ buffer: GPUBuffer, offset: Int = 0, countBuffer: GPUBuffer, countOffset: Int = 0, maxCount: Int
    ) {
        wgpuRenderPassEncoderMultiDrawIndexedIndirectCount(
            handle, buffer.handle, UInt64(offset), countBuffer.handle, UInt64(countOffset), UInt32(maxCount))
    }

    // MARK: Queries and debugging

    /// Counts the samples that pass until `endOcclusionQuery()`.
    package func beginOcclusionQuery(_ index: Int) { wgpuRenderPassEncoderBeginOcclusionQuery(handle, UInt32(index)) }
    package func endOcclusionQuery() { wgpuRenderPassEncoderEndOcclusionQuery(handle) }

    /// Begins a named group of commands in a graphics debugger, up to `popDebugGroup()`.
    public func pushDebugGroup(_ name: String) { withStringView(name) { wgpuRenderPassEncoderPushDebugGroup(handle, $0) } }
    /// Ends the group that the last `pushDebugGroup(_:)` began.
    public func popDebugGroup() { wgpuRenderPassEncoderPopDebugGroup(handle) }
    /// Inserts a named marker at this position of the pass for graphics debuggers.
    public func insertDebugMarker(_ name: String) { withStringView(name) { wgpuRenderPassEncoderInsertDebugMarker(handle, $0) } }
}

extension GPUCommandEncoder {
    /// Begins a render pass. Until it ends, nothing else can be recorded.
    public func beginRenderPass(_ pass: GPURenderPassDescriptor) -> GPURenderPass {
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPURenderPassDescriptor()
        descriptor.label = memory.string(pass.label)
        descriptor.colorAttachmentCount = pass.colors.count
        descriptor.colorAttachments = memory.array(pass.colors.map { $0.raw })
        if let depthStencil = pass.depthStencil { descriptor.depthStencilAttachment = memory.pointer(to: depthStencil.raw) }
        if let timestamps = pass.timestamps { descriptor.timestampWrites = memory.pointer(to: timestamps.raw) }
        descriptor.occlusionQuerySet = pass.occlusionQueries?.handle
        // Never null: finish() reports errors of the descriptor.
        return GPURenderPass(handle: wgpuCommandEncoderBeginRenderPass(handle, &descriptor))
    }

    /// Records a whole render pass.
    public func renderPass<E: Error>(
        _ pass: GPURenderPassDescriptor, _ body: (borrowing GPURenderPass) throws(E) -> Void
    ) throws(E) {
        let encoder = beginRenderPass(pass)
        try body(encoder)
        encoder.end()
    }
}
