import VitrineGPU
import VitrineMath
import VitrineScene

/// The frames whose mean is a still image: each has its sample elsewhere in the pixel, on the lens and on the lights.
struct StillFrames {
    let frames: [(view: View, options: RenderOptions)]

    /// Plans the frames of a still.
    ///
    /// - Parameters:
    ///   - samples: Number of frames, at least 2.
    init(_ view: View, _ target: OffscreenTarget, samples: Int, _ options: RenderOptions) {
        var frameOptions = options
        frameOptions.sampleCount = 1
        frameOptions.mipBias = max(-2, -0.5 * log2(Float(samples)))
        // Every frame samples other normals anyway.
        frameOptions.normalSamples = 1
        frameOptions.omitsBackgroundColor = target.content == .display
        // Both are linear in the image: once, on the mean, is the same.
        (frameOptions.bloom, frameOptions.vignette) = (nil, nil)
        let lensPoints = LensSampling.points(count: samples)
        frames = PixelFilter.offsets(count: samples).enumerated().map { index, offset in
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
}

/// The textures in which the frames of a still image are drawn and summed.
struct StillTextures {
    let frame: GPUTextureView
    /// The sums of the frames, used in turn: one is read while the other is written. New textures are black.
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
