// The small enumerations of WebGPU. Raw values are those of `webgpu.h`, so that a conversion costs nothing; a test compares them all.

/// What a buffer may be used for. Anything not listed at creation is a validation error later.
public struct GPUBufferUsage: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The processor may read it after `GPUBuffer.read`; combines only with `copyDestination`.
    public static let mapRead = GPUBufferUsage(rawValue: 0x1)
    /// The processor may write it through a mapping; combines only with `copySource`.
    public static let mapWrite = GPUBufferUsage(rawValue: 0x2)
    public static let copySource = GPUBufferUsage(rawValue: 0x4)
    /// Needed for `GPUQueue.write` and for copies into the buffer.
    public static let copyDestination = GPUBufferUsage(rawValue: 0x8)
    public static let index = GPUBufferUsage(rawValue: 0x10)
    public static let vertex = GPUBufferUsage(rawValue: 0x20)
    public static let uniform = GPUBufferUsage(rawValue: 0x40)
    public static let storage = GPUBufferUsage(rawValue: 0x80)
    public static let indirect = GPUBufferUsage(rawValue: 0x100)
    /// The destination of `GPUCommandEncoder.resolve(_:...)`.
    public static let queryResolve = GPUBufferUsage(rawValue: 0x200)
}

/// What a texture may be used for.
public struct GPUTextureUsage: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Needed for `GPUTexture.read` and for copies out of the texture.
    public static let copySource = GPUTextureUsage(rawValue: 0x1)
    /// Needed for `GPUQueue.write` and for copies into the texture.
    public static let copyDestination = GPUTextureUsage(rawValue: 0x2)
    /// Shaders sample or load it.
    public static let textureBinding = GPUTextureUsage(rawValue: 0x4)
    /// Shaders store into it.
    public static let storageBinding = GPUTextureUsage(rawValue: 0x8)
    /// Render passes draw into it.
    public static let renderAttachment = GPUTextureUsage(rawValue: 0x10)
}

/// The shader stages that see a binding.
public struct GPUShaderStages: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let vertex = GPUShaderStages(rawValue: 0x1)
    public static let fragment = GPUShaderStages(rawValue: 0x2)
    public static let compute = GPUShaderStages(rawValue: 0x4)
    /// Vertex and fragment.
    public static let render: GPUShaderStages = [.vertex, .fragment]
}

/// Which channels of a colour target a pipeline writes.
public struct GPUColorWriteMask: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let red = GPUColorWriteMask(rawValue: 0x1)
    public static let green = GPUColorWriteMask(rawValue: 0x2)
    public static let blue = GPUColorWriteMask(rawValue: 0x4)
    public static let alpha = GPUColorWriteMask(rawValue: 0x8)
    public static let all: GPUColorWriteMask = [.red, .green, .blue, .alpha]
}

/// The shape of a texture's storage. Cubes and arrays are two-dimensional textures with layers.
public enum GPUTextureDimension: UInt32, Sendable {
    case oneDimensional = 1
    case twoDimensional = 2
    case threeDimensional = 3
}

/// The shape in which a shader sees a texture view.
public enum GPUTextureViewDimension: UInt32, Sendable {
    case oneDimensional = 1
    case twoDimensional = 2
    case twoDimensionalArray = 3
    case cube = 4
    case cubeArray = 5
    case threeDimensional = 6
}

/// Which part of a depth-stencil texture is meant.
public enum GPUTextureAspect: UInt32, Sendable {
    case all = 1
    case stencilOnly = 2
    case depthOnly = 3
}

/// What a shader gets from a sampled texture.
public enum GPUTextureSampleType: UInt32, Sendable {
    /// `f32`, and the sampler may filter.
    case float = 2
    /// `f32`, only with a non-filtering sampler or `textureLoad`.
    case unfilterableFloat = 3
    case depth = 4
    case signedInteger = 5
    case unsignedInteger = 6
}

/// What a shader does with a storage texture.
public enum GPUStorageTextureAccess: UInt32, Sendable {
    case writeOnly = 2
    case readOnly = 3
    case readWrite = 4
}

/// The kind of a sampler binding.
public enum GPUSamplerBindingType: UInt32, Sendable {
    case filtering = 2
    case nonFiltering = 3
    /// `sampler_comparison`, for shadow maps.
    case comparison = 4
}

/// What a sampler does outside 0...1.
public enum GPUAddressMode: UInt32, Sendable {
    case clampToEdge = 1
    case `repeat` = 2
    case mirrorRepeat = 3
}

/// How a sampler picks between texels, and between mip levels.
public enum GPUFilterMode: UInt32, Sendable {
    case nearest = 1
    case linear = 2
}

/// Passes when `new ? stored` holds.
public enum GPUCompareFunction: UInt32, Sendable {
    case never = 1
    case less = 2
    case equal = 3
    case lessEqual = 4
    case greater = 5
    case notEqual = 6
    case greaterEqual = 7
    case always = 8
}

/// How vertices become primitives.
public enum GPUPrimitiveTopology: UInt32, Sendable {
    case pointList = 1
    case lineList = 2
    case lineStrip = 3
    case triangleList = 4
    case triangleStrip = 5
}

/// The width of an index.
public enum GPUIndexFormat: UInt32, Sendable {
    case uint16 = 1
    case uint32 = 2

    /// Bytes of one index.
    public var byteCount: Int { self == .uint16 ? 2 : 4 }
}

/// Which winding, seen in the framebuffer, is the front of a triangle.
public enum GPUFrontFace: UInt32, Sendable {
    case counterClockwise = 1
    case clockwise = 2
}

/// Which triangles are thrown away.
public enum GPUCullMode: UInt32, Sendable {
    case none = 1
    case front = 2
    case back = 3
}

/// When a vertex buffer moves on to its next element.
public enum GPUVertexStepMode: UInt32, Sendable {
    case vertex = 1
    case instance = 2
}

/// A factor of the blend equation.
public enum GPUBlendFactor: UInt32, Sendable {
    case zero = 1
    case one = 2
    case source = 3
    case oneMinusSource = 4
    case sourceAlpha = 5
    case oneMinusSourceAlpha = 6
    case destination = 7
    case oneMinusDestination = 8
    case destinationAlpha = 9
    case oneMinusDestinationAlpha = 10
    case sourceAlphaSaturated = 11
    /// The value of `GPURenderPass.setBlendConstant`.
    case constant = 12
    case oneMinusConstant = 13
    /// The second output of the fragment shader; needs `GPUFeatures.dualSourceBlending`.
    case source1 = 14
    case oneMinusSource1 = 15
    case source1Alpha = 16
    case oneMinusSource1Alpha = 17
}

/// The operation of the blend equation.
public enum GPUBlendOperation: UInt32, Sendable {
    case add = 1
    case subtract = 2
    case reverseSubtract = 3
    case min = 4
    case max = 5
}

/// What happens to a stencil value.
public enum GPUStencilOperation: UInt32, Sendable {
    case keep = 1
    case zero = 2
    case replace = 3
    case invert = 4
    case incrementClamp = 5
    case decrementClamp = 6
    case incrementWrap = 7
    case decrementWrap = 8
}

/// What a query counts.
public enum GPUQueryType: UInt32, Sendable {
    case occlusion = 1
    /// Needs `GPUFeatures.timestampQuery`.
    case timestamp = 2
}

/// A colour as four numbers, in the encoding of the target it is used with (linear for float and `SRGB` formats).
public struct GPUColor: Sendable, Equatable {
    public var red: Double
    public var green: Double
    public var blue: Double
    public var alpha: Double

    public init(_ red: Double, _ green: Double, _ blue: Double, _ alpha: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Transparent black.
    public static let clear = GPUColor(0, 0, 0, 0)
    public static let black = GPUColor(0, 0, 0, 1)
    public static let white = GPUColor(1, 1, 1, 1)
}
