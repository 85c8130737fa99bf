import VitrineGPU

/// Group 0: what all draws of a frame share.
///
/// **`opaqueScene`** is for materials that let light through. In a frame that shows a transmissive part it holds, while transmissive and
/// blended parts are drawn, what the opaque parts look like: radiance times exposure, premultiplied, half floats, as large as
/// the picture, with all mip levels; alpha is 0 where nothing was drawn. Read it through `opaqueSceneAt(uv, level)` (`FrameShader`), which
/// takes the exposure off. In other frames one black, transparent texel is bound.
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
    /// Where shadow maps are, the atlas that holds them, and the sampler that compares with it (`ShadowPass`).
    static let shadows = opaqueSceneSampler + 1
    static let shadowAtlas = shadows + 1
    static let shadowSampler = shadowAtlas + 1
    /// `AreaLightTable`.
    static let areaLights = shadowSampler + 1
    /// What `OcclusionPass` found.
    static let screenOcclusion = areaLights + 1

    static func layout(on device: GPUDevice) throws(GPUError) -> GPUBindGroupLayout {
        let own: [GPUBindGroupLayoutEntry] = [
            .uniformBuffer(uniforms, .render), .storageBuffer(instances, .render), .storageBuffer(visible, .render),
            .storageBuffer(lights, .fragment), .storageBuffer(clusters, .fragment), .storageBuffer(lightIndices, .fragment),
            .texture(opaqueScene, .fragment), .sampler(opaqueSceneSampler, .fragment),
            .storageBuffer(shadows, .fragment), .texture(shadowAtlas, .fragment, .depth), .sampler(shadowSampler, .fragment, .comparison),
            .uniformBuffer(areaLights, .fragment, minSize: AreaLightTable.byteCount),
            .texture(screenOcclusion, .fragment),
        ]
        return try device.makeBindGroupLayout("frame", own + EnvironmentShader.layoutEntries(firstBinding: environment))
    }
}
