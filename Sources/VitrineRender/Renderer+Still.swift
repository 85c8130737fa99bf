import VitrineGPU
import VitrineMath
import VitrineScene

extension Renderer {
    /// Draws a still picture: the mean of several frames, each with its sample elsewhere in the pixel and sharper textures.
    ///
    /// What a single frame can only blur (fine normal maps, mirrors, far textures) comes out as a path tracer shows it. The frames are
    /// averaged in linear radiance and tone mapped once. Costs `samples` frames without MSAA; nothing of it suits a moving picture.
    ///
    /// Through a lens (`Camera.lens`) each frame is seen from another point of the aperture, so that what a blurred edge in front
    /// half hides is seen; between those points each frame is blurred a little. 64 samples and more suit large discs.
    ///
    /// - Parameters:
    ///   - samples: 1…256 frames; 1 is `render` with `options` as they are, and so is every debug view.
    ///   - options: `sampleCount`, `subpixelOffset` and `mipBias` are chosen here.
    ///   - onFrame: Called when the GPU has finished a frame, with the number of finished ones: for progress. An error that it throws ends the
    ///     work; `RenderError.cancelled` is for that. nil: frames are drawn without waiting for each.
    /// - Returns: The statistics of the last frame.
    @discardableResult
    public func renderStill(
        _ scene: Scene, from view: View, to target: OffscreenTarget, samples: Int = 16, options: RenderOptions = RenderOptions(),
        onFrame: ((_ finished: Int) throws(RenderError) -> Void)? = nil
    ) throws(RenderError) -> FrameStatistics {
        guard (1...256).contains(samples) else { throw .invalidOption(name: "samples", reason: "is \(samples), not 1…256") }
        guard samples > 1, options.debugView == nil else { return try render(scene, from: view, to: target.view, options: options) }
        try options.validate()
        try view.validate()
        let textures = try attempting("making room for a still picture") { () throws(GPUError) in try StillTextures(device, target) }
        // A radiance target with nothing to be put on takes the last sum itself.
        let needsFinish = target.content == .display || options.bloom != nil || options.vignette != nil
        var statistics = FrameStatistics()
        for (index, frame) in stillFrames(view, target, samples: samples, options).enumerated() {
            statistics = try render(scene, from: frame.view, to: textures.frame, options: frame.options)
            let isLast = index == samples - 1
            try attempting("adding up a still picture") { () throws(GPUError) in
                let encoder = try device.makeCommandEncoder("still")
                let sum = textures.sums[index % 2]
                let next = isLast && !needsFinish ? target.view : textures.sums[(index + 1) % 2]
                try accumulation.draw(textures.frame, share: 1 / Float(samples), onto: sum, to: next, encoder)
                if isLast, needsFinish { try finish(next, target, scene, options, encoder) }
                device.queue.submit(try encoder.finish())
            }
            if let onFrame {
                // Frames are drawn while the next ones are encoded: without waiting all would seem finished at once.
                try attempting("drawing a still") { () throws(GPUError) in try device.waitUntilIdle() }
                try onFrame(index + 1)
            }
        }
        return statistics
    }

    /// From where and how each frame of a still is drawn.
    private func stillFrames(
        _ view: View, _ target: OffscreenTarget, samples: Int, _ options: RenderOptions
    ) -> [(view: View, options: RenderOptions)] {
        var frameOptions = options
        frameOptions.sampleCount = 1
        frameOptions.mipBias = max(-2, -0.5 * log2(Float(samples)))
        // Every frame sees other normals anyway.
        frameOptions.normalSamples = 1
        frameOptions.omitsBackgroundColor = target.content == .display
        // Both are sums over the picture: once, of the mean, is the same.
        (frameOptions.bloom, frameOptions.vignette) = (nil, nil)
        let lensPoints = LensSampling.points(count: samples)
        return PixelFilter.offsets(count: samples).enumerated().map { index, offset in
            var frameView = view
            frameOptions.subpixelOffset = offset
            frameOptions.lightSample = LightSample(index: index, count: samples)
            if view.camera.lens != nil {
                let shift: Vector2
                (frameView, shift) = LensSampling.view(
                    view, through: lensPoints[index], width: target.width, height: target.height, count: samples)
                frameOptions.subpixelOffset += shift
            }
            return (frameView, frameOptions)
        }
    }

    private func finish(
        _ sum: GPUTextureView, _ target: OffscreenTarget, _ scene: Scene, _ options: RenderOptions,
        _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        var finish = ResolvePass.Finish(toneMapping: options.toneMapping, bloom: options.bloom, vignette: options.vignette)
        // In frames of radiance the background colour is there already.
        if target.content == .display, case .color(let color) = scene.environment.background {
            finish.background = color.premultiplied(for: target.view.texture.format)
        }
        try resolve.draw(sum, to: target.view, finish, timestamps: nil, encoder)
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
