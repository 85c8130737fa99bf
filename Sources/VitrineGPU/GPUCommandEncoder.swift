internal import CWebGPU

/// Records commands: passes and copies, in order. `finish()` ends the recording.
///
/// Mistakes in a recording show when it is finished, which throws; nothing of it runs then.
public struct GPUCommandEncoder: ~Copyable {
    /// The device that executes the commands.
    public let device: GPUDevice
    /// Names the recording in errors and graphics debuggers.
    public let label: String
    let handle: WGPUCommandEncoder

    init(device: GPUDevice, handle: WGPUCommandEncoder, label: String) {
        self.device = device
        self.handle = handle
        self.label = label
    }

    deinit { wgpuCommandEncoderRelease(handle) }

    /// Ends the recording. Every pass must have ended.
    public consuming func finish() throws(GPUError) -> GPUCommandBuffer {
        let mark = device.state.mark
        let commands = wgpuCommandEncoderFinish(handle, nil).map { GPUCommandBuffer(device: device, handle: $0) }
        if let error = device.state.takeError(since: mark) { throw error.naming(label) }
        guard let commands else { throw .internal(resource: label, message: "nothing was recorded, and no reason given") }
        return commands
    }

    // MARK: Debugging

    /// Names what follows, up to `popDebugGroup()`, in a graphics debugger.
    public func pushDebugGroup(_ name: String) { withStringView(name) { wgpuCommandEncoderPushDebugGroup(handle, $0) } }
    /// Ends the group that the last `pushDebugGroup(_:)` began.
    public func popDebugGroup() { wgpuCommandEncoderPopDebugGroup(handle) }
    /// Marks this position of the recording in a graphics debugger.
    public func insertDebugMarker(_ name: String) { withStringView(name) { wgpuCommandEncoderInsertDebugMarker(handle, $0) } }
}

/// Recorded commands; submitted once.
public struct GPUCommandBuffer: ~Copyable {
    let device: GPUDevice
    let handle: WGPUCommandBuffer

    deinit { wgpuCommandBufferRelease(handle) }
}

extension GPUDevice {
    /// Begins a recording; the label names it in errors.
    public func makeCommandEncoder(_ label: String) throws(GPUError) -> GPUCommandEncoder {
        let mark = state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUCommandEncoderDescriptor()
        descriptor.label = memory.string(label)
        let encoder = wgpuDeviceCreateCommandEncoder(handle, &descriptor).map { GPUCommandEncoder(device: self, handle: $0, label: label) }
        if let error = state.takeError(since: mark) { throw error.naming(label) }
        guard let encoder else { throw .internal(resource: label, message: "no encoder was made, and no reason given") }
        return encoder
    }
}

/// Shows a string to C for the time of one call.
func withStringView(_ text: String, _ body: (WGPUStringView) -> Void) {
    var text = text
    text.withUTF8 { bytes in
        let start = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
        body(WGPUStringView(data: start, length: bytes.count))
    }
}
