import VitrineGPU

/// Group 0 of the pipelines that draw shadow maps: some of the frame's bindings, and two of their own.
enum CasterBindings {
    static let instances = FrameBindings.instances
    /// The light's view: one matrix per map, by dynamic offset.
    static let clipFromWorld = 40
    /// Instances by draw, as the frame's `visible`.
    static let visible = 41
    /// Bytes from one map's matrix to the next: an offset that every device supports.
    static let matrixStride = 256

    static func layout(on device: GPUDevice) throws(GPUError) -> GPUBindGroupLayout {
        try device.makeBindGroupLayout(
            "shadow casters",
            [
                .uniformBuffer(FrameBindings.uniforms, .render), .storageBuffer(instances, .render),
                .uniformBuffer(clipFromWorld, .vertex, hasDynamicOffset: true, minSize: 64), .storageBuffer(visible, .vertex),
            ])
    }
}
