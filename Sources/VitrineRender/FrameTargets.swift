import VitrineGPU

/// The textures that a frame is drawn into before it reaches its target: depth, and colour with several samples or high dynamic range.
/// Kept from frame to frame while size, format and samples stay.
final class FrameTargets {
    static let depthFormat = GPUTextureFormat.depth32Float

    struct Shape: Hashable {
        var width, height, sampleCount: Int
        /// nil: drawn into the target itself.
        var colorFormat: GPUTextureFormat?
        var hasOpaqueScene = false
        var hasReadableDepth = false
    }

    let shape: Shape
    let depth: GPUTextureView
    let color: GPUTextureView?
    /// `FrameBindings.opaqueScene`; nil: nothing in the frame lets light through.
    let opaqueScene: Pyramid?
    let memory: Int

    init(_ device: GPUDevice, _ shape: Shape) throws(GPUError) {
        self.shape = shape
        let size = GPUExtent(shape.width, shape.height)
        depth = try device.makeTexture(
            GPUTextureDescriptor(
                "depth", size: size, format: Self.depthFormat,
                usage: shape.hasReadableDepth ? [.renderAttachment, .textureBinding] : .renderAttachment, sampleCount: shape.sampleCount)
        ).makeView()
        var bytes = shape.width * shape.height * shape.sampleCount * 4
        if let format = shape.colorFormat {
            color = try device.makeTexture(
                GPUTextureDescriptor(
                    "color", size: size, format: format, usage: [.renderAttachment, .textureBinding], sampleCount: shape.sampleCount)
            ).makeView()
            bytes += shape.width * shape.height * shape.sampleCount * (format.bytesPerBlock() ?? 4)
        } else {
            color = nil
        }
        opaqueScene = shape.hasOpaqueScene ? try Pyramid(device, "opaque scene", width: shape.width, height: shape.height) : nil
        memory = bytes + (opaqueScene?.memory ?? 0)
    }
}
