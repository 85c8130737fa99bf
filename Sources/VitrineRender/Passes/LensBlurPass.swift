import VitrineGPU
import VitrineMath
import VitrineScene

/// Numbers of the lens shaders.
struct LensUniforms: ShaderStructure {
    /// Radius of the disc of a point at infinity, pixels.
    var radiusAtInfinity: Float
    /// The focus distance in metres.
    var focusDistance: Float
    /// The largest radius of a disc in pixels.
    var largestRadius: Float
    /// The size of a tile in pixels.
    var tileSize: Float
    /// Depth is (depthScale · z + depthOffset) / −z for a point z of the view frame.
    var depthScale: Float
    var depthOffset: Float

    static let name = "LensUniforms"
    static let fields: [ShaderField<LensUniforms>] = [
        .init("radiusAtInfinity") { $0.radiusAtInfinity }, .init("focusDistance") { $0.focusDistance },
        .init("largestRadius") { $0.largestRadius }, .init("tileSize") { $0.tileSize }, .init("depthScale") { $0.depthScale },
        .init("depthOffset") { $0.depthOffset },
    ]
}

/// Depth of field in one frame: every pixel gathers the discs of its neighbours that cover it.
///
/// Discs in front of the focus lie over the rest; discs behind it spread no wider than the pixel itself is blurred, so that neither a sharp
/// edge bleeds into a blurred background nor the background over the edge (the split is that of Jiménez, "Next Generation Post Processing in Call of
/// Duty: Advanced Warfare", 2014; the discs are round and uniform). One image does not contain what a blurred foreground edge hides;
/// `Renderer.renderStill` does, because it renders from many points of the lens.
final class LensBlurPass {
    /// The largest radius, as a share of the image's height.
    static let largestRadius: Float = 1 / 18

    private let device: GPUDevice
    private let mipChains: MipChainPass
    private let measuring: [Int: CoverPass]
    private let tiling, gathering, smoothing: CoverPass

    init(_ device: GPUDevice, _ pipelines: PipelineCache, _ mipChains: MipChainPass) {
        (self.device, self.mipChains) = (device, mipChains)
        let uniforms = GPUBindGroupLayoutEntry.uniformBuffer(1, .fragment, minSize: LensUniforms.byteCount)
        var measuring: [Int: CoverPass] = [:]
        for count in [1, 4] {
            measuring[count] = CoverPass(
                device, pipelines, count > 1 ? "lens of samples" : "lens",
                [.texture(0, .fragment, .depth, isMultisampled: count > 1), uniforms],
                code: LensBlurShader.measuring(sampleCount: count))
        }
        self.measuring = measuring
        tiling = CoverPass(
            device, pipelines, "lens tiles", [.texture(0, .fragment, .unfilterableFloat), uniforms], code: LensBlurShader.tiling)
        let images: [GPUBindGroupLayoutEntry] = [
            .texture(0, .fragment, .unfilterableFloat), uniforms, .texture(2, .fragment, .unfilterableFloat),
            .texture(3, .fragment, .unfilterableFloat),
        ]
        gathering = CoverPass(device, pipelines, "lens blur", images, code: LensBlurShader.gathering)
        smoothing = CoverPass(device, pipelines, "lens blur smoothing", images, code: LensBlurShader.smoothing)
    }

    /// Adds the passes that blur an image as the camera's lens does.
    ///
    /// - Parameters:
    ///   - color: Radiance, premultiplied.
    ///   - depth: The reversed depth, with the same size and sample count.
    /// - Returns: The image with one sample per pixel; `color` if the camera has no perspective lens.
    func addPasses(
        to graph: inout FrameGraph, color: FrameGraph.Handle, depth: FrameGraph.Handle, _ frame: FrameView, _ lens: Lens
    ) -> FrameGraph.Handle {
        let (width, height, samples) = (frame.width, frame.height, frame.options.sampleCount)
        guard case .perspective(let fieldOfView) = frame.view.camera.projection, let measuring = measuring[samples] else { return color }
        // No disc reaches farther than the next tile.
        let tile = max(Int((Float(height) * Self.largestRadius).rounded(.up)), 1)
        let projection = frame.view.camera.clipFromView(aspectRatio: Float(width) / Float(height))
        let uniforms = LensUniforms(
            radiusAtInfinity: lens.blur(atDistance: .infinity, fieldOfView: fieldOfView) * Float(height) / 2,
            focusDistance: lens.focusDistance, largestRadius: max(Float(height) * Self.largestRadius, 1), tileSize: Float(tile),
            depthScale: projection.z.z, depthOffset: projection.w.z)
        let image = TextureShape(width: width, height: height, format: .rgba16Float)
        // Signed radius of each pixel's disc, negative in front of the focus; and the largest magnitude by tile.
        let radii = graph.texture("lens radii", TextureShape(width: width, height: height, format: .r16Float))
        let tiles = graph.texture(
            "lens tiles", TextureShape(width: (width + tile - 1) / tile, height: (height + tile - 1) / tile, format: .r16Float))
        graph.addPass("lens radii", reads: [depth], writes: [radii]) { [self] encoder, textures throws(GPUError) in
            try measuring.draw([.texture(0, textures.view(depth)), try buffer(uniforms)], to: textures.view(radii), encoder)
        }
        graph.addPass("lens tiles", reads: [radii], writes: [tiles]) { [self] encoder, textures throws(GPUError) in
            try tiling.draw([.texture(0, textures.view(radii)), try buffer(uniforms)], to: textures.view(tiles), encoder)
        }
        var source = color
        if samples > 1 {
            source = graph.texture("lens source", image)
            let flat = source
            graph.addPass("lens source", reads: [color], writes: [flat]) { [self] encoder, textures throws(GPUError) in
                try mipChains.copy(textures.view(color), to: textures.view(flat), encoder)
            }
        }
        for (name, pass) in [("lens blur", gathering), ("lens blur smoothing", smoothing)] {
            let (input, target) = (source, graph.texture(name, image))
            graph.addPass(name, reads: [input, radii, tiles], writes: [target]) { [self] encoder, textures throws(GPUError) in
                try pass.draw(
                    [
                        .texture(0, textures.view(input)), try buffer(uniforms), .texture(2, textures.view(radii)),
                        .texture(3, textures.view(tiles)),
                    ], to: textures.view(target), encoder)
            }
            source = target
        }
        return source
    }

    private func buffer(_ uniforms: LensUniforms) throws(GPUError) -> GPUBindGroupEntry {
        .buffer(1, try device.makeBuffer("lens", contents: [uniforms], usage: .uniform))
    }
}
