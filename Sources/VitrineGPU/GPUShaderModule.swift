internal import CWebGPU

/// A compiled WGSL module.
public final class GPUShaderModule {
    /// The name of the shader in errors, usually a file name.
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
    /// Compiles WGSL source.
    ///
    /// Safe for untrusted source: nesting, expressions, loops, calls and sizes are checked against limits before compilation, and the compiler
    /// runs on a thread with a stack of 64 MiB.
    ///
    /// - Parameter label: The name of the shader, best a file name: errors begin with `LABEL:LINE:COLUMN:`.
    /// - Throws: `GPUError.shader` with the position of each error.
    public func makeShader(_ label: String, wgsl source: String) throws(GPUError) -> GPUShaderModule {
        do throws(WGSLLimits.Violation) {
            try WGSLLimits.check(source)
        } catch {
            throw .shader(label: label, messages: [GPUShaderMessage(line: error.line, column: error.column, text: error.text)])
        }
        let mark = state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var code = WGPUShaderSourceWGSL()
        code.chain.sType = WGPUSType_ShaderSourceWGSL
        code.code = memory.string(source)
        var descriptor = WGPUShaderModuleDescriptor()
        descriptor.nextInChain = memory.chain(code)
        descriptor.label = memory.string(label)
        return try adopt(try compiling(label) { wgpuDeviceCreateShaderModule(handle, &descriptor) }, named: label, since: mark) {
            GPUShaderModule(device: self, handle: $0, label: label)
        }
    }

    /// Runs a call that compiles shaders on the compiler thread, because naga's back ends and drivers recurse over shaders too.
    func compiling(_ label: String, _ call: () -> OpaquePointer?) throws(GPUError) -> OpaquePointer? {
        guard let handle = CompilerThread.run(call) else {
            throw .outOfMemory(resource: label, message: "cannot start a thread for the shader compiler")
        }
        return handle
    }
}
