import VitrineGPU
import VitrineMath
import VitrineScene

extension Renderer {
    /// Draws a still picture: the mean of several frames, each with its sample elsewhere in the pixel and sharper textures.
    ///
    /// What a single frame can only blur (fine normal maps, mirrors, far textures) comes out as a path tracer shows it. The frames are
    /// averaged in linear radiance and tone mapped once. Costs `samples` frames without MSAA; nothing of it suits a moving picture.
    ///
    /// - Parameters:
    ///   - samples: 1…256 frames; 1 is `render` with `options` as they are, and so is every debug view.
    ///   - options: `sampleCount`, `subpixelOffset` and `mipBias` are chosen here.
    /// - Returns: The statistics of the last frame.
    @discardableResult
    public func renderStill(
        _ scene: Scene, from view: View, to target: OffscreenTarget, samples: Int = 16, options: RenderOptions = RenderOptions()
    ) throws(RenderError) -> FrameStatistics {
        guard (1...256).contains(samples) else { throw .invalidOption(name: "samples", reason: "is \(samples), not 1…256") }
        guard samples > 1, options.debugView == nil else { return try render(scene, from: view, to: target.view, options: options) }
        var frameOptions = options
        frameOptions.sampleCount = 1
        frameOptions.mipBias = max(-2, -0.5 * log2(Float(samples)))
        // Every frame sees other normals anyway.
        frameOptions.normalSamples = 1
        frameOptions.omitsBackgroundColor = target.content == .display
        let textures = try attempting("making room for a still picture") { () throws(GPUError) in try StillTextures(device, target) }
        var statistics = FrameStatistics()
        for (index, offset) in PixelFilter.offsets(count: samples).enumerated() {
            frameOptions.subpixelOffset = offset
            statistics = try render(scene, from: view, to: textures.frame, options: frameOptions)
            let isLast = index == samples - 1
            try attempting("adding up a still picture") { () throws(GPUError) in
                let encoder = try device.makeCommandEncoder("still")
                let sum = textures.sums[index % 2]
                let next = isLast && target.content == .radiance ? target.view : textures.sums[(index + 1) % 2]
                try accumulation.draw(textures.frame, share: 1 / Float(samples), onto: sum, to: next, encoder)
                if isLast, target.content == .display { try finish(next, target, scene, options, encoder) }
                device.queue.submit(try encoder.finish())
            }
        }
        return statistics
    }

    private func finish(
        _ sum: GPUTextureView, _ target: OffscreenTarget, _ scene: Scene, _ options: RenderOptions,
        _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        var background = Vector4(repeating: 0)
        if case .color(let color) = scene.environment.background { background = color.premultiplied(for: target.view.texture.format) }
        try resolve.draw(sum, to: target.view, background: background, toneMapping: options.toneMapping, timestamps: nil, encoder)
    }
}

/// What the frames of a still picture are drawn into and added up in.
private struct StillTextures {
    let frame: GPUTextureView
    /// Taken in turn: one is read while the other is written. New textures are black.
    let sums: [GPUTextureView]

    init(_ device: GPUDevice, _ target: OffscreenTarget) throws(GPUError) {
        func texture(_ label: String, _ format: GPUTextureFormat) throws(GPUError) -> GPUTextureView {
            let size = GPUExtent(target.width, target.height)
            return try device.makeTexture(
                GPUTextureDescriptor(label, size: size, format: format, usage: [.renderAttachment, .textureBinding])
            )
            .makeView()
        }
        frame = try texture("still frame", .rgba16Float)
        sums = [try texture("still sum", .rgba32Float), try texture("still sum", .rgba32Float)]
    }
}
