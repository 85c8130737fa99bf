import VitrineAR
import VitrineGPU
import VitrineMath

/// A camera image on the GPU: Y as `r8`, CbCr as `rg8` at half size.
final class CameraPlanes {
    private let device: GPUDevice
    private(set) var luma, chroma: GPUTextureView
    /// The scale from image to chroma texture coordinates: an image of odd size ends within the last texel.
    private(set) var chromaScale = Vector2(1, 1)

    init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        luma = try Self.texture(device, "Y", .r8Unorm, 1, 1)
        chroma = try Self.texture(device, "CbCr", .rg8Unorm, 1, 1)
    }

    /// Uploads an image; reuses the textures for the same size.
    func upload(_ image: CapturedImage) throws(GPUError) {
        try fit(&luma, "Y", .r8Unorm, image.width, image.height)
        device.queue.write(image.luma.values, to: luma.texture.copyInfo())
        // Neutral chroma for a monochrome image.
        let isGrey = image.chroma == nil
        try fit(&chroma, "CbCr", .rg8Unorm, isGrey ? 1 : image.chromaWidth, isGrey ? 1 : image.chromaHeight)
        device.queue.write(image.chroma ?? [128, 128], to: chroma.texture.copyInfo())
        chromaScale =
            isGrey
            ? Vector2(1, 1)
            : Vector2(Float(image.width), Float(image.height)) / (2 * Vector2(Float(image.chromaWidth), Float(image.chromaHeight)))
    }

    private func fit(
        _ view: inout GPUTextureView, _ label: String, _ format: GPUTextureFormat, _ width: Int, _ height: Int
    ) throws(GPUError) {
        guard view.texture.width != width || view.texture.height != height else { return }
        view = try Self.texture(device, label, format, width, height)
    }

    static func texture(
        _ device: GPUDevice, _ label: String, _ format: GPUTextureFormat, _ width: Int, _ height: Int,
        usage: GPUTextureUsage = [.textureBinding, .copyDestination]
    ) throws(GPUError) -> GPUTextureView {
        try device.makeTexture(GPUTextureDescriptor(label, size: GPUExtent(width, height), format: format, usage: usage)).makeView()
    }
}
