import VitrineGPU

/// The size and format of a transient texture.
struct TextureShape: Hashable {
    var width, height: Int
    var format: GPUTextureFormat
    var sampleCount = 1
    var mipLevelCount = 1
    /// Whether tests may read it back.
    var isReadable = false

    /// A radiance image with at most `levelCount` mip levels, as many as its size allows.
    static func mipChain(width: Int, height: Int, levelCount: Int = 16) -> TextureShape {
        let count = max(1, min(levelCount, GPUTexture.fullMipLevelCount(width: width, height: height)))
        return TextureShape(width: width, height: height, format: .rgba16Float, mipLevelCount: count, isReadable: true)
    }
}

/// A texture that passes draw into and sample, with its views.
final class FrameTexture {
    let shape: TextureShape
    let texture: GPUTexture
    /// A view of all mip levels, for sampling.
    let view: GPUTextureView
    /// Views of one mip level each, for drawing into it and reading from it.
    let levels: [GPUTextureView]
    fileprivate let isSampled: Bool
    fileprivate var isTaken = false
    fileprivate var lastFrame: UInt64 = 0
    /// The label of the transient texture that used it last.
    fileprivate(set) var label: String

    init(_ device: GPUDevice, _ label: String, _ shape: TextureShape, isSampled: Bool = true) throws(GPUError) {
        (self.shape, self.isSampled, self.label) = (shape, isSampled, label)
        var usage: GPUTextureUsage = isSampled ? [.renderAttachment, .textureBinding] : .renderAttachment
        if shape.isReadable { usage.insert(.copySource) }
        texture = try device.makeTexture(
            GPUTextureDescriptor(
                label, size: GPUExtent(shape.width, shape.height), format: shape.format, usage: usage, mipLevelCount: shape.mipLevelCount,
                sampleCount: shape.sampleCount))
        view = try texture.makeView()
        var levels = [view]
        if shape.mipLevelCount > 1 {
            levels = []
            for level in 0..<shape.mipLevelCount { levels.append(try texture.makeView(mipLevels: level..<level + 1)) }
        }
        self.levels = levels
    }

    /// Bytes of GPU memory.
    var memory: Int {
        let bytesPerTexel = (shape.format.bytesPerBlock() ?? 4) * shape.sampleCount
        return (0..<shape.mipLevelCount).reduce(0) { sum, level in
            sum + texture.size(ofMipLevel: level).width * texture.size(ofMipLevel: level).height * bytesPerTexel
        }
    }
}

/// The memory of transient textures, kept from frame to frame.
///
/// A texture that a whole frame did without is freed at the end of that frame.
final class TexturePool {
    private let device: GPUDevice
    private var textures: [FrameTexture] = []
    private var frame: UInt64 = 0

    init(_ device: GPUDevice) { self.device = device }

    /// Bytes of GPU memory.
    var memory: Int { textures.reduce(0) { $0 + $1.memory } }

    /// Returns a texture that is not in use; its contents are undefined.
    func take(_ label: String, _ shape: TextureShape, isSampled: Bool) throws(GPUError) -> FrameTexture {
        let free = textures.first { !$0.isTaken && $0.shape == shape && $0.isSampled == isSampled }
        let texture: FrameTexture
        if let free {
            texture = free
        } else {
            texture = try FrameTexture(device, label, shape, isSampled: isSampled)
            textures.append(texture)
        }
        (texture.isTaken, texture.lastFrame, texture.label) = (true, frame, label)
        return texture
    }

    /// Ends the use of a texture.
    func give(_ texture: FrameTexture) { texture.isTaken = false }

    /// Frees textures that were not used since the last call.
    func endFrame() {
        // An error may have interrupted the frame.
        for texture in textures { texture.isTaken = false }
        textures.removeAll { $0.lastFrame != frame }
        frame += 1
    }

    /// Frees all textures.
    func purge() { textures = [] }

    /// The texture that was last used as the transient texture of this name, for tests.
    func texture(labeled label: String) -> FrameTexture? { textures.last { $0.label == label } }
}
