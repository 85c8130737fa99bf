import VitrineGPU

/// Group 0: what all draws of a frame share.
enum FrameBindings {
    static let uniforms = 0
    static let instances = 1
    static let visible = 2
    static let lights = 3
    static let clusters = 4
    static let lightIndices = 5
    /// The first of `EnvironmentShader`'s.
    static let environment = 6

    static func layout(on device: GPUDevice) throws(GPUError) -> GPUBindGroupLayout {
        let own: [GPUBindGroupLayoutEntry] = [
            .uniformBuffer(uniforms, .render), .storageBuffer(instances, .render), .storageBuffer(visible, .render),
            .storageBuffer(lights, .fragment), .storageBuffer(clusters, .fragment), .storageBuffer(lightIndices, .fragment),
        ]
        return try device.makeBindGroupLayout("frame", own + EnvironmentShader.layoutEntries(firstBinding: environment))
    }
}
