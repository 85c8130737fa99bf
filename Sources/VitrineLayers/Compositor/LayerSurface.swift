import VitrineGPU
import VitrineGeometry

/// An offscreen texture of a layer or a group of layers, which the compositor draws and effects read and write.
///
/// Texels are linear Rec.709 with premultiplied alpha, in half precision; the first row is at the top.
package struct LayerSurface {
    /// The format of all surfaces.
    package static let format = GPUTextureFormat.rgba16Float

    /// The texture that stores the surface's pixels.
    package let texture: GPUTexture
    /// A view of the whole texture.
    package let view: GPUTextureView
    /// The usage of all surfaces: render target, shader input, copy source and destination.
    package static let usage: GPUTextureUsage = [.renderAttachment, .textureBinding, .copySource, .copyDestination]

    /// The visible part of the layer's plane in points, y down.
    package let bounds: Rectangle
    /// The number of texels per point.
    package let scale: Float

    /// Creates a surface of `bounds` with all texels 0; its size is rounded up to whole texels, at least one.
    ///
    /// - Throws: `GPUError` if it is larger than the device's textures, or if there is not enough memory.
    package init(_ device: GPUDevice, bounds: Rectangle, scale: Float, label: String = "layer") throws(GPUError) {
        let texels = (bounds.size * scale).rounded(.up)
        // The device rejects sizes that are not finite or too large.
        let size = GPUExtent(Int(clamping: texels.x), Int(clamping: texels.y))
        texture = try device.makeTexture(
            GPUTextureDescriptor(
                label, size: size, format: Self.format, usage: Self.usage))
        view = try texture.makeView()
        (self.bounds, self.scale) = (Rectangle(origin: bounds.origin, size: Vector2(Float(size.width), Float(size.height)) / scale), scale)
    }

    /// Creates a surface of an existing texture, whose texels are exactly `bounds`.
    package init(_ texture: GPUTexture, _ view: GPUTextureView, bounds: Rectangle, scale: Float) {
        (self.texture, self.view, self.bounds, self.scale) = (texture, view, bounds, scale)
    }
}

extension Int {
    /// Clamps to at least 1; gives 2²⁰ for values that are not finite or larger than the textures of any device.
    fileprivate init(clamping texels: Float) { self = texels < 1 ? 1 : texels < 1_048_576 ? Int(texels) : 1_048_576 }
}
