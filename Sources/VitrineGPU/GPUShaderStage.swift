internal import CWebGPU

/// One entry point of a shader with the values of its `override` constants.
public struct GPUShaderStage {
    /// The compiled source.
    public var module: GPUShaderModule
    /// The name of the entry-point function.
    public var entryPoint: String
    /// The values of `override` constants; the others keep their default. `bool` constants are 0 or 1.
    public var constants: [GPUConstant]

    /// Creates a stage from an entry point and values of its `override` constants.
    public init(_ module: GPUShaderModule, _ entryPoint: String, constants: [GPUConstant] = []) {
        self.module = module
        self.entryPoint = entryPoint
        self.constants = constants
    }

    /// The constants as a C array; it has as many elements as `constants`.
    func rawConstants(in memory: inout DescriptorMemory) -> UnsafePointer<WGPUConstantEntry>? {
        var entries: [WGPUConstantEntry] = []
        for constant in constants {
            entries.append(WGPUConstantEntry(nextInChain: nil, key: memory.string(constant.name), value: constant.value))
        }
        return memory.array(entries)
    }
}

/// The value of an `override` constant.
public struct GPUConstant: Sendable, Equatable {
    /// The name of the constant, or the decimal number of its `@id`.
    public var name: String
    /// The value, which is converted to the constant's type.
    public var value: Double

    /// Creates a numeric constant.
    public init(_ name: String, _ value: Double) {
        self.name = name
        self.value = value
    }

    /// Creates a `bool` constant: 1 or 0.
    public init(_ name: String, _ value: Bool) { self.init(name, value ? 1 : 0) }
}
