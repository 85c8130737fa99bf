import VitrineGPU
import VitrineMath
import VitrineScene

/// What a frame's passes draw into and how colours reach the target.
struct FramePlan {
    let target: GPUTextureView
    let toneMapping: ToneMapping
    /// Drawn as radiance first, then brought to the target by `ResolvePass`.
    let needsResolve: Bool
    /// Transmissive parts see a copy of what lies behind them: they are drawn in a pass of their own.
    let hasOpaqueScene: Bool
    /// What blurs near and far things; nil: nothing.
    let lens: Lens?
    let bloom: Bloom?
    /// Found before the scene is drawn; nil: not asked for, or nobody is lit by the environment.
    let screenOcclusion: ScreenOcclusion?
    let vignette: Vignette?
    /// As the target stores it, premultiplied; neither exposed nor tone mapped.
    let background: Vector4
    /// nil: no sky.
    private(set) var skyKey: PipelineKey?

    private let options: RenderOptions
    private let common: SurfaceFeatures
    let colorFormat: GPUTextureFormat

    init(
        _ scene: Scene, _ view: View, _ target: GPUTextureView, _ options: RenderOptions, _ lights: LightList, _ light: EnvironmentLight,
        _ visible: VisibleSet, shadows: SurfaceFeatures
    ) {
        self.target = target
        self.options = options
        let isRadiance = target.format.isFloat
        toneMapping = options.debugView == nil ? options.toneMapping : .none
        hasOpaqueScene = visible.hasTransmissive && options.debugView == nil
        let showsLight = options.debugView == nil
        (lens, bloom, vignette) = showsLight ? (view.camera.lens, options.bloom, options.vignette) : (nil, nil, nil)
        let isReadAgain = lens != nil || bloom != nil || vignette != nil
        needsResolve = hasOpaqueScene || isReadAgain || (visible.hasBlended && !isRadiance && showsLight)
        colorFormat = needsResolve ? .rgba16Float : target.format
        var common: SurfaceFeatures = []
        if light.isLit || lights.ambient != Vector3(repeating: 0) { common.insert(.environment) }
        if lights.count > 0 { common.insert(.punctualLights) }
        if lights.hasAreas { common.insert(.areaLights) }
        common.formUnion(shadows)
        if isRadiance || needsResolve { common.insert(.hdrOutput) }
        if colorFormat.holdsEncodedColor { common.insert(.encodedOutput) }
        self.common = common
        screenOcclusion = common.contains(.environment) ? options.screenOcclusion : nil
        var hasSky = false
        switch scene.environment.background {
        case .transparent: background = Vector4(repeating: 0)
        case .color(let color) where !options.omitsBackgroundColor: background = color.premultiplied(for: target.format)
        case .color: background = Vector4(repeating: 0)
        case .environment, .image:
            background = Vector4(repeating: 0)
            hasSky = light.hasSky && options.debugView == nil
        }
        if hasSky {
            let isSoft = scene.environment.backgroundBlur > 0 || scene.environment.ground != nil
            skyKey = PipelineKey(
                entry: .sky, features: isSoft ? common.union(.softSky) : common, toneMapping: toneMapping, debugView: nil,
                format: colorFormat,
                sampleCount: options.sampleCount)
        }
    }

    /// Depth and intermediate colours in the right shape, kept where they fit.
    func makeTargets(_ device: GPUDevice, _ targets: inout FrameTargets?) throws(GPUError) {
        let usesTarget = options.sampleCount == 1 && !needsResolve
        let shape = FrameTargets.Shape(
            width: target.texture.width, height: target.texture.height, sampleCount: options.sampleCount,
            colorFormat: usesTarget ? nil : colorFormat, hasOpaqueScene: hasOpaqueScene, hasReadableDepth: lens != nil)
        if targets?.shape != shape { targets = try FrameTargets(device, shape) }
    }

    /// The pass that draws the scene, or its opaque half where there are two.
    func passDescriptor(_ targets: FrameTargets, _ timestamps: GPUPassTimestamps?) -> GPURenderPassDescriptor {
        // A picture that is resolved later is put over its background then.
        let clear = needsResolve ? Vector4(repeating: 0) : background
        let color = GPUColor(Double(clear.x), Double(clear.y), Double(clear.z), Double(clear.w))
        let isDirect = targets.color == nil
        let attachment = GPUColorAttachment(
            targets.color ?? target, load: .clear(color), store: isDirect || needsResolve ? .store : .discard,
            resolveTarget: isDirect || needsResolve ? nil : target)
        return GPURenderPassDescriptor(
            "scene", colors: [attachment],
            depthStencil: GPUDepthStencilAttachment(
                targets.depth, depthLoad: .clear(0), depthStore: hasOpaqueScene || lens != nil ? .store : .discard), timestamps: timestamps)
    }

    /// The second half, over the first: what is seen through.
    func secondPassDescriptor(_ targets: FrameTargets, _ timestamps: GPUPassTimestamps?) -> GPURenderPassDescriptor {
        GPURenderPassDescriptor(
            "scene, seen through", colors: [GPUColorAttachment(targets.color ?? target, load: .load)],
            depthStencil: GPUDepthStencilAttachment(targets.depth, depthLoad: .load, depthStore: lens != nil ? .store : .discard),
            timestamps: timestamps)
    }

    /// What draws normals and depth before the scene; nil: the part is not opaque.
    func geometryKey(_ key: PipelineKey, _ layer: VisibleSet.Layer) -> PipelineKey? {
        guard screenOcclusion != nil, layer == .opaque else { return nil }
        var own = key
        own.entry = key.entry == .surface ? .geometry : .maskedGeometry
        own.features.formIntersection([.vertexNormals, .vertexTangents, .vertexColor, .doubleSided, .uvTransforms, .secondUV])
        (own.toneMapping, own.debugView, own.normalSamples) = (.none, nil, 1)
        (own.format, own.sampleCount) = (OcclusionPass.normalFormat, 1)
        return own
    }

    func key(
        _ material: Material, _ plan: GPUMaterial, _ geometry: GPUGeometry, _ streams: VertexStreams, isBlended: Bool
    ) -> PipelineKey {
        var features = plan.features.union(common)
        if geometry.hasNormals { features.insert(.vertexNormals) }
        if geometry.hasTangents { features.insert(.vertexTangents) }
        if geometry.colors != nil { features.insert(.vertexColor) }
        if geometry.occlusion != nil { features.insert(.vertexOcclusion) }
        if plan.program.key.lobes.contains(.constant) { features.insert(.unlit) }
        // Points and lines without normals can't be lit.
        if !geometry.hasNormals && geometry.primitive != .triangles { features.insert(.unlit) }
        // A bake knows more.
        if screenOcclusion != nil, geometry.occlusion == nil { features.insert(.screenOcclusion) }
        if features.contains(.unlit) { features.subtract([.environment, .punctualLights, .vertexOcclusion, .screenOcclusion]) }
        if isBlended { features.insert(.blended) } else { features.remove(.blended) }
        var entry = PipelineKey.Entry.surface
        if case .mask = material.alphaMode { entry = options.sampleCount > 1 ? .maskedCoverage : .masked }
        return PipelineKey(
            entry: entry, program: plan.program.number, features: features, toneMapping: toneMapping, debugView: options.debugView,
            normalSamples: options.normalSamples,
            format: colorFormat, sampleCount: options.sampleCount, primitive: geometry.primitive, streams: streams,
            isDoubleSided: material.isDoubleSided)
    }
}

extension GPUGeometry {
    /// Which of the streams that this material reads are there.
    func streams(for material: GPUMaterial) -> VertexStreams {
        var streams: VertexStreams = []
        if textureCoordinates[material.uvSets.0] != nil { streams.insert(.firstUV) }
        if let second = material.uvSets.1, textureCoordinates[second] != nil { streams.insert(.secondUV) }
        if colors != nil { streams.insert(.color) }
        if occlusion != nil { streams.insert(.occlusion) }
        return streams
    }
}

extension Color {
    /// Times alpha, as pictures of this format hold it: sRGB-encoded where they are shown as they are.
    func premultiplied(for format: GPUTextureFormat) -> Vector4 {
        guard format.holdsEncodedColor else { return premultiplied }
        return Vector4(sRGBFromLinear(linear.x), sRGBFromLinear(linear.y), sRGBFromLinear(linear.z), 1) * linear.w
    }
}
