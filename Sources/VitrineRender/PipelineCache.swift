import VitrineGPU

/// Everything that a pipeline is compiled for.
struct PipelineKey: Hashable {
    enum Entry: Hashable { case surface, masked, maskedCoverage, sky }

    var entry: Entry
    var features: SurfaceFeatures
    var toneMapping: ToneMapping
    var debugView: DebugView?
    var normalSamples = 1
    var format: GPUTextureFormat
    var sampleCount: Int
    var primitive = GPUGeometry.Primitive.triangles
    var streams: VertexStreams = []
    var isDoubleSided = false
    /// The transform mirrors: what was counter-clockwise isn't any more.
    var isMirrored = false
}

/// Pipelines by key, compiled when first asked for.
final class PipelineCache {
    private let device: GPUDevice
    private let module: GPUShaderModule
    private let layout: GPUPipelineLayout
    private var pipelines: [PipelineKey: GPURenderPipeline] = [:]

    init(_ device: GPUDevice, frame: GPUBindGroupLayout, material: GPUBindGroupLayout) throws(GPUError) {
        self.device = device
        module = try device.makeShader("surface.wgsl", wgsl: surfaceCode)
        layout = try device.makePipelineLayout("surface", [frame, material])
    }

    func pipeline(_ key: PipelineKey) throws(RenderError) -> GPURenderPipeline {
        if let known = pipelines[key] { return known }
        let made = try attempting("compiling a surface's shader") { () throws(GPUError) in try device.makeRenderPipeline(descriptor(key)) }
        pipelines[key] = made
        return made
    }

    private func descriptor(_ key: PipelineKey) -> GPURenderPipelineDescriptor {
        let constants = [
            GPUConstant("FEATURES", Double(key.features.rawValue)), GPUConstant("TONE_MAPPING", Double(key.toneMapping.rawValue)),
            GPUConstant("DEBUG_VIEW", Double(key.debugView?.rawValue ?? 0)), GPUConstant("TRIANGLES", key.primitive == .triangles),
            GPUConstant("NORMAL_SAMPLES", Double(key.normalSamples)),
        ]
        let fragment =
            switch key.entry {
            case .surface: "drawSurface"
            case .masked: "drawMasked"
            case .maskedCoverage: "drawMaskedCoverage"
            case .sky: "drawSky"
            }
        let isBlended = key.features.contains(.blended)
        let isSky = key.entry == .sky
        // Depth is reversed: greater is nearer, and the sky lies at 0 where nothing was drawn.
        let depth = GPUDepthStencilState(
            FrameTargets.depthFormat, depthWrite: !isBlended && !isSky, depthCompare: isSky ? .equal : .greater)
        let cull: GPUCullMode = key.isDoubleSided || isSky || key.primitive != .triangles ? .none : .back
        return GPURenderPipelineDescriptor(
            isSky ? "sky" : "surface", layout: layout,
            vertex: GPUShaderStage(module, isSky ? "coverPicture" : "transformVertex", constants: isSky ? [] : constants),
            vertexBuffers: isSky ? [] : VertexLayout.buffers(key.streams), fragment: GPUShaderStage(module, fragment, constants: constants),
            targets: [GPUColorTarget(key.format, blend: isBlended ? .premultiplied : nil)], topology: key.primitive.topology,
            frontFace: key.isMirrored ? .clockwise : .counterClockwise, cullMode: cull, depthStencil: depth,
            sampleCount: key.sampleCount)
    }
}

extension GPUGeometry.Primitive {
    var topology: GPUPrimitiveTopology {
        switch self {
        case .points: .pointList
        case .lines: .lineList
        case .triangles: .triangleList
        }
    }
}
