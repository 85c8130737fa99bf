internal import CWebGPU

/// One entry point of a shader with the values of its `override` constants.
public struct GPUShaderStage {
    public var module: GPUShaderModule
    public var entryPoint: String
    /// Constants not named keep the default of the WGSL source. `bool` constants are 0 or 1.
    public var constants: [GPUConstant]

    public init(_ module: GPUShaderModule, _ entryPoint: String, constants: [GPUConstant] = []) {
        self.module = module
        self.entryPoint = entryPoint
        self.constants = constants
    }

    /// Constants as C sees them; their count is that of `constants`.
    func rawConstants(in memory: inout DescriptorMemory) -> UnsafePointer<WGPUConstantEntry>? {
        var entries: [WGPUConstantEntry] = []
        for constant in constants {
            entries.append(WGPUConstantEntry(nextInChain: nil, key: memory.string(constant.name), value: constant.value))
        }
        return memory.array(entries)
    }
}

/// The value of an `override` constant: named as in WGSL, or by its `@id` as a number.
public struct GPUConstant: Sendable, Equatable {
    public var name: String
    public var value: Double

    public init(_ name: String, _ value: Double) {
        self.name = name
        self.value = value
    }

    public init(_ name: String, _ value: Bool) { self.init(name, value ? 1 : 0) }
}
