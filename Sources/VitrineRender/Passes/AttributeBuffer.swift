import VitrineGPU

/// The G-buffer of deferred shading: per pixel, the interpolated attributes of the nearest surface and the number of its material (`deferredShader`).
///
/// A software GPU shades blocks of 4 × 2 pixels for each triangle. Where triangles are small, most of the shaded pixels are discarded; writing the
/// attributes of those blocks and shading each pixel once costs less. A hardware GPU shades blocks of 2 × 2 pixels, hides the latency of texture reads,
/// and pays for 32 to 48 bytes of memory traffic per pixel: it never shades this way.
enum AttributeBuffer {
    static let format = GPUTextureFormat.rgba32Uint
    /// Materials per frame: the number has the upper bits of an entry of `FrameBindings.visible`, the instance the lower ones.
    static let materialCount = 1 << (32 - instanceBits)
    static let instanceBits = 28
    static let instanceMask: UInt32 = 1 << instanceBits - 1
    static let textureCount = 3
    /// The largest image: 192 MiB of attributes.
    static let maxPixels = 1 << 22

    /// Whether a device gains by deferred shading.
    static func isUseful(on device: GPUDevice) -> Bool { device.adapter.info.kind == .software }

    static func layout(on device: GPUDevice) throws(GPUError) -> GPUBindGroupLayout {
        try device.makeBindGroupLayout("attributes", (0..<textureCount).map { .texture($0, .fragment, .unsignedInteger) })
    }

    /// The textures of a frame.
    struct Textures {
        let first, second: FrameGraph.Handle
        /// Position and plane; nil in frames that need neither.
        let third: FrameGraph.Handle?

        var all: [FrameGraph.Handle] { [first, second] + (third.map { [$0] } ?? []) }
    }

    /// Adds the pass that draws attributes and depth.
    ///
    /// - Parameters:
    ///   - inputs: The resources that the draws read.
    ///   - depth: Written by the pass.
    ///   - hasPosition: Whether the frame needs positions.
    ///   - draw: Records the draws; called with the render pass.
    static func addPass(
        to graph: inout FrameGraph, inputs: [FrameGraph.Handle], depth: FrameGraph.Handle, hasPosition: Bool, _ frame: FrameView,
        _ timer: GPUTimer?, draw: @escaping (borrowing GPURenderPass) throws(GPUError) -> Void
    ) -> Textures {
        let shape = TextureShape(width: frame.width, height: frame.height, format: format)
        let textures = Textures(
            first: graph.texture("attributes 1", shape), second: graph.texture("attributes 2", shape),
            third: hasPosition ? graph.texture("attributes 3", shape) : nil)
        graph.addPass("attributes", reads: inputs, writes: [depth] + textures.all) { encoder, views throws(GPUError) in
            // Not cleared: the shading reads only pixels with depth, which have new attributes.
            let colors = textures.all.map { GPUColorAttachment(views.view($0), load: .load) }
            let descriptor = GPURenderPassDescriptor(
                "attributes", colors: colors,
                depthStencil: GPUDepthStencilAttachment(views.view(depth), depthLoad: .clear(0), depthStore: .store),
                timestamps: timer?.span("attributes"))
            try encoder.renderPass(descriptor, draw)
        }
        return textures
    }

    static func bindGroup(
        _ device: GPUDevice, _ layout: GPUBindGroupLayout, _ textures: Textures, _ views: FrameGraph.Textures
    ) throws(GPUError) -> GPUBindGroup {
        try device.makeBindGroup(
            "attributes", layout: layout,
            [
                .texture(0, views.view(textures.first)), .texture(1, views.view(textures.second)),
                .texture(2, views.view(textures.third ?? textures.first)),
            ])
    }
}
