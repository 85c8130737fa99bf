/// The description of a render pipeline to create. By default it draws triangle lists without depth into single-sampled targets, without culling.
public struct GPURenderPipelineDescriptor {
    /// The name of the pipeline in errors.
    public var label: String
    /// The pipeline layout. If nil, it is derived from the shaders; bind groups with its layouts are then valid only for this pipeline.
    public var layout: GPUPipelineLayout?
    /// The vertex shader: an entry point with `@vertex`.
    public var vertex: GPUShaderStage
    /// The vertex buffers, slot 0 first.
    public var vertexBuffers: [GPUVertexBufferLayout]
    /// The fragment shader; nil draws depth only.
    public var fragment: GPUShaderStage?
    /// The colour targets, `@location(0)` first.
    public var targets: [GPUColorTarget]
    /// The kind of primitives that vertices form. Default: triangle lists.
    public var topology: GPUPrimitiveTopology
    /// The index format of strips drawn with indices; otherwise nil.
    public var stripIndexFormat: GPUIndexFormat?
    /// The winding order of front faces; counterclockwise by default.
    public var frontFace: GPUFrontFace
    /// The faces to discard; `none` by default.
    public var cullMode: GPUCullMode
    /// Disables clipping at the near and far planes; needs `GPUFeatures.depthClipControl`.
    public var isDepthUnclipped: Bool
    package var polygonMode: GPUPolygonMode = .fill
    /// The depth and stencil tests; nil for passes without a depth-stencil attachment. Its format must equal that of the attachment.
    public var depthStencil: GPUDepthStencilState?
    /// The number of samples, 1 or 4; it must equal that of the attachments.
    public var sampleCount: Int
    /// The enabled samples: bit i enables sample i. All by default.
    public var sampleMask: UInt32
    /// Whether the alpha of the first target determines the coverage of samples.
    public var alphaToCoverage: Bool

    /// Creates a description; the target formats and the depth format must equal those of the passes in which the pipeline draws.
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

/// The mode in which the rasterizer fills a triangle.
package enum GPUPolygonMode: UInt32, Sendable {
    case fill = 0
    /// Draws only the edges; needs `GPUFeatures.polygonModeLine`, not in browsers.
    case line = 1
}

/// The attributes in one vertex buffer.
public struct GPUVertexBufferLayout: Sendable {
    /// The distance between elements in bytes.
    public var stride: Int
    /// The rate at which the buffer advances to its next element. Default: after each vertex.
    public var stepMode: GPUVertexStepMode
    /// The attributes in this buffer, in any order.
    public var attributes: [GPUVertexAttribute]

    /// Creates a layout of interleaved attributes.
    public init(stride: Int, stepMode: GPUVertexStepMode = .vertex, _ attributes: [GPUVertexAttribute]) {
        self.stride = stride
        self.stepMode = stepMode
        self.attributes = attributes
    }

    /// Creates a layout with one attribute, tightly packed.
    public init(_ format: GPUVertexFormat, location: Int, stepMode: GPUVertexStepMode = .vertex) {
        self.init(stride: format.byteCount, stepMode: stepMode, [GPUVertexAttribute(format, location: location)])
    }
}

/// An attribute of a vertex: one `@location` input of the vertex shader.
public struct GPUVertexAttribute: Sendable {
    /// The format in the buffer; its numeric type must match that of the shader's input.
    public var format: GPUVertexFormat
    /// The offset from the start of the element in bytes.
    public var offset: Int
    /// The number in `@location` of the shader's input.
    public var location: Int

    /// Creates an attribute.
    public init(_ format: GPUVertexFormat, offset: Int = 0, location: Int) {
        self.format = format
        self.offset = offset
        self.location = location
    }
}

/// A colour output of a pipeline: an `@location` output of the fragment shader.
public struct GPUColorTarget: Sendable {
    /// The format of the attachment.
    public var format: GPUTextureFormat
    /// The blend state; nil replaces the target's contents.
    public var blend: GPUBlendState?
    /// The channels that the pipeline writes; all by default.
    public var writeMask: GPUColorWriteMask

    /// Creates a target; by default it is overwritten without blending.
    public init(_ format: GPUTextureFormat, blend: GPUBlendState? = nil, writeMask: GPUColorWriteMask = .all) {
        self.format = format
        self.blend = blend
        self.writeMask = writeMask
    }
}

/// A blend equation: source · sourceFactor (operation) destination · destinationFactor.
public struct GPUBlendComponent: Sendable, Equatable {
    /// The factor of the fragment shader's output.
    public var source: GPUBlendFactor
    /// The operation that combines both products.
    public var operation: GPUBlendOperation
    /// The factor of the value in the target.
    public var destination: GPUBlendFactor

    /// Creates an equation from its three parts.
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

    /// Source over destination, with premultiplied alpha.
    public static let premultiplied = GPUBlendState(
        color: .init(.one, .add, .oneMinusSourceAlpha), alpha: .init(.one, .add, .oneMinusSourceAlpha))
    /// Source over destination, with straight alpha in the source.
    public static let straight = GPUBlendState(
        color: .init(.sourceAlpha, .add, .oneMinusSourceAlpha), alpha: .init(.one, .add, .oneMinusSourceAlpha))
    /// Source plus destination.
    public static let additive = GPUBlendState(color: .init(.one, .add, .one), alpha: .init(.one, .add, .one))
}

/// The depth and stencil tests of a pipeline.
public struct GPUDepthStencilState: Sendable {
    /// The format of the attachment.
    public var format: GPUTextureFormat
    /// Whether fragments that pass replace the stored depth; true by default.
    public var depthWrite: Bool
    /// The comparison of a fragment's depth with the stored depth; `less` by default, so nearer fragments pass.
    public var depthCompare: GPUCompareFunction
    package var stencilFront: GPUStencilFace
    package var stencilBack: GPUStencilFace
    package var stencilReadMask: UInt32
    package var stencilWriteMask: UInt32
    /// A constant depth offset in units of the smallest step of the format; only for triangles.
    public var depthBias: Int
    /// The factor of the triangle's largest depth slope, which is added to depth.
    public var depthBiasSlopeScale: Float
    /// The largest absolute bias; 0 for no limit.
    public var depthBiasClamp: Float

    /// Creates a depth test without a stencil test; by default, nearer fragments replace farther ones.
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

/// The stencil test of one side of triangles.
package struct GPUStencilFace: Sendable, Equatable {
    package var compare: GPUCompareFunction
    /// The operation if the stencil test fails.
    package var fail: GPUStencilOperation
    /// The operation if the stencil test passes and the depth test fails.
    package var depthFail: GPUStencilOperation
    /// The operation if both tests pass.
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

    /// Always passes and changes nothing.
    package static let ignored = GPUStencilFace()
}
