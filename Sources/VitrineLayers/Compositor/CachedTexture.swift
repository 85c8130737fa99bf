import VitrineGPU
import VitrineGeometry

/// A texture that fills layers: linear, premultiplied.
final class CachedTexture {
    let texture: GPUTexture
    let view: GPUTextureView
    /// The visible part of a layer's plane in points; nil for images, whose layout depends on the layer.
    let bounds: Rectangle?
    /// Incremented when the content changes.
    private(set) var version: UInt64 = 0
    /// The number of the last frame that used the texture.
    private(set) var lastUse: UInt64 = 0

    init(_ texture: GPUTexture, _ view: GPUTextureView, bounds: Rectangle? = nil) {
        (self.texture, self.view, self.bounds) = (texture, view, bounds)
    }

    /// Marks the texture as used by a frame.
    func use(in frame: UInt64) { lastUse = frame }

    /// Marks the content as changed.
    func contentDidChange() { version += 1 }

    /// The memory in bytes, including mip levels.
    var memory: Int { texture.width * texture.height * 8 * (texture.mipLevelCount > 1 ? 4 : 3) / 3 }
}
