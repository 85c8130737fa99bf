internal import CWebGPU

/// A compiled compute shader with its layout.
public final class GPUComputePipeline {
    /// The name of the object in errors and graphics debuggers.
    public let label: String
    let device: GPUDevice
    let handle: WGPUComputePipeline

    init(device: GPUDevice, handle: WGPUComputePipeline, label: String) {
        self.device = device
        self.handle = handle
        self.label = label
    }

    deinit { wgpuComputePipelineRelease(handle) }

    /// Returns the layout of one `@group`, for bind groups of a pipeline that was created without a layout.
    public func bindGroupLayout(_ group: Int) throws(GPUError) -> GPUBindGroupLayout {
        let mark = device.state.mark
        return try device.adopt(wgpuComputePipelineGetBindGroupLayout(handle, UInt32(group)), named: label, since: mark) {
            GPUBindGroupLayout(device: device, handle: $0, label: label)
        }
    }
}

extension GPUDevice {
    /// Creates a compute pipeline, which compiles the shader for the hardware. Compilation is slow: keep the pipeline.
    ///
    /// - Parameter layout: The pipeline layout. If nil, it is derived from the shader; bind groups with its layouts are then valid only for this
    ///   pipeline.
    public func makeComputePipeline(
        _ label: String, layout: GPUPipelineLayout? = nil, _ stage: GPUShaderStage
    ) throws(GPUError) -> GPUComputePipeline {
        try require(layout?.device, for: label)
        try require(stage.module.device, for: label)
        let mark = state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUComputePipelineDescriptor()
        descriptor.label = memory.string(label)
        descriptor.layout = layout?.handle
        descriptor.compute.module = stage.module.handle
        descriptor.compute.entryPoint = memory.string(stage.entryPoint)
        descriptor.compute.constantCount = stage.constants.count
        descriptor.compute.constants = stage.rawConstants(in: &memory)
        return try adopt(try compiling(label) { wgpuDeviceCreateComputePipeline(handle, &descriptor) }, named: label, since: mark) {
            GPUComputePipeline(device: self, handle: $0, label: label)
        }
    }
}
