import VitrineGPU
import VitrineGeometry

/// A picture on the GPU that layers are filled with: linear, premultiplied.
final class CachedTexture {
    let texture: GPUTexture
    let view: GPUTextureView
    /// What it shows of a layer's plane, points; nil for pictures that are laid out anew in each layer.
    let bounds: Rectangle?
    /// Rises when it is drawn anew.
    var version: UInt64 = 0
    /// The frame that needed it last.
    var lastUse: UInt64 = 0

    init(_ texture: GPUTexture, _ view: GPUTextureView, bounds: Rectangle? = nil) {
        (self.texture, self.view, self.bounds) = (texture, view, bounds)
    }

    /// Bytes, with mip levels.
    var memory: Int { texture.width * texture.height * 8 * (texture.mipLevelCount > 1 ? 4 : 3) / 3 }
}
