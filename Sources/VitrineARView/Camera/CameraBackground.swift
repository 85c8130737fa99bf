import VitrineAR
import VitrineGPU
import VitrineMath

/// Draws the undistorted camera image over a whole target, in linear light or sRGB-encoded depending on the target, optionally with a rendered
/// overlay.
///
/// **Colour.** Converts YCbCr to RGB by the image's own matrix and range (`YCbCrConversion`) and treats the result as sRGB. Blends the overlay in
/// linear light. Without overlay, levels pass unchanged to targets with encoded colours.
///
/// **Lens.** The renderer uses a pinhole camera, so the image is undistorted: each pixel of the view samples the image at its distorted position
/// (`CameraIntrinsics.distort`). The undistorted image has the same focal length and principal point. Barrel distortion loses the outermost pixels;
/// with pincushion distortion, uncovered parts are black except for a border of 1 % that repeats the edge pixels.
package final class CameraBackground {
    /// A rendered image over the camera image.
    struct Overlay {
        /// Premultiplied linear light as read by a shader.
        let image: GPUTextureView
        /// The share of the camera image's light that shadows leave, one texel per pixel of `image`; nil without shadows.
        var shadows: GPUTextureView?
        /// The position of the upper left corner in the target, in pixels. The overlay must lie inside.
        let x, y: Int
        /// The factor of its light.
        var tint = Vector3(1, 1, 1)
    }

    /// The variant of a pipeline.
    private struct Key: Hashable {
        let format: GPUTextureFormat
        let hasOverlay, hasShadows, isGrey: Bool
        let lens: LensKind
    }

    /// The device of all resources.
    package let device: GPUDevice
    private let planes: CameraPlanes
    private let layout: GPUBindGroupLayout
    private let sampler: GPUSampler
    private let nothing: GPUTextureView
    private var pipelines: [Key: GPURenderPipeline] = [:]

    /// Creates a renderer of camera images on a device.
    package init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        planes = try CameraPlanes(device)
        nothing = try CameraPlanes.texture(device, "no overlay", .rgba8Unorm, 1, 1)
        sampler = try device.makeSampler(GPUSamplerDescriptor("camera", mipmap: .nearest))
        layout = try device.makeBindGroupLayout(
            "camera background",
            [
                .uniformBuffer(0, .fragment, minSize: CameraUniforms.byteCount), .texture(1, .fragment), .texture(2, .fragment),
                .sampler(3, .fragment), .texture(4, .fragment), .texture(5, .fragment),
            ])
    }

    /// Draws the frame's image; submits the work without waiting.
    ///
    /// - Parameters:
    ///   - target: `rgba8` or `bgra8`, plain or sRGB, or `rgba16Float` for linear light. Its contents are replaced, alpha is 1.
    ///   - orientation: The orientation of the target.
    package func draw(_ frame: ARFrame, to target: GPUTextureView, orientation: InterfaceOrientation = .landscapeRight) throws(GPUError) {
        try draw(frame, to: target, orientation: orientation, overlay: nil)
    }

    func draw(
        _ frame: ARFrame, to target: GPUTextureView, orientation: InterfaceOrientation, overlay: Overlay?
    ) throws(GPUError) {
        try planes.upload(frame.capturedImage)
        let size = Vector2(Float(target.texture.width), Float(target.texture.height))
        let values = CameraUniforms(frame, orientation, size, chromaScale: planes.chromaScale, overlay: overlay)
        let uniforms = try device.makeBuffer("camera background", contents: [values], usage: .uniform)
        let group = try device.makeBindGroup(
            "camera background", layout: layout,
            [
                .buffer(0, uniforms), .texture(1, planes.luma), .texture(2, planes.chroma), .sampler(3, sampler),
                .texture(4, overlay?.image ?? nothing), .texture(5, overlay?.shadows ?? nothing),
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
            // A second pass under the overlay only: cheaper on a software GPU than one pass with the overlay for all pixels.
            pass.setScissor(x: overlay.x, y: overlay.y, width: overlay.image.texture.width, height: overlay.image.texture.height)
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
