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

/// What the compiler adds to a shader so that it cannot do harm. Browsers always add everything.
public struct GPUShaderChecks: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Indices stay within arrays and textures where the driver does not see to it.
    public static let bounds = GPUShaderChecks(rawValue: 0x1)
    /// Loops end: each counts its rounds, which makes short ones slower.
    public static let loops = GPUShaderChecks(rawValue: 0x2)
    public static let all: GPUShaderChecks = [.bounds, .loops]

    /// What neither costs us anything nor is ours to leave out: ray queries, task and mesh shaders.
    fileprivate static let always: UInt64 = 0x4 | 0x8 | 0x10
}

extension GPUDevice {
    /// Compiles WGSL.
    ///
    /// - Parameters:
    ///   - label: a file name reads best: errors begin with `LABEL:LINE:COLUMN:`.
    ///   - checks: fewer only for source of our own, where the loops are known to end and the indices to be right.
    /// - Throws: `GPUError.shader` with the place of the mistake.
    public func makeShader(_ label: String, wgsl source: String, checks: GPUShaderChecks = .all) throws(GPUError) -> GPUShaderModule {
        let mark = state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var code = WGPUShaderSourceWGSL()
        code.chain.sType = WGPUSType_ShaderSourceWGSL
        code.code = memory.string(source)
        var descriptor = WGPUShaderModuleDescriptor()
        descriptor.nextInChain = memory.chain(code)
        descriptor.label = memory.string(label)
        let module =
            checks == .all
            ? wgpuDeviceCreateShaderModule(handle, &descriptor)
            : wgpuDeviceCreateShaderModuleTrusted(handle, &descriptor, checks.rawValue | GPUShaderChecks.always)
        return try adopt(module, named: label, since: mark) { GPUShaderModule(device: self, handle: $0, label: label) }
    }
}
