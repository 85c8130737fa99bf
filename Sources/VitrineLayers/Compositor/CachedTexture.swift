import VitrineGPU
import VitrineGeometry

/// A texture that fills layers: linear, premultiplied.
final class CachedTexture {
    let texture: GPUTexture
    let view: GPUTextureView
    /// The part of a layer's plane that it shows, in points; nil for images, which each layer lays out.
    let bounds: Rectangle?
    /// Incremented when the content changes.
    var version: UInt64 = 0
    /// The last frame that used the texture.
    var lastUse: UInt64 = 0

    init(_ texture: GPUTexture, _ view: GPUTextureView, bounds: Rectangle? = nil) {
        (self.texture, self.view, self.bounds) = (texture, view, bounds)
    }

    /// The memory in bytes, with mip levels.
    var memory: Int { texture.width * texture.height * 8 * (texture.mipLevelCount > 1 ? 4 : 3) / 3 }
}
