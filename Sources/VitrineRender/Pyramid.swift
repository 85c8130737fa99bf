import VitrineGPU

/// A picture in half-float radiance with smaller and smaller copies of itself, each half as wide as the one before.
final class Pyramid {
    let texture: GPUTexture
    /// All levels, to be sampled.
    let view: GPUTextureView
    /// One level each, to be drawn into and read from.
    let levels: [GPUTextureView]

    /// - Parameters:
    ///   - levelCount: at most as many as the size allows are made, at least one.
    init(_ device: GPUDevice, _ label: String, width: Int, height: Int, levelCount: Int = 16) throws(GPUError) {
        let count = max(1, min(levelCount, GPUTexture.fullMipLevelCount(width: width, height: height)))
        texture = try device.makeTexture(
            GPUTextureDescriptor(
                label, size: GPUExtent(width, height), format: .rgba16Float, usage: [.renderAttachment, .textureBinding, .copySource],
                mipLevelCount: count))
        view = try texture.makeView()
        var levels: [GPUTextureView] = []
        for level in 0..<count { levels.append(try texture.makeView(mipLevels: level..<level + 1)) }
        self.levels = levels
    }

    var memory: Int {
        (0..<texture.mipLevelCount).reduce(0) { $0 + texture.size(ofMipLevel: $1).width * texture.size(ofMipLevel: $1).height * 8 }
    }
}
