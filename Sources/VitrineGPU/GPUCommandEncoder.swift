internal import CWebGPU

/// Records passes and copies in order. `finish()` ends the recording.
///
/// Errors of recorded commands are reported by `finish()`, which throws; the GPU then executes none of the commands.
public struct GPUCommandEncoder: ~Copyable {
    /// The device that executes the commands.
    public let device: GPUDevice
    /// The name of the recording in errors and graphics debuggers.
    public let label: String
    let handle: WGPUCommandEncoder

    init(device: GPUDevice, handle: WGPUCommandEncoder, label: String) {
        self.device = device
        self.handle = handle
        self.label = label
    }

    deinit { wgpuCommandEncoderRelease(handle) }

    /// Ends the recording and returns its commands. Every pass must have ended.
    public consuming func finish() throws(GPUError) -> GPUCommandBuffer {
        let mark = device.state.mark
        let commands = wgpuCommandEncoderFinish(handle, nil).map { GPUCommandBuffer(device: device, handle: $0) }
        if let error = device.state.takeError(since: mark) { throw error.naming(label) }
        guard let commands else {
            throw .internal(resource: label, message: "the commands could not be recorded; the driver gave no reason")
        }
        return commands
    }

    // MARK: Debugging

    /// Begins a named group of commands in a graphics debugger, up to `popDebugGroup()`.
    public func pushDebugGroup(_ name: String) { withStringView(name) { wgpuCommandEncoderPushDebugGroup(handle, $0) } }
    /// Ends the group that the last `pushDebugGroup(_:)` began.
    public func popDebugGroup() { wgpuCommandEncoderPopDebugGroup(handle) }
    /// Inserts a named marker at this position of the recording for graphics debuggers.
    public func insertDebugMarker(_ name: String) { withStringView(name) { wgpuCommandEncoderInsertDebugMarker(handle, $0) } }
}

/// Recorded commands, which can be submitted once.
public struct GPUCommandBuffer: ~Copyable {
    let device: GPUDevice
    let handle: WGPUCommandBuffer

    deinit { wgpuCommandBufferRelease(handle) }
}

extension GPUDevice {
    /// Creates a command encoder; the label is its name in errors.
    public func makeCommandEncoder(_ label: String) throws(GPUError) -> GPUCommandEncoder {
        let mark = state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUCommandEncoderDescriptor()
        descriptor.label = memory.string(label)
        let encoder = wgpuDeviceCreateCommandEncoder(handle, &descriptor).map { GPUCommandEncoder(device: self, handle: $0, label: label) }
        if let error = state.takeError(since: mark) { throw error.naming(label) }
        guard let encoder else {
            throw .internal(resource: label, message: "the command encoder could not be created; the driver gave no reason")
        }
        return encoder
    }
}

/// Passes a string to a C function; the view is valid only during the call.
func withStringView(_ text: String, _ body: (WGPUStringView) -> Void) {
    var text = text
    text.withUTF8 { bytes in
        let start = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
        body(WGPUStringView(data: start, length: bytes.count))
    }
}

extension GPUCommandEncoder {
    /// Copies bytes between buffers; offsets and size must be multiples of 4.
    public func copy(
        from source: GPUBuffer, at sourceOffset: Int = 0, to destination: GPUBuffer, at destinationOffset: Int = 0, size: Int
    ) {
        wgpuCommandEncoderCopyBufferToBuffer(
            handle, source.handle, UInt64(sourceOffset), destination.handle, UInt64(destinationOffset), UInt64(size))
    }

    /// Copies rows of texels from a buffer into a texture.
    ///
    /// - Parameters:
    ///   - bytesPerRow: The distance between rows of texels (or blocks) in the buffer, a multiple of 256.
    ///   - size: The size in texels; nil copies the rest of the mip level's layer.
    public func copy(
        from source: GPUBuffer, at offset: Int = 0, bytesPerRow: Int, to destination: GPUTexelCopyTextureInfo, size: GPUExtent? = nil
    ) {
        var extent = (size ?? destination.restOfLevel).raw
        var buffer = Self.rows(of: source, offset, bytesPerRow, destination.texture.format, Int(extent.height))
        var texture = destination.raw
        wgpuCommandEncoderCopyBufferToTexture(handle, &buffer, &texture, &extent)
    }

    /// Copies texels from a texture into a buffer, row by row.
    ///
    /// - Parameters:
    ///   - bytesPerRow: The distance between rows of texels (or blocks) in the buffer, a multiple of 256.
    ///   - size: The size in texels; nil copies the rest of the mip level's layer.
    public func copy(
        from source: GPUTexelCopyTextureInfo, to destination: GPUBuffer, at offset: Int = 0, bytesPerRow: Int, size: GPUExtent? = nil
    ) {
        var extent = (size ?? source.restOfLevel).raw
        var buffer = Self.rows(of: destination, offset, bytesPerRow, source.texture.format, Int(extent.height))
        var texture = source.raw
        wgpuCommandEncoderCopyTextureToBuffer(handle, &texture, &buffer, &extent)
    }

    /// Copies texels between textures of the same format; without a `size`, copies the rest of the source's layer.
    public func copy(from source: GPUTexelCopyTextureInfo, to destination: GPUTexelCopyTextureInfo, size: GPUExtent? = nil) {
        var extent = (size ?? source.restOfLevel).raw
        var from = source.raw
        var to = destination.raw
        wgpuCommandEncoderCopyTextureToTexture(handle, &from, &to, &extent)
    }

    /// Fills a range of a buffer with zeros, by default the whole buffer. The bounds must be multiples of 4.
    public func clear(_ buffer: GPUBuffer, _ range: Range<Int>? = nil) {
        let range = range ?? 0..<buffer.size
        wgpuCommandEncoderClearBuffer(handle, buffer.handle, UInt64(range.lowerBound), UInt64(range.count))
    }

    private static func rows(
        of buffer: GPUBuffer, _ offset: Int, _ bytesPerRow: Int, _ format: GPUTextureFormat, _ height: Int
    ) -> WGPUTexelCopyBufferInfo {
        var info = WGPUTexelCopyBufferInfo()
        info.buffer = buffer.handle
        info.layout.offset = UInt64(offset)
        info.layout.bytesPerRow = GPUExtent.raw(bytesPerRow)
        info.layout.rowsPerImage = GPUExtent.raw(format.blockRows(height: height))
        return info
    }
}
