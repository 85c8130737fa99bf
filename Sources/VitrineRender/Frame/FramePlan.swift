import VitrineGPU
import VitrineMath
import VitrineScene

/// Formats of the textures within a frame.
enum FrameFormat {
    static let depth = GPUTextureFormat.depth32Float
    static let radiance = GPUTextureFormat.rgba16Float
}

/// The passes of a frame, their compilation constants, and the path of colours to the target.
struct FramePlan {
    let toneMapping: ToneMapping
    /// The scene is drawn as radiance, which `ResolvePass` brings to the target.
    let needsResolve: Bool
    /// Transmissive parts sample a copy of the opaque ones: they are drawn in a pass of their own.
    let hasTransmission: Bool
    /// The lens; nil if everything is in focus.
    let lens: Lens?
    let bloom: Bloom?
    /// The screen-space occlusion; nil if it is not requested, or no surface uses environment lighting.
    let screenOcclusion: ScreenOcclusion?
    let vignette: Vignette?
    /// The background colour as the target stores it, premultiplied; neither exposed nor tone mapped.
    let background: Vector4
    /// The key of the sky's pipeline; nil without a sky.
    private(set) var skyKey: PipelineKey?
    /// The format of the texture that the scene is drawn into.
    let colorFormat: GPUTextureFormat

    /// Whether opaque parts may be shaded from an `AttributeBuffer`; screen-space occlusion needs another pass before.
    let allowsDeferredShading: Bool
    /// Whether lights, shadows or an irradiance volume need positions in the `AttributeBuffer`.
    let attributesHavePosition: Bool

    private let options: RenderOptions
    private let common: SurfaceFeatures

    /// Decides which passes a frame needs.
    ///
    /// - Parameters:
    ///   - shadows: The shader features that the frame's shadow maps need.
    ///   - hasOccluder: Whether depth of real objects is drawn before the scene.
    ///   - hasVolume: Whether the scene has an irradiance volume.
    init(
        _ frame: FrameView, _ environment: Environment, _ light: EnvironmentLight, _ lights: LightList, _ visible: VisibleSet,
        shadows: SurfaceFeatures, hasOccluder: Bool, hasVolume: Bool
    ) {
        let (options, target) = (frame.options, frame.target)
        self.options = options
        let isRadiance = target.format.isFloat
        toneMapping = options.debugView == nil ? options.toneMapping : .none
        hasTransmission = visible.hasTransmissive && options.debugView == nil
        let showsLight = options.debugView == nil
        (lens, bloom, vignette) = showsLight ? (frame.view.camera.lens, options.bloom, options.vignette) : (nil, nil, nil)
        let isReadAgain = lens != nil || bloom != nil || vignette != nil
        needsResolve = hasTransmission || isReadAgain || (visible.hasBlended && !isRadiance && showsLight)
        colorFormat = needsResolve ? FrameFormat.radiance : target.format
        var common: SurfaceFeatures = []
        let hasAmbientLight = lights.ambient != Vector3(repeating: 0)
        if light.isLit || hasAmbientLight || hasVolume { common.insert(.environment) }
        if hasVolume { common.insert(.irradianceVolume) }
        if hasAmbientLight { common.insert(.ambient) }
        if lights.count > 0 { common.insert(.punctualLights) }
        if lights.count > FrameBindings.mainLightCount { common.insert(.manyLights) }
        if lights.hasAreaLights { common.insert(.areaLights) }
        common.formUnion(shadows)
        if isRadiance || needsResolve { common.insert(.hdrOutput) }
        if colorFormat.holdsEncodedColor { common.insert(.encodedOutput) }
        self.common = common
        screenOcclusion = common.contains(.environment) ? options.screenOcclusion : nil
        allowsDeferredShading =
            showsLight && options.sampleCount == 1 && options.normalSamples == 1 && screenOcclusion == nil && !hasOccluder
            && frame.width * frame.height <= AttributeBuffer.maxPixels
        attributesHavePosition = lights.count > 0 || hasVolume || shadows.contains(.environmentShadows)
        var hasSky = false
        switch environment.background {
        case .transparent: background = Vector4(repeating: 0)
        case .color(let color) where !options.omitsBackgroundColor: background = color.premultiplied(for: target.format)
        case .color: background = Vector4(repeating: 0)
        case .environment, .image:
            background = Vector4(repeating: 0)
            hasSky = light.hasSky && options.debugView == nil
        }
        if hasSky {
            let isSoft = environment.backgroundBlur > 0 || environment.ground != nil
            skyKey = PipelineKey(
                entry: .sky, features: isSoft ? common.union(.softSky) : common, toneMapping: toneMapping, debugView: nil,
                format: colorFormat, sampleCount: options.sampleCount)
        }
    }

    /// Whether the scene is drawn straight into the target.
    var drawsIntoTarget: Bool { options.sampleCount == 1 && !needsResolve }

    /// Bloom, vignette and tone mapping.
    var finish: ResolvePass.Finish {
        ResolvePass.Finish(background: background, toneMapping: toneMapping, bloom: bloom, vignette: vignette)
    }

    /// The pipeline that draws normals and depth before the scene; nil for parts that are not opaque.
    func geometryKey(_ key: PipelineKey, _ layer: VisibleSet.Layer) -> PipelineKey? {
        guard screenOcclusion != nil, layer == .opaque else { return nil }
        var own = key
        own.entry = key.entry == .surface ? .geometry : .maskedGeometry
        own.features.formIntersection([.vertexNormals, .vertexTangents, .vertexColor, .doubleSided, .uvTransforms, .secondUV])
        (own.toneMapping, own.debugView, own.normalSamples) = (.none, nil, 1)
        (own.format, own.sampleCount) = (OcclusionPass.normalFormat, 1)
        return own
    }

    /// The pipelines that fill and shade an `AttributeBuffer` instead of drawing a part with `key`; nil if that is not possible.
    func deferredKeys(
        _ key: PipelineKey, _ material: GPUMaterial, _ layer: VisibleSet.Layer
    ) -> (attributes: PipelineKey, shading: PipelineKey)? {
        guard allowsDeferredShading, material.program.isDeferred, layer == .opaque, key.entry == .surface, key.primitive == .triangles,
            key.features.contains(.vertexNormals), key.features.isDisjoint(with: [.vertexColor, .secondUV, .unlit]),
            key.features.contains(.vertexTangents) || !material.program.key.usesTangents
        else { return nil }
        var (attributes, shading) = (key, key)
        attributes.entry = .attributes
        attributes.features.formIntersection([.vertexNormals, .vertexTangents, .vertexOcclusion, .doubleSided])
        if attributesHavePosition { attributes.features.insert(.attributePosition) }
        (attributes.toneMapping, attributes.format) = (.none, AttributeBuffer.format)
        shading.entry = .deferred
        shading.features.insert(.deferred)
        if material.hasEqualMaps { shading.features.insert(.equalMaps) }
        if attributesHavePosition { shading.features.insert(.attributePosition) }
        // The attributes are those of the visible side.
        shading.features.remove(.doubleSided)
        (shading.streams, shading.isDoubleSided, shading.isMirrored) = ([], false, false)
        return (attributes, shading)
    }

    /// The pipeline that draws a part of the scene.
    func key(_ material: Material, _ plan: GPUMaterial, _ geometry: GPUGeometry, isBlended: Bool) -> PipelineKey {
        var features = plan.features.union(common)
        if geometry.hasNormals { features.insert(.vertexNormals) }
        if geometry.hasTangents { features.insert(.vertexTangents) }
        if geometry.colors != nil { features.insert(.vertexColor) }
        if geometry.occlusion != nil { features.insert(.vertexOcclusion) }
        if plan.program.key.lobes.contains(.constant) { features.insert(.unlit) }
        // Points and lines without normals cannot be lit.
        if !geometry.hasNormals && geometry.primitive != .triangles { features.insert(.unlit) }
        // Baked occlusion includes occluders outside of the image.
        if screenOcclusion != nil, geometry.occlusion == nil { features.insert(.screenOcclusion) }
        if features.contains(.unlit) {
            features.subtract([
                .environment, .environmentShadows, .irradianceVolume, .ambient, .punctualLights, .vertexOcclusion, .screenOcclusion,
            ])
        }
        if isBlended { features.insert(.blended) } else { features.remove(.blended) }
        var entry = PipelineKey.Entry.surface
        if case .mask = material.alphaMode { entry = options.sampleCount > 1 ? .maskedCoverage : .masked }
        return PipelineKey(
            entry: entry, program: plan.program.number, features: features, toneMapping: toneMapping, debugView: options.debugView,
            normalSamples: options.normalSamples, format: colorFormat, sampleCount: options.sampleCount, primitive: geometry.primitive,
            streams: geometry.streams(for: plan), isDoubleSided: material.isDoubleSided)
    }
}

extension GPUGeometry {
    /// The vertex streams that the material reads and the geometry has.
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
    /// Premultiplied as targets of this format store it: sRGB-encoded in formats that are shown unchanged.
    func premultiplied(for format: GPUTextureFormat) -> Vector4 {
        guard format.holdsEncodedColor else { return premultiplied }
        return Vector4(sRGBFromLinear(linear.x), sRGBFromLinear(linear.y), sRGBFromLinear(linear.z), 1) * linear.w
    }
}
