import VitrineGPU
import VitrineGeometry

/// A layer, or several, drawn flat: what the compositor puts together and effects read and write.
///
/// Texels are linear Rec.709 with premultiplied alpha, in half precision; the first row is the upper one.
public struct LayerSurface {
    /// The format of every picture between the layers and the screen.
    public static let format = GPUTextureFormat.rgba16Float

    public let texture: GPUTexture
    public let view: GPUTextureView
    /// What every picture may be used for: drawn into, read by shaders, copied from and to.
    public static let usage: GPUTextureUsage = [.renderAttachment, .textureBinding, .copySource, .copyDestination]

    /// What it shows of the layer's plane, in points, y down.
    public let bounds: Rectangle
    /// Texels a point.
    public let scale: Float

    /// An empty picture (all texels zero) of `bounds`, its size rounded up to whole texels, at least one.
    ///
    /// - Throws: `GPUError` where it is larger than the device's textures, or there is no memory for it.
    public init(_ device: GPUDevice, bounds: Rectangle, scale: Float, label: String = "layer") throws(GPUError) {
        let texels = (bounds.size * scale).rounded(.up)
        // Sizes that are no numbers, or beyond all textures, are refused by the device in its own words.
        let size = GPUExtent(Int(clamping: texels.x), Int(clamping: texels.y))
        texture = try device.makeTexture(
            GPUTextureDescriptor(
                label, size: size, format: Self.format, usage: Self.usage))
        view = try texture.makeView()
        (self.bounds, self.scale) = (Rectangle(origin: bounds.origin, size: Vector2(Float(size.width), Float(size.height)) / scale), scale)
    }

    /// A texture of the right size that is there already. `bounds` are exactly its texels.
    public init(_ texture: GPUTexture, _ view: GPUTextureView, bounds: Rectangle, scale: Float) {
        (self.texture, self.view, self.bounds, self.scale) = (texture, view, bounds, scale)
    }
}

extension Int {
    /// At least 1; `maximum` for what is no number or too large for a texture of any device.
    fileprivate init(clamping texels: Float) { self = texels < 1 ? 1 : texels < 1_048_576 ? Int(texels) : 1_048_576 }
}
