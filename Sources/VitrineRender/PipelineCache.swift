import VitrineGPU

/// Everything that a pipeline is compiled for.
struct PipelineKey: Hashable {
    enum Entry: Hashable {
        case surface, masked, maskedCoverage, sky
        /// Normals and depth, before the scene.
        case geometry, maskedGeometry
        /// Into a shadow map: where alpha reaches the cutoff, or as much as there is alpha.
        case casterCutOut, casterThinned
    }

    var entry: Entry
    /// The number of the surface's program; 0 for the sky.
    var program = 0
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
    private let frame: GPUBindGroupLayout
    /// The sky's, compiled when one is first seen.
    private var sky: Code?
    private var pipelines: [PipelineKey: GPURenderPipeline] = [:]

    /// Set: pipelines of surfaces that are missing are noted here instead of being compiled, and what needs them is not drawn.
    var missing: [ShaderWork]?

    private struct Code {
        let module: GPUShaderModule
        let layout: GPUPipelineLayout
    }

    init(_ device: GPUDevice, frame: GPUBindGroupLayout) { (self.device, self.frame) = (device, frame) }

    func pipeline(_ key: PipelineKey, _ program: SurfaceProgram) throws(RenderError) -> GPURenderPipeline {
        try pipeline(key) { () throws(GPUError) in Code(module: program.module, layout: program.pipelineLayout) }
    }

    /// A pipeline that draws into shadow maps.
    ///
    /// - Parameter casters: the layout of group 0.
    func casterPipeline(_ key: PipelineKey, _ program: SurfaceProgram, casters: GPUBindGroupLayout) throws(RenderError) -> GPURenderPipeline
    {
        if let known = pipelines[key] { return known }
        let made = try attempting("compiling a shadow's shader") { () throws(GPUError) in
            let layout = try device.makePipelineLayout("shadow caster", [casters, program.layout])
            var caster = descriptor(key, Code(module: program.module, layout: layout))
            caster.vertex = GPUShaderStage(program.module, "castCutOut", constants: caster.vertex.constants)
            caster.targets = []
            caster.cullMode = .none
            caster.depthStencil = ShadowPass.depth
            return try device.makeRenderPipeline(caster)
        }
        pipelines[key] = made
        return made
    }

    /// nil where missing pipelines are noted, and this one is.
    func pipelineIfReady(_ key: PipelineKey, _ program: SurfaceProgram) throws(RenderError) -> GPURenderPipeline? {
        guard missing != nil, pipelines[key] == nil else { return try pipeline(key, program) }
        let code = Code(module: program.module, layout: program.pipelineLayout)
        missing?.append(ShaderWork(device: device, task: .pipeline(key, descriptor(key, code))))
        return nil
    }

    /// Takes a pipeline that was compiled elsewhere.
    func take(_ key: PipelineKey, _ pipeline: GPURenderPipeline) { pipelines[key] = pipeline }

    func sky(_ key: PipelineKey) throws(RenderError) -> GPURenderPipeline {
        try pipeline(key) { () throws(GPUError) in
            if let sky { return sky }
            let made = Code(
                module: try device.makeShader("sky.wgsl", wgsl: SurfaceSource.sky), layout: try device.makePipelineLayout("sky", [frame]))
            sky = made
            return made
        }
    }

    private func pipeline(_ key: PipelineKey, _ code: () throws(GPUError) -> Code) throws(RenderError) -> GPURenderPipeline {
        if let known = pipelines[key] { return known }
        let made = try attempting("compiling a surface's shader") { () throws(GPUError) in
            try device.makeRenderPipeline(descriptor(key, try code()))
        }
        pipelines[key] = made
        return made
    }

    private func descriptor(_ key: PipelineKey, _ code: Code) -> GPURenderPipelineDescriptor {
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
            case .geometry: "drawGeometry"
            case .maskedGeometry: "drawMaskedGeometry"
            case .casterCutOut: "cutOut"
            case .casterThinned: "thinOut"
            }
        let isBlended = key.features.contains(.blended)
        let isSky = key.entry == .sky
        // Depth is reversed: greater is nearer, and the sky lies at 0 where nothing was drawn.
        let depth = GPUDepthStencilState(
            FrameTargets.depthFormat, depthWrite: !isBlended && !isSky, depthCompare: isSky ? .equal : .greater)
        let cull: GPUCullMode = key.isDoubleSided || isSky || key.primitive != .triangles ? .none : .back
        return GPURenderPipelineDescriptor(
            isSky ? "sky" : "surface", layout: code.layout,
            vertex: GPUShaderStage(code.module, isSky ? "coverPicture" : "transformVertex", constants: isSky ? [] : constants),
            vertexBuffers: isSky ? [] : VertexLayout.buffers(key.streams),
            fragment: GPUShaderStage(code.module, fragment, constants: constants),
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
