// The small enumerations of WebGPU. Their raw values are those of `webgpu.h`, so that conversions cost nothing; a test compares all of them.

/// The permitted uses of a buffer. Any other use is a validation error.
public struct GPUBufferUsage: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// `GPUBuffer.read` may map the buffer; combines only with `copyDestination`.
    public static let mapRead = GPUBufferUsage(rawValue: 0x1)
    /// The processor may map and write the buffer; combines only with `copySource`.
    public static let mapWrite = GPUBufferUsage(rawValue: 0x2)
    /// The buffer may be the source of copies; needed for `GPUBuffer.read` without `mapRead`.
    public static let copySource = GPUBufferUsage(rawValue: 0x4)
    /// The buffer may be the destination of `GPUQueue.write` and of copies.
    public static let copyDestination = GPUBufferUsage(rawValue: 0x8)
    /// The buffer is bound with `GPURenderPass.setIndexBuffer`.
    public static let index = GPUBufferUsage(rawValue: 0x10)
    /// The buffer is bound with `GPURenderPass.setVertexBuffer`.
    public static let vertex = GPUBufferUsage(rawValue: 0x20)
    /// The buffer is bound as `var<uniform>`.
    public static let uniform = GPUBufferUsage(rawValue: 0x40)
    /// The buffer is bound as `var<storage>`.
    public static let storage = GPUBufferUsage(rawValue: 0x80)
    /// The buffer may contain the arguments of indirect draws and dispatches.
    public static let indirect = GPUBufferUsage(rawValue: 0x100)
    /// The destination of `GPUCommandEncoder.resolve(_:...)`.
    public static let queryResolve = GPUBufferUsage(rawValue: 0x200)
}

/// The permitted uses of a texture.
public struct GPUTextureUsage: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The texture may be the source of `GPUTexture.read` and of copies.
    public static let copySource = GPUTextureUsage(rawValue: 0x1)
    /// The texture may be the destination of `GPUQueue.write` and of copies.
    public static let copyDestination = GPUTextureUsage(rawValue: 0x2)
    /// Shaders may sample the texture or load texels from it.
    public static let textureBinding = GPUTextureUsage(rawValue: 0x4)
    /// Shaders may store texels into the texture.
    public static let storageBinding = GPUTextureUsage(rawValue: 0x8)
    /// Render passes may draw into the texture.
    public static let renderAttachment = GPUTextureUsage(rawValue: 0x10)
}

/// The shader stages that can access a binding.
public struct GPUShaderStages: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Vertex shaders; storage bindings must be read-only here.
    public static let vertex = GPUShaderStages(rawValue: 0x1)
    /// Fragment shaders.
    public static let fragment = GPUShaderStages(rawValue: 0x2)
    /// Compute shaders.
    public static let compute = GPUShaderStages(rawValue: 0x4)
    /// Vertex and fragment shaders.
    public static let render: GPUShaderStages = [.vertex, .fragment]
}

/// The channels of a colour target that a pipeline writes.
public struct GPUColorWriteMask: OptionSet, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Writes the red channel.
    public static let red = GPUColorWriteMask(rawValue: 0x1)
    /// Writes the green channel.
    public static let green = GPUColorWriteMask(rawValue: 0x2)
    /// Writes the blue channel.
    public static let blue = GPUColorWriteMask(rawValue: 0x4)
    /// Writes the alpha channel.
    public static let alpha = GPUColorWriteMask(rawValue: 0x8)
    /// Writes all four channels; the default.
    public static let all: GPUColorWriteMask = [.red, .green, .blue, .alpha]
}

/// The dimension of a texture's storage. Cubes and arrays are two-dimensional textures with layers.
public enum GPUTextureDimension: UInt32, Sendable {
    /// One row of texels: no layers, one mip level, one sample.
    case oneDimensional = 1
    /// Images, image arrays and cubes; the default.
    case twoDimensional = 2
    /// A volume, which is filtered along its depth too.
    case threeDimensional = 3
}

/// The dimension with which a shader declares a texture view.
public enum GPUTextureViewDimension: UInt32, Sendable {
    /// A one-dimensional view: `texture_1d` in shaders.
    case oneDimensional = 1
    /// A view of one layer: `texture_2d` in shaders.
    case twoDimensional = 2
    /// A view of any number of layers: `texture_2d_array` in shaders.
    case twoDimensionalArray = 3
    /// A view of 6 layers as a cube: `texture_cube` in shaders. The faces have the order +x, −x, +y, −y, +z, −z.
    case cube = 4
    /// A view of a multiple of 6 layers as cubes: `texture_cube_array` in shaders.
    case cubeArray = 5
    /// A view of a volume: `texture_3d` in shaders.
    case threeDimensional = 6
}

/// The aspect of a depth-stencil texture.
package enum GPUTextureAspect: UInt32, Sendable {
    case all = 1
    case stencilOnly = 2
    case depthOnly = 3
}

/// The type of the values that a shader samples from a texture.
public enum GPUTextureSampleType: UInt32, Sendable {
    /// `f32`, and the sampler may filter.
    case float = 2
    /// `f32`, only with a non-filtering sampler or `textureLoad`.
    case unfilterableFloat = 3
    /// `texture_depth_2d` and similar: a depth format, read or compared as `f32`.
    case depth = 4
    /// `i32`; read with `textureLoad`.
    case signedInteger = 5
    /// `u32`; read with `textureLoad`.
    case unsignedInteger = 6
}

/// The access of a shader to a storage texture.
package enum GPUStorageTextureAccess: UInt32, Sendable {
    case writeOnly = 2
    case readOnly = 3
    case readWrite = 4
}

/// The kind of a sampler binding.
public enum GPUSamplerBindingType: UInt32, Sendable {
    /// `sampler` of any filter mode; not for `unfilterableFloat` textures.
    case filtering = 2
    /// `sampler` whose three filters are `nearest`.
    case nonFiltering = 3
    /// `sampler_comparison`, for shadow maps.
    case comparison = 4
}

/// The mode in which a sampler addresses coordinates outside 0...1.
public enum GPUAddressMode: UInt32, Sendable {
    /// Repeats the texel at the edge; the default.
    case clampToEdge = 1
    /// Repeats the texture.
    case `repeat` = 2
    /// Repeats the texture, mirrored every second time.
    case mirrorRepeat = 3
}

/// The mode in which a sampler selects or interpolates texels or mip levels.
public enum GPUFilterMode: UInt32, Sendable {
    /// Selects the nearest texel or mip level.
    case nearest = 1
    /// Interpolates linearly between texels or mip levels.
    case linear = 2
}

/// A comparison of a new value with the stored one.
public enum GPUCompareFunction: UInt32, Sendable {
    /// The comparison never passes.
    case never = 1
    /// Passes when new < stored.
    case less = 2
    /// Passes when new = stored.
    case equal = 3
    /// Passes when new ≤ stored.
    case lessEqual = 4
    /// Passes when new > stored.
    case greater = 5
    /// Passes when new ≠ stored.
    case notEqual = 6
    /// Passes when new ≥ stored.
    case greaterEqual = 7
    /// The comparison always passes.
    case always = 8
}

/// The kind of primitives that vertices form.
public enum GPUPrimitiveTopology: UInt32, Sendable {
    /// Each vertex is a point of one pixel.
    case pointList = 1
    /// Every two vertices are a line.
    case lineList = 2
    /// Each vertex after the first is joined to the one before it.
    case lineStrip = 3
    /// Every three vertices are a triangle; the default.
    case triangleList = 4
    /// Each vertex after the second makes a triangle with the two before it.
    case triangleStrip = 5
}

/// The width of an index.
public enum GPUIndexFormat: UInt32, Sendable {
    /// 16-bit unsigned; in strips, 0xFFFF starts a new primitive.
    case uint16 = 1
    /// 32-bit unsigned; in strips, 0xFFFFFFFF starts a new primitive.
    case uint32 = 2

    /// The number of bytes of one index.
    public var byteCount: Int { self == .uint16 ? 2 : 4 }
}

/// The winding order of triangles that face the viewer, in framebuffer coordinates.
public enum GPUFrontFace: UInt32, Sendable {
    /// Counterclockwise triangles face the viewer; the default.
    case counterClockwise = 1
    /// Clockwise triangles face the viewer.
    case clockwise = 2
}

/// The triangles that the rasterizer discards.
public enum GPUCullMode: UInt32, Sendable {
    /// Draws both sides; the default.
    case none = 1
    /// Discards triangles that face the viewer.
    case front = 2
    /// Discards triangles that face away from the viewer.
    case back = 3
}

/// The rate at which a vertex buffer advances to its next element.
public enum GPUVertexStepMode: UInt32, Sendable {
    /// The buffer advances after each vertex and starts again with each instance.
    case vertex = 1
    /// The buffer advances after each instance.
    case instance = 2
}

/// A factor of the blend equation.
public enum GPUBlendFactor: UInt32, Sendable {
    /// The factor 0.
    case zero = 1
    /// The factor 1.
    case one = 2
    /// The colour that the fragment shader returns.
    case source = 3
    /// The factor 1 − the colour that the fragment shader returns.
    case oneMinusSource = 4
    /// The alpha that the fragment shader returns.
    case sourceAlpha = 5
    /// The factor 1 − the alpha that the fragment shader returns.
    case oneMinusSourceAlpha = 6
    /// The colour in the target.
    case destination = 7
    /// The factor 1 − the colour in the target.
    case oneMinusDestination = 8
    /// The alpha in the target.
    case destinationAlpha = 9
    /// The factor 1 − the alpha in the target.
    case oneMinusDestinationAlpha = 10
    /// min(source alpha, 1 − destination alpha) for colour, 1 for alpha.
    case sourceAlphaSaturated = 11
    /// The value of `GPURenderPass.setBlendConstant`.
    case constant = 12
    /// The factor 1 − the value of `GPURenderPass.setBlendConstant`.
    case oneMinusConstant = 13
    /// The second output of the fragment shader; needs `GPUFeatures.dualSourceBlending`.
    case source1 = 14
    /// The factor 1 − the second output; needs `GPUFeatures.dualSourceBlending`.
    case oneMinusSource1 = 15
    /// The alpha of the second output; needs `GPUFeatures.dualSourceBlending`.
    case source1Alpha = 16
    /// The factor 1 − the alpha of the second output; needs `GPUFeatures.dualSourceBlending`.
    case oneMinusSource1Alpha = 17
}

/// The operation of the blend equation.
public enum GPUBlendOperation: UInt32, Sendable {
    /// The sum: source · factor + destination · factor.
    case add = 1
    /// The difference: source · factor − destination · factor.
    case subtract = 2
    /// destination · factor − source · factor.
    case reverseSubtract = 3
    /// min(source, destination); both factors must be `one`.
    case min = 4
    /// max(source, destination); both factors must be `one`.
    case max = 5
}

/// The change of a stencil value.
package enum GPUStencilOperation: UInt32, Sendable {
    case keep = 1
    case zero = 2
    case replace = 3
    case invert = 4
    case incrementClamp = 5
    case decrementClamp = 6
    case incrementWrap = 7
    case decrementWrap = 8
}

/// The kind of a query.
package enum GPUQueryType: UInt32, Sendable {
    case occlusion = 1
    /// The time at which a pass begins or ends, in nanoseconds. Needs `GPUFeatures.timestampQuery`.
    case timestamp = 2
}

/// A colour with four components, in the encoding of the target (linear for float and `SRGB` formats).
public struct GPUColor: Sendable, Equatable {
    /// The red channel, 0 to 1 in normalized formats; any number in float formats.
    public var red: Double
    /// The green channel, 0 to 1 in normalized formats; any number in float formats.
    public var green: Double
    /// The blue channel, 0 to 1 in normalized formats; any number in float formats.
    public var blue: Double
    /// The alpha channel, 0 (transparent) to 1 (opaque); whether the other channels are premultiplied depends on the target.
    public var alpha: Double

    /// Creates a colour; opaque by default.
    public init(_ red: Double, _ green: Double, _ blue: Double, _ alpha: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// Transparent black.
    public static let clear = GPUColor(0, 0, 0, 0)
    /// Opaque black.
    public static let black = GPUColor(0, 0, 0, 1)
    /// Opaque white.
    public static let white = GPUColor(1, 1, 1, 1)
}
