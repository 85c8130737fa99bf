import VitrineAR
import VitrineGPU
import VitrineMath

/// Draws the camera's picture over all of a target: straightened, in linear light or encoded as the target wants it, with something drawn by
/// us over it.
///
/// **Light.** Y, Cb and Cr become red, green and blue by the picture's own matrix and range (`YCbCrConversion`), and these are taken for sRGB,
/// as screens show them. What is drawn over the picture is blended in linear light. Where nothing is, and the target holds encoded colours,
/// levels pass through untouched.
///
/// **Lens.** Everything that we draw is what a pinhole sees. A lens that bends lines would make it swim over the picture, most of all near the edges, so
/// it is the picture that is straightened: every pixel of the view looks up where the lens has put it (`CameraIntrinsics.distort`). The straight
/// picture has the same focal length and centre; a barrel's outermost pixels are lost, where a pincushion has none to show it is black, but
/// for a hundredth of the picture along its edges, which their own pixels fill.
public final class CameraBackground {
    /// A picture of ours over the camera's.
    struct Overlay {
        /// Premultiplied linear light, as a shader reads it.
        let picture: GPUTextureView
        /// How much of the camera's light is left, a texel a pixel of `picture`; nil: all.
        var shadows: GPUTextureView?
        /// Where its upper left corner is in the target, in pixels. It must lie inside.
        let x, y: Int
        /// What its light is multiplied by.
        var tint = Vector3(1, 1, 1)
    }

    /// What one pipeline does.
    private struct Key: Hashable {
        let format: GPUTextureFormat
        let hasOverlay, hasShadows, isGrey: Bool
        let lens: LensKind
    }

    public let device: GPUDevice
    private let planes: CameraPlanes
    private let layout: GPUBindGroupLayout
    private let sampler: GPUSampler
    private let nothing: GPUTextureView
    private var pipelines: [Key: GPURenderPipeline] = [:]

    public init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        planes = try CameraPlanes(device)
        nothing = try CameraPlanes.texture(device, "no overlay", .rgba8Unorm, 1, 1)
        sampler = try device.makeSampler(GPUSamplerDescriptor("camera", mipmap: .nearest))
        layout = try device.makeBindGroupLayout(
            "camera background",
            [
                .uniformBuffer(0, .fragment, minSize: CameraUniforms.vectorCount * 16), .texture(1, .fragment), .texture(2, .fragment),
                .sampler(3, .fragment), .texture(4, .fragment), .texture(5, .fragment),
            ])
    }

    /// Draws the frame's picture and hands the work to the GPU without waiting.
    ///
    /// - Parameters:
    ///   - target: `rgba8` or `bgra8`, plain or sRGB, or `rgba16Float` for linear light. Its contents are replaced, alpha is 1.
    ///   - orientation: How the target is held.
    public func draw(_ frame: ARFrame, to target: GPUTextureView, orientation: InterfaceOrientation = .landscapeRight) throws(GPUError) {
        try draw(frame, to: target, orientation: orientation, overlay: nil)
    }

    func draw(
        _ frame: ARFrame, to target: GPUTextureView, orientation: InterfaceOrientation, overlay: Overlay?
    ) throws(GPUError) {
        try planes.upload(frame.capturedImage)
        let size = Vector2(Float(target.texture.width), Float(target.texture.height))
        let values = CameraUniforms(frame, orientation, size, chromaScale: planes.chromaScale, overlay: overlay)
        let uniforms = try device.makeBuffer("camera background", contents: values.vectors, usage: .uniform)
        let group = try device.makeBindGroup(
            "camera background", layout: layout,
            [
                .buffer(0, uniforms), .texture(1, planes.luma), .texture(2, planes.chroma), .sampler(3, sampler),
                .texture(4, overlay?.picture ?? nothing), .texture(5, overlay?.shadows ?? nothing),
            ])
        let lens = LensKind(frame.camera.model.distortion)
        let isGrey = frame.capturedImage.chroma == nil
        let plain = try pipeline(Key(format: target.format, hasOverlay: false, hasShadows: false, isGrey: isGrey, lens: lens))
        let covered = try overlay.map { overlay throws(GPUError) in
            try pipeline(Key(format: target.format, hasOverlay: true, hasShadows: overlay.shadows != nil, isGrey: isGrey, lens: lens))
        }
        let encoder = try device.makeCommandEncoder("camera background")
        encoder.renderPass(GPURenderPassDescriptor("camera background", colors: [GPUColorAttachment(target)])) { pass in
            pass.setBindGroup(0, group)
            pass.setPipeline(plain)
            pass.draw(vertexCount: 3)
            guard let overlay, let covered else { return }
            // The same again under the overlay: a software GPU would pay for it in every pixel otherwise.
            pass.setScissor(x: overlay.x, y: overlay.y, width: overlay.picture.texture.width, height: overlay.picture.texture.height)
            pass.setPipeline(covered)
            pass.draw(vertexCount: 3)
        }
        device.queue.submit(try encoder.finish())
        try device.checkErrors()
    }

    private func pipeline(_ key: Key) throws(GPUError) -> GPURenderPipeline {
        if let known = pipelines[key] { return known }
        let module = try device.makeShader("camera.wgsl", wgsl: cameraLensShader + cameraBackgroundShader)
        let isEncoded = key.format == .rgba8Unorm || key.format == .bgra8Unorm
        let made = try device.makeRenderPipeline(
            GPURenderPipelineDescriptor(
                "camera background", layout: try device.makePipelineLayout("camera background", [layout]),
                vertex: GPUShaderStage(module, "cover"),
                fragment: GPUShaderStage(
                    module, "fill",
                    constants: key.lens.constants + [
                        GPUConstant("OVERLAY", key.hasOverlay), GPUConstant("SHADOWS", key.hasShadows), GPUConstant("GREY", key.isGrey),
                        GPUConstant("ENCODED", isEncoded),
                    ]), targets: [GPUColorTarget(key.format)]))
        pipelines[key] = made
        return made
    }
}
