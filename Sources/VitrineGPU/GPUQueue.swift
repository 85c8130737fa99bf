internal import CWebGPU

/// The queue of a device: submits commands and writes data.
///
/// Writes take effect before all commands submitted after them. `GPUDevice.checkErrors()` throws the errors of writes and submissions.
public final class GPUQueue {
    let handle: WGPUQueue
    // Not retained: the device owns the queue.
    private let device: WGPUDevice
    private let state: DeviceState

    init(handle: WGPUQueue, device: WGPUDevice, state: DeviceState) {
        self.handle = handle
        self.device = device
        self.state = state
    }

    deinit { wgpuQueueRelease(handle) }

    /// The duration of one tick of a timestamp query in nanoseconds.
    package var timestampPeriod: Double { Double(wgpuQueueGetTimestampPeriod(handle)) }

    /// Submits recorded commands to the GPU. On a lost device, drops them; `checkErrors()` then throws.
    public func submit(_ commands: consuming GPUCommandBuffer) {
        if commands.device.state !== state {
            state.record(.validation(resource: "queue", message: "commands recorded with another device"))
            return
        }
        var handle: WGPUCommandBuffer? = commands.handle
        state.whileAlive(device) { wgpuQueueSubmit(self.handle, 1, &handle) }
    }

    /// Checks without waiting whether submitted work has finished, and frees its resources. Returns true if the queue is empty.
    @discardableResult
    public func poll() -> Bool {
        if state.isLost { return true }
        return wgpuDevicePoll(device, 0, nil) != 0
    }

    /// Copies bytes into a buffer; offset and count must be multiples of 4.
    public func write(_ bytes: UnsafeRawBufferPointer, to buffer: GPUBuffer, at offset: Int = 0) {
        if bytes.isEmpty { return }
        wgpuQueueWriteBuffer(handle, buffer.handle, UInt64(offset), bytes.baseAddress, bytes.count)
    }

    /// Copies an array into a buffer; offset and byte count must be multiples of 4.
    @inlinable
    public func write<Element: BitwiseCopyable>(_ elements: [Element], to buffer: GPUBuffer, at offset: Int = 0) {
        elements.withUnsafeBytes { write($0, to: buffer, at: offset) }
    }

    /// Copies one value, such as a uniform structure, into a buffer.
    @inlinable
    public func write<Value: BitwiseCopyable>(value: Value, to buffer: GPUBuffer, at offset: Int = 0) {
        withUnsafeBytes(of: value) { write($0, to: buffer, at: offset) }
    }

    /// Copies rows of texels into one mip level of a texture.
    ///
    /// - Parameters:
    ///   - bytes: Rows from the top, layer after layer, tightly packed unless `bytesPerRow` is given.
    ///   - destination: The texture, mip level and corner.
    ///   - size: The size in texels; nil writes the rest of the mip level's first layer.
    ///   - bytesPerRow: The distance between rows of texels (or blocks) in `bytes`.
    public func write(
        _ bytes: UnsafeRawBufferPointer, to destination: GPUTexelCopyTextureInfo, size: GPUExtent? = nil, bytesPerRow: Int? = nil
    ) {
        let size = size ?? destination.restOfLevel
        if size.width == 0 || size.height == 0 || size.depthOrLayers == 0 { return }
        let format = destination.texture.format
        var layout = WGPUTexelCopyBufferLayout()
        layout.bytesPerRow = GPUExtent.raw(bytesPerRow ?? format.bytesPerRow(width: size.width, aspect: destination.aspect))
        layout.rowsPerImage = GPUExtent.raw(format.blockRows(height: size.height))
        var target = destination.raw
        var extent = size.raw
        wgpuQueueWriteTexture(handle, &target, bytes.baseAddress, bytes.count, &layout, &extent)
    }

    /// Copies an array of texels, tightly packed, into one mip level of a texture.
    @inlinable
    public func write<Element: BitwiseCopyable>(_ elements: [Element], to destination: GPUTexelCopyTextureInfo, size: GPUExtent? = nil) {
        elements.withUnsafeBytes { write($0, to: destination, size: size) }
    }
}
