import VitrineGPU
import VitrineRender
import VitrineScene

/// The pipelines that draw shapes, compiled on demand, and their buffers.
final class LayerPipelines {
    private struct Key: Hashable {
        let parts: LayerShader.Parts
        let joining: SurfacePlan.Joining
    }

    let device: GPUDevice
    let frameLayout, contentLayout: GPUBindGroupLayout
    private let layout: GPUPipelineLayout
    private var pipelines: [Key: GPURenderPipeline] = [:]
    private var instances, clips, stops: FrameBuffer
    let smooth, sharp: GPUSampler
    /// The texture of shapes without an image.
    let nothing: GPUTextureView

    init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        frameLayout = try device.makeBindGroupLayout(
            "layers",
            [
                .uniformBuffer(0, .render, minSize: LayerTarget.byteCount), .storageBuffer(1, .render), .storageBuffer(2, .render),
                .storageBuffer(3, .render),
            ])
        contentLayout = try device.makeBindGroupLayout(
            "layer surface", [.texture(0, .fragment), .sampler(1, .fragment), .texture(2, .fragment, .unfilterableFloat)])
        layout = try device.makePipelineLayout("layers", [frameLayout, contentLayout])
        instances = try FrameBuffer(device, "layer instances", stride: LayerInstance.byteCount)
        clips = try FrameBuffer(device, "layer clips", stride: LayerClip.byteCount)
        stops = try FrameBuffer(device, "gradient stops", stride: GradientStop.byteCount)
        smooth = try device.makeSampler(GPUSamplerDescriptor("layer surface"))
        var descriptor = GPUSamplerDescriptor("sharp layer surface")
        descriptor.magnification = .nearest
        sharp = try device.makeSampler(descriptor)
        nothing = try device.makeTexture(
            GPUTextureDescriptor("no surface", size: GPUExtent(1, 1), format: LayerSurface.format, usage: .textureBinding)
        )
        .makeView()
    }

    /// Uploads the shapes of a frame.
    func upload(_ drawing: FrameDrawing) throws(GPUError) -> LayerResources {
        try instances.write(drawing.instances)
        try clips.write(drawing.clips)
        try stops.write(drawing.stops)
        return LayerResources(instances: instances.buffer, clips: clips.buffer, stops: stops.buffer)
    }

    /// Creates the bind group of all draws into one target. - Parameter region: The pixels of the target.
    func frameGroup(_ resources: LayerResources, _ region: PixelRectangle) throws(GPUError) -> GPUBindGroup {
        let uniforms = try device.makeBuffer("layer target", contents: [LayerTarget(region)], usage: .uniform)
        return try device.makeBindGroup(
            "layers", layout: frameLayout,
            [.buffer(0, uniforms), .buffer(1, resources.instances), .buffer(2, resources.clips), .buffer(3, resources.stops)])
    }

    func contentGroup(_ surface: GPUTextureView?, _ filter: FilterMode, masks: GPUTextureView?) throws(GPUError) -> GPUBindGroup {
        try device.makeBindGroup(
            "layer surface", layout: contentLayout,
            [.texture(0, surface ?? nothing), .sampler(1, filter == .linear ? smooth : sharp), .texture(2, masks ?? nothing)])
    }

    func pipeline(_ parts: LayerShader.Parts, _ joining: SurfacePlan.Joining) throws(GPUError) -> GPURenderPipeline {
        let key = Key(parts: parts, joining: joining)
        if let known = pipelines[key] { return known }
        let module = try device.makeShader("layers.wgsl", wgsl: LayerShader.code(parts))
        let made = try device.makeRenderPipeline(
            GPURenderPipelineDescriptor(
                "layers", layout: layout, vertex: GPUShaderStage(module, "corner"), fragment: GPUShaderStage(module, "paint"),
                targets: [GPUColorTarget(LayerSurface.format, blend: parts.blend == .normal ? joining.blend : nil)]))
        pipelines[key] = made
        return made
    }

    /// The memory of the buffers in bytes.
    var memory: Int { instances.buffer.size + clips.buffer.size + stops.buffer.size }
}

/// The buffers of one frame.
struct LayerResources {
    let instances, clips, stops: GPUBuffer
}

/// A buffer that is replaced by a larger one when a frame requires it.
struct FrameBuffer {
    private let label: String
    private(set) var buffer: GPUBuffer

    init(_ device: GPUDevice, _ label: String, stride: Int) throws(GPUError) {
        self.label = label
        buffer = try device.makeBuffer(label, size: stride * 16, usage: [.storage, .copyDestination])
    }

    mutating func write<Element: BitwiseCopyable>(_ elements: [Element]) throws(GPUError) {
        let size = elements.count * MemoryLayout<Element>.stride
        if size > buffer.size {
            buffer = try buffer.device.makeBuffer(label, size: max(size, buffer.size * 2), usage: [.storage, .copyDestination])
        }
        if !elements.isEmpty { buffer.device.queue.write(elements, to: buffer) }
    }
}

extension SurfacePlan.Joining {
    fileprivate var blend: GPUBlendState {
        switch self {
        case .over: .premultiplied
        case .beside: .additive
        case .atop:
            GPUBlendState(
                color: GPUBlendComponent(.destinationAlpha, .add, .oneMinusSourceAlpha),
                alpha: GPUBlendComponent(.destinationAlpha, .add, .oneMinusSourceAlpha))
        }
    }
}
