import VitrineAR
import VitrineGPU
import VitrineMath
import VitrineRender

/// The region of the view for which depth is resampled.
struct DepthRegionUniforms: ShaderStructure {
    /// The region's corner in pixels of the view.
    let origin: Vector2
    /// The view's size in pixels.
    let viewport: Vector2
    /// Metres added to the depth.
    let offset: Float
    /// The factor of the depth.
    let scale: Float

    static let name = "DepthRegionUniforms"
    static let fields: [ShaderField<DepthRegionUniforms>] = [
        .init("origin") { $0.origin }, .init("viewport") { $0.viewport }, .init("offset") { $0.offset }, .init("scale") { $0.scale },
    ]
}

/// Resamples a frame's depth image to the view: the `occluder` of a scene.
///
/// Depth images have a low resolution and noise. Interpolates bilinearly between four samples that agree to 5 %, otherwise takes the
/// nearest sample, so that no surface spans a depth edge. Unknown or low-confidence depth occludes nothing. Adds 1 cm and 1 % to the depth,
/// so that a real table does
/// not cut into objects on it.
final class CameraDepth {
    static let slack = (metres: Float(0.01), share: Float(0.01))

    private let device: GPUDevice
    private let layout: GPUBindGroupLayout
    private var metres: GPUTextureView
    private var target: GPUTextureView?
    private var pipelines: [Key: GPURenderPipeline] = [:]

    private struct Key: Hashable {
        let lens: LensKind
        /// Whether pixels without depth keep their value.
        let isOver: Bool
    }

    init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        metres = try CameraPlanes.texture(device, "metres", .r32Float, 1, 1)
        layout = try device.makeBindGroupLayout(
            "camera depth",
            [
                .uniformBuffer(0, .fragment, minSize: CameraUniforms.byteCount), .texture(1, .fragment, .unfilterableFloat),
                .uniformBuffer(2, .fragment, minSize: DepthRegionUniforms.byteCount),
            ])
    }

    /// The frame's depth for a region of the view; nil without a depth image.
    ///
    /// - Parameters:
    ///   - region: A region of the view in pixels.
    ///   - viewport: The view's size in pixels.
    ///   - background: Depth of the region for pixels without depth in the image; it is drawn over and returned. nil: none.
    func occluder(
        _ frame: ARFrame, _ orientation: InterfaceOrientation, viewport: Vector2, region: PixelRectangle,
        over background: GPUTextureView? = nil
    ) throws(GPUError) -> GPUTextureView? {
        guard let depth = frame.sceneDepth, depth.metres.width > 0, depth.metres.height > 0 else { return nil }
        try upload(depth)
        let target: GPUTextureView
        if let background { target = background } else { target = try self.target(region) }
        let values = CameraUniforms(frame, orientation, viewport, chromaScale: Vector2(1, 1), overlay: nil)
        let regionValues = DepthRegionUniforms(
            origin: Vector2(Float(region.x), Float(region.y)), viewport: viewport, offset: Self.slack.metres, scale: 1 + Self.slack.share)
        let group = try device.makeBindGroup(
            "camera depth", layout: layout,
            [
                .buffer(0, try device.makeBuffer("camera depth", contents: [values], usage: .uniform)), .texture(1, metres),
                .buffer(2, try device.makeBuffer("region", contents: [regionValues], usage: .uniform)),
            ])
        let pipeline = try pipeline(Key(lens: LensKind(frame.camera.model.distortion), isOver: background != nil))
        let encoder = try device.makeCommandEncoder("camera depth")
        let attachment = GPUColorAttachment(target, load: background == nil ? .clear(.clear) : .load)
        encoder.renderPass(GPURenderPassDescriptor("camera depth", colors: [attachment])) { pass in
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            pass.draw(vertexCount: 3)
        }
        device.queue.submit(try encoder.finish())
        return target
    }

    private func upload(_ depth: DepthImage) throws(GPUError) {
        let (width, height) = (depth.metres.width, depth.metres.height)
        if metres.texture.width != width || metres.texture.height != height {
            metres = try CameraPlanes.texture(device, "metres", .r32Float, width, height)
        }
        var values = depth.metres.values
        let confidence = depth.confidence?.values ?? []
        for index in values.indices {
            let isConfident = index < confidence.count ? confidence[index] > 0 : true
            if !isConfident || !(values[index] > 0) || !values[index].isFinite { values[index] = 0 }
        }
        device.queue.write(values, to: metres.texture.copyInfo())
    }

    private func target(_ region: PixelRectangle) throws(GPUError) -> GPUTextureView {
        if let target, target.texture.width == region.width, target.texture.height == region.height { return target }
        let made = try CameraPlanes.texture(
            device, "view depth", .r32Float, region.width, region.height, usage: [.renderAttachment, .textureBinding, .copySource])
        target = made
        return made
    }

    private func pipeline(_ key: Key) throws(GPUError) -> GPURenderPipeline {
        if let known = pipelines[key] { return known }
        let module = try device.makeShader("camera depth.wgsl", wgsl: cameraLensShader + cameraDepthShader)
        let made = try device.makeRenderPipeline(
            GPURenderPipelineDescriptor(
                "camera depth", layout: try device.makePipelineLayout("camera depth", [layout]), vertex: GPUShaderStage(module, "cover"),
                fragment: GPUShaderStage(module, "measure", constants: key.lens.constants + [GPUConstant("OVER", key.isOver)]),
                targets: [GPUColorTarget(.r32Float)])
        )
        pipelines[key] = made
        return made
    }
}

private let cameraDepthShader = """
    @group(0) @binding(1) var metres: texture_2d<f32>;
    \(DepthRegionUniforms.wgsl)
    @group(0) @binding(2) var<uniform> region: DepthRegionUniforms;
    // Whether pixels without depth keep their value.
    override OVER: bool = false;

    @fragment fn measure(in: Covering) -> @location(0) vec4f {
        let uv = captured((in.position.xy + region.origin) / region.viewport);
        if (any(uv != saturate(uv))) {
            if (OVER) { discard; }
            return vec4f(0.0);
        }
        let size = vec2i(textureDimensions(metres));
        let texel = uv * vec2f(size) - 0.5;
        let low = vec2i(floor(texel));
        let share = texel - floor(texel);
        let end = size - 1;
        let a = textureLoad(metres, clamp(low, vec2i(0), end), 0).r;
        let b = textureLoad(metres, clamp(low + vec2i(1, 0), vec2i(0), end), 0).r;
        let c = textureLoad(metres, clamp(low + vec2i(0, 1), vec2i(0), end), 0).r;
        let d = textureLoad(metres, clamp(low + vec2i(1, 1), vec2i(0), end), 0).r;
        var found = select(select(a, b, share.x >= 0.5), select(c, d, share.x >= 0.5), share.y >= 0.5);
        let near = min(min(a, b), min(c, d));
        let far = max(max(a, b), max(c, d));
        if (near > 0.0 && far < near * 1.05) { found = mix(mix(a, b, share.x), mix(c, d, share.x), share.y); }
        if (found <= 0.0) {
            if (OVER) { discard; }
            return vec4f(0.0);
        }
        return vec4f(found * region.scale + region.offset);
    }
    """
