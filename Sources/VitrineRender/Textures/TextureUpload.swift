import VitrineGPU
import VitrineScene

/// An upload of an image in steps of about a millisecond: a band of rows each, then a mip level each.
final class TextureUpload {
    let versions: [Int]
    private let made: GPUTexture
    private let source: Source
    private let use: TextureUse
    private var row = 0
    private var level = 1

    /// The origin of the first mip level.
    enum Source {
        case texels(TexelData)
        case platform(PlatformImage)
    }

    /// Bytes of a band.
    private static let bandSize = 1 << 20

    init(_ contents: TextureContents, _ source: Source, on device: GPUDevice) throws(GPUError) {
        (versions, use, self.source) = (contents.versions, contents.use, source)
        let (width, height) = source.size
        made = try device.makeTexture(
            GPUTextureDescriptor(
                contents.texture.name, size: GPUExtent(width, height), format: source.format(as: use),
                usage: [.textureBinding, .copyDestination, .renderAttachment],
                mipLevelCount: GPUTexture.fullMipLevelCount(width: width, height: height)))
    }

    /// Takes one step.
    ///
    /// - Returns: Whether it was the last one.
    func advance(_ queue: GPUQueue, _ mipmaps: MipmapGenerator) throws(GPUError) -> Bool {
        if row < made.height {
            switch source {
            case .texels(let texels):
                let rows = row..<min(made.height, row + max(1, Self.bandSize / texels.bytesPerRow))
                let size = GPUExtent(made.width, rows.count)
                texels.withBytes(ofRows: rows) { queue.write($0, to: made.copyInfo(y: rows.lowerBound), size: size) }
                row = rows.upperBound
            case .platform(let image):
                made.copyPlatformImage(image.number)
                row = made.height
            }
        } else {
            try mipmaps.fill(made, level: level, use)
            level += 1
        }
        return row == made.height && level >= made.mipLevelCount
    }

    func makeView() throws(GPUError) -> GPUTextureView { try made.makeView() }

    /// The memory of the texture with all mip levels, in bytes.
    var memory: Int { made.format.bytesPerRow(width: made.width) * made.height * 4 / 3 }
}

extension TextureUpload.Source {
    /// nil if the texture is still encoded.
    init?(_ contents: TextureContents) {
        if let image = contents.texture.platformImage {
            self = .platform(image)
        } else if case .image(let image) = contents.texture.content {
            self = .texels(TexelData(image, use: contents.use, packed: contents.packed?.image))
        } else {
            return nil
        }
    }

    /// The size in pixels.
    var size: (width: Int, height: Int) {
        switch self {
        case .texels(let texels): (texels.width, texels.height)
        case .platform(let image): (image.width, image.height)
        }
    }

    func format(as use: TextureUse) -> GPUTextureFormat {
        switch self {
        case .texels(let texels): texels.format
        case .platform: use == .color ? .rgba8UnormSRGB : .rgba8Unorm
        }
    }
}
