/// The description of a render pipeline to create. The defaults draw triangle lists without depth into single-sampled targets and cull nothing.
public struct GPURenderPipelineDescriptor {
    /// Names the pipeline in errors.
    public var label: String
    /// Read off the shaders when nil; its bind groups then fit this pipeline alone.
    public var layout: GPUPipelineLayout?
    /// The entry point marked `@vertex`.
    public var vertex: GPUShaderStage
    /// Slot 0 first.
    public var vertexBuffers: [GPUVertexBufferLayout]
    /// nil draws depth only.
    public var fragment: GPUShaderStage?
    /// `@location(0)` first.
    public var targets: [GPUColorTarget]
    /// Triangle lists by default.
    public var topology: GPUPrimitiveTopology
    /// The index format of strips drawn with indices, nil otherwise.
    public var stripIndexFormat: GPUIndexFormat?
    /// Counterclockwise by default.
    public var frontFace: GPUFrontFace
    /// `none` by default.
    public var cullMode: GPUCullMode
    /// Disables clipping at the near and far planes; needs `GPUFeatures.depthClipControl`.
    public var isDepthUnclipped: Bool
    package var polygonMode: GPUPolygonMode = .fill
    /// nil in passes without a depth-stencil attachment; otherwise its format must equal that of the attachment.
    public var depthStencil: GPUDepthStencilState?
    /// 1 or 4; equal to that of the attachments.
    public var sampleCount: Int
    /// Bit i enables sample i; all by default.
    public var sampleMask: UInt32
    /// Turns alpha of the first target into coverage of samples.
    public var alphaToCoverage: Bool

    /// Describes a pipeline; the targets and the depth format must equal those of the passes that it draws in.
    public init(
        _ label: String, layout: GPUPipelineLayout? = nil, vertex: GPUShaderStage, vertexBuffers: [GPUVertexBufferLayout] = [],
        fragment: GPUShaderStage? = nil, targets: [GPUColorTarget] = [], topology: GPUPrimitiveTopology = .triangleList,
        stripIndexFormat: GPUIndexFormat? = nil, frontFace: GPUFrontFace = .counterClockwise, cullMode: GPUCullMode = .none,
        isDepthUnclipped: Bool = false, depthStencil: GPUDepthStencilState? = nil,
        sampleCount: Int = 1, sampleMask: UInt32 = .max, alphaToCoverage: Bool = false
    ) {
        self.label = label
        self.layout = layout
        self.vertex = vertex
        self.vertexBuffers = vertexBuffers
        self.fragment = fragment
        self.targets = targets
        self.topology = topology
        self.stripIndexFormat = stripIndexFormat
        self.frontFace = frontFace
        self.cullMode = cullMode
        self.isDepthUnclipped = isDepthUnclipped
        self.depthStencil = depthStencil
        self.sampleCount = sampleCount
        self.sampleMask = sampleMask
        self.alphaToCoverage = alphaToCoverage
    }
}

/// How the inside of a triangle is drawn.
package enum GPUPolygonMode: UInt32, Sendable {
    case fill = 0
    /// Its edges; needs `GPUFeatures.polygonModeLine`, not in browsers.
    case line = 1
}

/// The attributes in one vertex buffer.
public struct GPUVertexBufferLayout: Sendable {
    /// Bytes from one element to the next.
    public var stride: Int
    /// Each vertex by default.
    public var stepMode: GPUVertexStepMode
    /// The attributes read from this buffer, in any order.
    public var attributes: [GPUVertexAttribute]

    /// Describes a buffer of interleaved attributes.
    public init(stride: Int, stepMode: GPUVertexStepMode = .vertex, _ attributes: [GPUVertexAttribute]) {
        self.stride = stride
        self.stepMode = stepMode
        self.attributes = attributes
    }

    /// A buffer with one attribute, tightly packed.
    public init(_ format: GPUVertexFormat, location: Int, stepMode: GPUVertexStepMode = .vertex) {
        self.init(stride: format.byteCount, stepMode: stepMode, [GPUVertexAttribute(format, location: location)])
    }
}

/// One `@location` of the vertex shader.
public struct GPUVertexAttribute: Sendable {
    /// The stored format; its numeric type must fit that of the shader's input.
    public var format: GPUVertexFormat
    /// Bytes from the start of the element.
    public var offset: Int
    /// The number in `@location` of the shader.
    public var location: Int

    /// Describes one attribute.
    public init(_ format: GPUVertexFormat, offset: Int = 0, location: Int) {
        self.format = format
        self.offset = offset
        self.location = location
    }
}

/// One `@location` of the fragment shader's output.
public struct GPUColorTarget: Sendable {
    /// The format of the attachment.
    public var format: GPUTextureFormat
    /// nil: replaces the target's contents.
    public var blend: GPUBlendState?
    /// All channels by default.
    public var writeMask: GPUColorWriteMask

    /// Describes a target that is overwritten by default.
    public init(_ format: GPUTextureFormat, blend: GPUBlendState? = nil, writeMask: GPUColorWriteMask = .all) {
        self.format = format
        self.blend = blend
        self.writeMask = writeMask
    }
}

/// source · sourceFactor (operation) destination · destinationFactor.
public struct GPUBlendComponent: Sendable, Equatable {
    /// The factor of the value that the fragment shader returns.
    public var source: GPUBlendFactor
    /// Combines both products.
    public var operation: GPUBlendOperation
    /// The factor of the value in the target.
    public var destination: GPUBlendFactor

    /// Creates an equation from its three parts, in reading order.
    public init(_ source: GPUBlendFactor, _ operation: GPUBlendOperation, _ destination: GPUBlendFactor) {
        self.source = source
        self.operation = operation
        self.destination = destination
    }
}

/// The blend equations of colour and alpha.
public struct GPUBlendState: Sendable, Equatable {
    /// The equation of red, green and blue.
    public var color: GPUBlendComponent
    /// The equation of alpha.
    public var alpha: GPUBlendComponent

    /// Creates a state from two equations.
    public init(color: GPUBlendComponent, alpha: GPUBlendComponent) {
        self.color = color
        self.alpha = alpha
    }

    /// Over, with premultiplied alpha.
    public static let premultiplied = GPUBlendState(
        color: .init(.one, .add, .oneMinusSourceAlpha), alpha: .init(.one, .add, .oneMinusSourceAlpha))
    /// Over, with straight alpha in the source.
    public static let straight = GPUBlendState(
        color: .init(.sourceAlpha, .add, .oneMinusSourceAlpha), alpha: .init(.one, .add, .oneMinusSourceAlpha))
    /// The sum.
    public static let additive = GPUBlendState(color: .init(.one, .add, .one), alpha: .init(.one, .add, .one))
}

/// The depth and stencil tests.
public struct GPUDepthStencilState: Sendable {
    /// The format of the attachment.
    public var format: GPUTextureFormat
    /// Whether fragments that pass replace the stored depth; true by default.
    public var depthWrite: Bool
    /// `less` by default: nearer fragments pass.
    public var depthCompare: GPUCompareFunction
    package var stencilFront: GPUStencilFace
    package var stencilBack: GPUStencilFace
    package var stencilReadMask: UInt32
    package var stencilWriteMask: UInt32
    /// Added to depth in units of the smallest step of the format; only for triangles.
    public var depthBias: Int
    /// Added to depth, multiplied by the triangle's largest depth slope.
    public var depthBiasSlopeScale: Float
    /// The largest absolute bias; 0 for no bound.
    public var depthBiasClamp: Float

    /// Creates a depth test without a stencil test; by default nearer fragments replace farther ones.
    public init(
        _ format: GPUTextureFormat, depthWrite: Bool = true, depthCompare: GPUCompareFunction = .less, depthBias: Int = 0,
        depthBiasSlopeScale: Float = 0, depthBiasClamp: Float = 0
    ) {
        self.init(
            format, depthWrite: depthWrite, depthCompare: depthCompare, stencilFront: .ignored, depthBias: depthBias,
            depthBiasSlopeScale: depthBiasSlopeScale, depthBiasClamp: depthBiasClamp)
    }

    /// Creates a depth test and a stencil test.
    package init(
        _ format: GPUTextureFormat, depthWrite: Bool = true, depthCompare: GPUCompareFunction = .less,
        stencilFront: GPUStencilFace, stencilBack: GPUStencilFace = .ignored, stencilReadMask: UInt32 = .max,
        stencilWriteMask: UInt32 = .max, depthBias: Int = 0, depthBiasSlopeScale: Float = 0, depthBiasClamp: Float = 0
    ) {
        self.format = format
        self.depthWrite = depthWrite
        self.depthCompare = depthCompare
        self.stencilFront = stencilFront
        self.stencilBack = stencilBack
        self.stencilReadMask = stencilReadMask
        self.stencilWriteMask = stencilWriteMask
        self.depthBias = depthBias
        self.depthBiasSlopeScale = depthBiasSlopeScale
        self.depthBiasClamp = depthBiasClamp
    }
}

/// The stencil test for one side of triangles.
package struct GPUStencilFace: Sendable, Equatable {
    package var compare: GPUCompareFunction
    /// When the stencil test fails.
    package var fail: GPUStencilOperation
    /// When the stencil test passes and the depth test fails.
    package var depthFail: GPUStencilOperation
    /// When both pass.
    package var pass: GPUStencilOperation

    package init(
        compare: GPUCompareFunction = .always, fail: GPUStencilOperation = .keep, depthFail: GPUStencilOperation = .keep,
        pass: GPUStencilOperation = .keep
    ) {
        self.compare = compare
        self.fail = fail
        self.depthFail = depthFail
        self.pass = pass
    }

    /// Always passes, changes nothing.
    package static let ignored = GPUStencilFace()
}
