internal import CWebGPU

/// Compiled WGSL.
public final class GPUShaderModule {
    public let label: String
    let device: GPUDevice
    let handle: WGPUShaderModule

    init(device: GPUDevice, handle: WGPUShaderModule, label: String) {
        self.device = device
        self.handle = handle
        self.label = label
    }

    deinit { wgpuShaderModuleRelease(handle) }
}

extension GPUDevice {
    /// Compiles WGSL.
    ///
    /// - Parameter label: a file name reads best: errors begin with `LABEL:LINE:COLUMN:`.
    /// - Throws: `GPUError.shader` with the place of the mistake.
    public func makeShader(_ label: String, wgsl source: String) throws(GPUError) -> GPUShaderModule {
        let mark = state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var code = WGPUShaderSourceWGSL()
        code.chain.sType = WGPUSType_ShaderSourceWGSL
        code.code = memory.string(source)
        var descriptor = WGPUShaderModuleDescriptor()
        descriptor.nextInChain = memory.chain(code)
        descriptor.label = memory.string(label)
        return try adopt(wgpuDeviceCreateShaderModule(handle, &descriptor), named: label, since: mark) {
            GPUShaderModule(device: self, handle: $0, label: label)
        }
    }
}
