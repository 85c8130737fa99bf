internal import CWebGPU

/// One entry point of a shader with the values of its `override` constants.
public struct GPUShaderStage {
    /// The compiled source.
    public var module: GPUShaderModule
    /// The name of the function in the source.
    public var entryPoint: String
    /// Constants not named keep the default of the WGSL source. `bool` constants are 0 or 1.
    public var constants: [GPUConstant]

    /// Selects an entry point and sets its `override` constants.
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
    /// The name of the constant, or the decimal number of its `@id`.
    public var name: String
    /// Converted to the constant's type.
    public var value: Double

    /// Creates a numeric constant.
    public init(_ name: String, _ value: Double) {
        self.name = name
        self.value = value
    }

    /// Creates a `bool` constant: 1 or 0.
    public init(_ name: String, _ value: Bool) { self.init(name, value ? 1 : 0) }
}
