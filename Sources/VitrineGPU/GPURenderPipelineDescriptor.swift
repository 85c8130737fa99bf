/// What a render pipeline is to be. The defaults draw triangle lists without depth into single-sampled targets and cull nothing.
public struct GPURenderPipelineDescriptor {
    /// Names the pipeline in errors.
    public var label: String
    /// Read off the shaders when nil; its bind groups then fit this pipeline alone.
    public var layout: GPUPipelineLayout?
    public var vertex: GPUShaderStage
    /// Slot 0 first.
    public var vertexBuffers: [GPUVertexBufferLayout]
    /// nil draws depth only.
    public var fragment: GPUShaderStage?
    /// `@location(0)` first.
    public var targets: [GPUColorTarget]
    public var topology: GPUPrimitiveTopology
    /// The index format of strips drawn with indices, nil otherwise.
    public var stripIndexFormat: GPUIndexFormat?
    public var frontFace: GPUFrontFace
    public var cullMode: GPUCullMode
    /// Disables clipping at the near and far planes; needs `GPUFeatures.depthClipControl`.
    public var isDepthUnclipped: Bool
    public var polygonMode: GPUPolygonMode
    public var depthStencil: GPUDepthStencilState?
    /// 1 or 4; equal to that of the attachments.
    public var sampleCount: Int
    public var sampleMask: UInt32
    /// Turns alpha of the first target into coverage of samples.
    public var alphaToCoverage: Bool

    public init(
        _ label: String, layout: GPUPipelineLayout? = nil, vertex: GPUShaderStage, vertexBuffers: [GPUVertexBufferLayout] = [],
        fragment: GPUShaderStage? = nil, targets: [GPUColorTarget] = [], topology: GPUPrimitiveTopology = .triangleList,
        stripIndexFormat: GPUIndexFormat? = nil, frontFace: GPUFrontFace = .counterClockwise, cullMode: GPUCullMode = .none,
        isDepthUnclipped: Bool = false, polygonMode: GPUPolygonMode = .fill, depthStencil: GPUDepthStencilState? = nil,
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
        self.polygonMode = polygonMode
        self.depthStencil = depthStencil
        self.sampleCount = sampleCount
        self.sampleMask = sampleMask
        self.alphaToCoverage = alphaToCoverage
    }
}

/// How the inside of a triangle is drawn.
public enum GPUPolygonMode: UInt32, Sendable {
    case fill = 0
    /// Its edges; needs `GPUFeatures.polygonModeLine`, not in browsers.
    case line = 1
}

/// The attributes in one vertex buffer.
public struct GPUVertexBufferLayout: Sendable {
    /// Bytes from one element to the next.
    public var stride: Int
    public var stepMode: GPUVertexStepMode
    public var attributes: [GPUVertexAttribute]

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
    public var format: GPUVertexFormat
    /// Bytes from the start of the element.
    public var offset: Int
    public var location: Int

    public init(_ format: GPUVertexFormat, offset: Int = 0, location: Int) {
        self.format = format
        self.offset = offset
        self.location = location
    }
}

/// One `@location` of the fragment shader's output.
public struct GPUColorTarget: Sendable {
    public var format: GPUTextureFormat
    /// nil: replaces the target's contents.
    public var blend: GPUBlendState?
    public var writeMask: GPUColorWriteMask

    public init(_ format: GPUTextureFormat, blend: GPUBlendState? = nil, writeMask: GPUColorWriteMask = .all) {
        self.format = format
        self.blend = blend
        self.writeMask = writeMask
    }
}

/// source · sourceFactor (operation) destination · destinationFactor.
public struct GPUBlendComponent: Sendable, Equatable {
    public var source: GPUBlendFactor
    public var operation: GPUBlendOperation
    public var destination: GPUBlendFactor

    public init(_ source: GPUBlendFactor, _ operation: GPUBlendOperation, _ destination: GPUBlendFactor) {
        self.source = source
        self.operation = operation
        self.destination = destination
    }
}

/// The blend equations of colour and alpha.
public struct GPUBlendState: Sendable, Equatable {
    public var color: GPUBlendComponent
    public var alpha: GPUBlendComponent

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
    public var format: GPUTextureFormat
    public var depthWrite: Bool
    public var depthCompare: GPUCompareFunction
    public var stencilFront: GPUStencilFace
    public var stencilBack: GPUStencilFace
    public var stencilReadMask: UInt32
    public var stencilWriteMask: UInt32
    /// Added to depth in units of the smallest step of the format; only for triangles.
    public var depthBias: Int
    public var depthBiasSlopeScale: Float
    public var depthBiasClamp: Float

    public init(
        _ format: GPUTextureFormat, depthWrite: Bool = true, depthCompare: GPUCompareFunction = .less,
        stencilFront: GPUStencilFace = .ignored, stencilBack: GPUStencilFace = .ignored, stencilReadMask: UInt32 = .max,
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
public struct GPUStencilFace: Sendable, Equatable {
    public var compare: GPUCompareFunction
    /// When the stencil test fails.
    public var fail: GPUStencilOperation
    /// When the stencil test passes and the depth test fails.
    public var depthFail: GPUStencilOperation
    /// When both pass.
    public var pass: GPUStencilOperation

    public init(
        compare: GPUCompareFunction = .always, fail: GPUStencilOperation = .keep, depthFail: GPUStencilOperation = .keep,
        pass: GPUStencilOperation = .keep
    ) {
        self.compare = compare
        self.fail = fail
        self.depthFail = depthFail
        self.pass = pass
    }

    /// Always passes, changes nothing.
    public static let ignored = GPUStencilFace()
}
