import VitrineGPU

/// The bindings of group 0, which all draws of a frame share.
///
/// **`opaqueScene`** is for transmissive materials. In a frame with a transmissive part it contains, while transmissive and
/// blended parts are drawn, the opaque parts: radiance times exposure, premultiplied, half floats, of the size of
/// the frame, with all mip levels; alpha is 0 where nothing was drawn. Read it through `opaqueSceneAt(uv, level)` (`FrameShader`), which
/// divides by the exposure. In other frames one black, transparent texel is bound.
enum FrameBindings {
    static let uniforms = 0
    static let instances = 1
    static let visible = 2
    static let lights = 3
    static let clusters = 4
    static let lightIndices = 5
    /// The first of `EnvironmentShader`'s.
    static let environment = 6
    static let opaqueScene = environment + EnvironmentShader.bindingCount
    /// Linear between texels and levels, clamped at the edges.
    static let opaqueSceneSampler = opaqueScene + 1
    /// Shadow maps, their atlas, and its comparison sampler (`ShadowPass`).
    static let shadows = opaqueSceneSampler + 1
    static let shadowAtlas = shadows + 1
    static let shadowSampler = shadowAtlas + 1
    /// The binding of the `AreaLightTable`.
    static let areaLights = shadowSampler + 1
    /// The result of `OcclusionPass`.
    static let screenOcclusion = areaLights + 1
    /// The first lights and the first shadow maps once more, as uniforms: software GPUs read storage buffers one number and one pixel at a time.
    static let mainLights = screenOcclusion + 1
    static let mainMaps = mainLights + 1
    /// The `VolumeTexture` of the irradiance volume.
    static let irradianceVolume = mainMaps + 1
    /// The directions of the environment's shadows in the frames of a still (`EnvironmentShadowUniforms`).
    static let environmentShadows = irradianceVolume + 1
    /// The number of lights and of shadow maps in uniforms.
    static let mainLightCount = 64
    static let mainMapCount = 64

    static let environmentShadowsSize =
        EnvironmentShadowUniforms.byteCount + EnvironmentShadowUniforms.maximumCount * EnvironmentShadowMapUniforms.byteCount

    static func layout(on device: GPUDevice) throws(GPUError) -> GPUBindGroupLayout {
        let own: [GPUBindGroupLayoutEntry] = [
            .uniformBuffer(uniforms, .render), .storageBuffer(instances, .render), .storageBuffer(visible, .render),
            .storageBuffer(lights, .fragment), .storageBuffer(clusters, .fragment), .storageBuffer(lightIndices, .fragment),
            .texture(opaqueScene, .fragment), .sampler(opaqueSceneSampler, .fragment),
            .storageBuffer(shadows, .fragment), .texture(shadowAtlas, .fragment, .depth), .sampler(shadowSampler, .fragment, .comparison),
            .uniformBuffer(areaLights, .fragment, minSize: AreaLightTable.byteCount),
            .texture(screenOcclusion, .fragment),
            .uniformBuffer(mainLights, .fragment, minSize: mainLightCount * LightUniforms.byteCount),
            .uniformBuffer(mainMaps, .fragment, minSize: mainMapCount * ShadowMapUniforms.byteCount),
            .texture(irradianceVolume, .fragment, dimension: .threeDimensional),
            .uniformBuffer(environmentShadows, .fragment, minSize: environmentShadowsSize),
        ]
        return try device.makeBindGroupLayout("frame", own + EnvironmentShader.layoutEntries(firstBinding: environment))
    }
}
