import VitrineGPU
import VitrineMath
import VitrineScene

/// Depth of field in one frame: every pixel gathers what its neighbours' discs cover of it.
///
/// Discs of what is in front of the focus lie over the rest; what is behind it shows no more widely than the pixel itself is blurred, so
/// that neither a sharp edge runs into a blurred background nor the background over it (the split is that of Jiménez, "Next Generation
/// Post Processing in Call of Duty: Advanced Warfare", 2014; the discs are round, of even light). What lies hidden behind a blurred edge in
/// front is not known to one picture: `Renderer.renderStill` sees it, through many points of the lens.
final class LensBlurPass {
    /// The largest radius, as a share of the picture's height.
    static let largestRadius: Float = 1 / 18

    private struct Textures {
        /// The mean of the samples; nil: the picture has one sample and is read itself.
        let flat: GPUTextureView?
        /// Signed radius of the disc of each pixel, pixels, negative in front of the focus; and the largest without sign, by tile.
        let radii, tiles: GPUTextureView
        let gathered, smoothed: GPUTextureView
        let width, height, sampleCount, tile: Int
    }

    private let device: GPUDevice
    private let pyramids: PyramidPass
    private let measuring: [Int: CoverPass]
    private let tiling, gathering, smoothing: CoverPass
    private var textures: Textures?

    init(_ device: GPUDevice, _ pipelines: PipelineCache, _ pyramids: PyramidPass) {
        (self.device, self.pyramids) = (device, pyramids)
        var measuring: [Int: CoverPass] = [:]
        for count in [1, 4] {
            measuring[count] = CoverPass(
                device, pipelines, count > 1 ? "lens of samples" : "lens",
                [.texture(0, .fragment, .depth, isMultisampled: count > 1), .uniformBuffer(1, .fragment, minSize: 32)],
                code: LensBlurShader.measuring(sampleCount: count))
        }
        self.measuring = measuring
        let values = GPUBindGroupLayoutEntry.uniformBuffer(1, .fragment, minSize: 32)
        tiling = CoverPass(
            device, pipelines, "lens tiles", [.texture(0, .fragment, .unfilterableFloat), values], code: LensBlurShader.tiling)
        let pictures: [GPUBindGroupLayoutEntry] = [
            .texture(0, .fragment, .unfilterableFloat), values, .texture(2, .fragment, .unfilterableFloat),
            .texture(3, .fragment, .unfilterableFloat),
        ]
        gathering = CoverPass(device, pipelines, "lens blur", pictures, code: LensBlurShader.gathering)
        smoothing = CoverPass(device, pipelines, "lens blur smoothing", pictures, code: LensBlurShader.smoothing)
    }

    var memory: Int {
        guard let textures else { return 0 }
        return textures.width * textures.height * (18 + (textures.flat == nil ? 0 : 8))
    }

    func purge() { textures = nil }

    /// The picture as the lens sees it, one sample a pixel.
    ///
    /// - Parameters:
    ///   - color: radiance, premultiplied.
    ///   - depth: of the same size and samples, reversed.
    func draw(
        _ color: GPUTextureView, depth: GPUTextureView, _ lens: Lens, _ camera: Camera, aspectRatio: Float,
        _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) -> GPUTextureView {
        guard case .perspective(let fieldOfView) = camera.projection else { return color }
        let textures = try textures(like: color.texture)
        let largest = max(Float(textures.height) * Self.largestRadius, 1)
        let atInfinity = lens.blur(atDistance: .infinity, fieldOfView: fieldOfView) * Float(textures.height) / 2
        let projection = camera.clipFromView(aspectRatio: aspectRatio)
        let values = try device.makeBuffer(
            "lens",
            contents: [
                Vector4(atInfinity, lens.focusDistance, largest, Float(textures.tile)), Vector4(projection.z.z, projection.w.z, 0, 0),
            ], usage: .uniform)
        guard let measuring = measuring[textures.sampleCount] else { return color }
        try measuring.draw([.texture(0, depth), .buffer(1, values)], to: textures.radii, encoder)
        try tiling.draw([.texture(0, textures.radii), .buffer(1, values)], to: textures.tiles, encoder)
        if let flat = textures.flat { try pyramids.copy(color, to: flat, encoder) }
        for (pass, source, target) in [
            (gathering, textures.flat ?? color, textures.gathered), (smoothing, textures.gathered, textures.smoothed),
        ] {
            try pass.draw(
                [.texture(0, source), .buffer(1, values), .texture(2, textures.radii), .texture(3, textures.tiles)], to: target, encoder)
        }
        return textures.smoothed
    }

    private func textures(like picture: GPUTexture) throws(GPUError) -> Textures {
        let (width, height, samples) = (picture.width, picture.height, picture.sampleCount)
        if let textures, textures.width == width, textures.height == height, textures.sampleCount == samples { return textures }
        let device = self.device
        func texture(_ label: String, _ width: Int, _ height: Int, _ format: GPUTextureFormat) throws(GPUError) -> GPUTextureView {
            try device.makeTexture(
                GPUTextureDescriptor(label, size: GPUExtent(width, height), format: format, usage: [.renderAttachment, .textureBinding])
            ).makeView()
        }
        // So large that no disc reaches farther than the next tile.
        let tile = max(Int((Float(height) * Self.largestRadius).rounded(.up)), 1)
        let made = Textures(
            flat: samples > 1 ? try texture("lens picture", width, height, .rgba16Float) : nil,
            radii: try texture("lens radii", width, height, .r16Float),
            tiles: try texture("lens tiles", (width + tile - 1) / tile, (height + tile - 1) / tile, .r16Float),
            gathered: try texture("lens blur", width, height, .rgba16Float),
            smoothed: try texture("lens blur, smooth", width, height, .rgba16Float), width: width, height: height, sampleCount: samples,
            tile: tile)
        textures = made
        return made
    }
}
