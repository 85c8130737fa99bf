import VitrineGPU

/// Identifies a pipeline.
enum PipelineName: Hashable {
    case scene(PipelineKey)
    /// Opaque shadow casters.
    case caster
    case materialDepth
    case cover(CoverKey)
    /// Depth of real objects; colour targets of this format stay unchanged.
    case occluder(format: GPUTextureFormat, sampleCount: Int)
}

/// Everything that a scene pipeline is compiled for.
struct PipelineKey: Hashable {
    enum Entry: Hashable {
        case surface, masked, maskedCoverage, sky
        /// Fills an `AttributeBuffer`, and shades it.
        case attributes, deferred
        /// Normals and depth, before the scene.
        case geometry, maskedGeometry
        /// The material's pipeline for shadow maps, which discards fragments below the alpha cutoff or dithers them by alpha.
        case casterCutOut, casterDithered
        /// A shadow receiver's pipeline that draws its shadow over its own x and y.
        case receivedShadow
    }

    var entry: Entry
    /// `SurfaceProgram.number`; 0 for the sky.
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
    /// Whether the transform mirrors, which reverses the winding.
    var isMirrored = false
}

/// Pipelines by name, compiled on first use unless another thread has compiled them before.
final class PipelineCache {
    private let device: GPUDevice
    private let frame, attributes: GPUBindGroupLayout
    private var pipelines: [PipelineName: GPURenderPipeline] = [:]
    /// The number of pipelines that were compiled on first use, while a frame waited.
    private(set) var compiledInPlace = 0

    /// The list in which missing pipelines are recorded, if it is not nil, instead of being compiled, and draws that need them are skipped.
    private var missing: [ShaderWork]?
    var recordsMissing: Bool { missing != nil }

    fileprivate struct Code {
        let module: GPUShaderModule
        let layout: GPUPipelineLayout
    }

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - frame: The layout of group 0.
    ///   - attributes: The layout of group 2, for deferred shading.
    init(_ device: GPUDevice, frame: GPUBindGroupLayout, attributes: GPUBindGroupLayout) {
        (self.device, self.frame, self.attributes) = (device, frame, attributes)
    }

    subscript(_ name: PipelineName) -> GPURenderPipeline? { pipelines[name] }

    /// Returns the pipeline; nil if it is missing and missing pipelines are only recorded.
    ///
    /// - Parameter make: Runs on any thread, now or later: it must capture only constants.
    func pipeline(
        _ name: PipelineName, _ make: @escaping () throws(GPUError) -> GPURenderPipeline
    ) throws(GPUError) -> GPURenderPipeline? {
        if let known = pipelines[name] { return known }
        guard missing == nil else {
            missing?.append(ShaderWork(task: .pipeline(name, make)))
            return nil
        }
        let made = try make()
        compiledInPlace += 1
        pipelines[name] = made
        return made
    }

    /// Runs `body` without compiling, and returns the work for each missing pipeline once.
    func recordingMissing(_ body: () throws(RenderError) -> Void) throws(RenderError) -> [ShaderWork] {
        missing = []
        defer { missing = nil }
        try body()
        var seen: Set<PipelineName> = []
        return (missing ?? []).filter { work in
            guard case .pipeline(let name, _) = work.task else { return false }
            return seen.insert(name).inserted
        }
    }

    /// Adds a pipeline that was compiled elsewhere, unless it was compiled here meanwhile.
    func take(_ name: PipelineName, _ pipeline: GPURenderPipeline) { if pipelines[name] == nil { pipelines[name] = pipeline } }
}

// MARK: Scenes

extension PipelineCache {
    /// nil as `pipeline` is.
    func surface(_ key: PipelineKey, _ program: SurfaceProgram) throws(RenderError) -> GPURenderPipeline? {
        if let known = self[.scene(key)] { return known }
        let (device, code) = (device, Code(module: program.module, layout: program.pipelineLayout))
        return try attempting("compiling a surface's shader") { () throws(GPUError) in
            try pipeline(.scene(key)) { () throws(GPUError) in try device.makeRenderPipeline(Self.descriptor(key, code)) }
        }
    }

    /// The pipeline that shades an `AttributeBuffer`; nil as `pipeline` is.
    func deferred(_ key: PipelineKey, _ program: SurfaceProgram) throws(RenderError) -> GPURenderPipeline? {
        if let known = self[.scene(key)] { return known }
        let (device, module, groups) = (device, program.module, [frame, program.layout, attributes])
        return try attempting("compiling a surface's shader") { () throws(GPUError) in
            try pipeline(.scene(key)) { () throws(GPUError) in
                let layout = try device.makePipelineLayout("deferred", groups)
                var shading = Self.descriptor(key, Code(module: module, layout: layout))
                shading.vertex = GPUShaderStage(module, "coverAttributes", constants: shading.vertex.constants)
                (shading.vertexBuffers, shading.cullMode) = ([], .none)
                // The scene's depth is not 0 where a surface was drawn; a `MaterialDepth` has the number of the material.
                shading.depthStencil = GPUDepthStencilState(
                    FrameFormat.depth, depthWrite: false, depthCompare: key.features.contains(.severalMaterials) ? .equal : .less)
                return try device.makeRenderPipeline(shading)
            }
        }
    }

    /// The pipeline that draws casters with holes into shadow maps; nil as `pipeline` is.
    ///
    /// - Parameter casters: The layout of group 0.
    func caster(_ key: PipelineKey, _ program: SurfaceProgram, casters: GPUBindGroupLayout) throws(RenderError) -> GPURenderPipeline? {
        if let known = self[.scene(key)] { return known }
        let (device, module, surface) = (device, program.module, program.layout)
        return try attempting("compiling a shadow's shader") { () throws(GPUError) in
            try pipeline(.scene(key)) { () throws(GPUError) in
                let layout = try device.makePipelineLayout("shadow caster", [casters, surface])
                var caster = Self.descriptor(key, Code(module: module, layout: layout))
                caster.vertex = GPUShaderStage(module, "castCutOut", constants: caster.vertex.constants)
                caster.targets = []
                caster.cullMode = .none
                caster.depthStencil = ShadowPass.depth
                return try device.makeRenderPipeline(caster)
            }
        }
    }

    /// The pipeline that draws a `ReceivedShadow`; nil as `pipeline` is.
    func receivedShadow(_ key: PipelineKey, _ program: SurfaceProgram) throws(RenderError) -> GPURenderPipeline? {
        var own = key
        own.entry = .receivedShadow
        (own.format, own.sampleCount) = (.r8Unorm, 1)
        if let known = self[.scene(own)] { return known }
        let (device, key, code) = (device, own, Code(module: program.module, layout: program.pipelineLayout))
        return try attempting("compiling a shadow's shader") { () throws(GPUError) in
            try pipeline(.scene(key)) { () throws(GPUError) in
                var spread = Self.descriptor(key, code)
                spread.vertex = GPUShaderStage(code.module, "spreadReceiver", constants: spread.vertex.constants)
                spread.targets = [GPUColorTarget(key.format)]
                (spread.cullMode, spread.depthStencil) = (.none, nil)
                return try device.makeRenderPipeline(spread)
            }
        }
    }

    /// nil as `pipeline` is.
    func sky(_ key: PipelineKey) throws(RenderError) -> GPURenderPipeline? {
        if let known = self[.scene(key)] { return known }
        let (device, frame) = (device, frame)
        return try attempting("compiling the sky's shader") { () throws(GPUError) in
            try pipeline(.scene(key)) { () throws(GPUError) in
                let module = try device.makeShader("sky.wgsl", wgsl: SurfaceSource.sky)
                let code = Code(module: module, layout: try device.makePipelineLayout("sky", [frame]))
                return try device.makeRenderPipeline(Self.descriptor(key, code))
            }
        }
    }

    private static func descriptor(_ key: PipelineKey, _ code: Code) -> GPURenderPipelineDescriptor {
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
            case .attributes: "writeAttributes"
            case .deferred: "shadeAttributes"
            case .geometry: "drawGeometry"
            case .maskedGeometry: "drawMaskedGeometry"
            case .casterCutOut: "cutOut"
            case .casterDithered: "dither"
            case .receivedShadow: "catchShadow"
            }
        let isBlended = key.features.contains(.blended)
        let isSky = key.entry == .sky
        // Depth is reversed: greater is nearer, and the sky has depth 0, where nothing was drawn.
        let depth = GPUDepthStencilState(
            FrameFormat.depth, depthWrite: !isBlended && !isSky, depthCompare: isSky ? .equal : .greater)
        let cull: GPUCullMode = key.isDoubleSided || isSky || key.primitive != .triangles ? .none : .back
        var vertex = isSky ? "coverImage" : "transformVertex"
        var targets = [GPUColorTarget(key.format, blend: isBlended ? .premultiplied : nil)]
        if key.entry == .attributes {
            vertex = "transformNumbered"
            let count = key.features.contains(.attributePosition) ? 3 : 2
            targets = [GPUColorTarget](repeating: GPUColorTarget(key.format), count: count)
        }
        return GPURenderPipelineDescriptor(
            isSky ? "sky" : "surface", layout: code.layout,
            vertex: GPUShaderStage(code.module, vertex, constants: isSky ? [] : constants),
            vertexBuffers: isSky ? [] : VertexLayout.buffers(key.streams),
            fragment: GPUShaderStage(code.module, fragment, constants: constants),
            targets: targets, topology: key.primitive.topology,
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
