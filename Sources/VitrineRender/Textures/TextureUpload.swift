import VitrineGPU
import VitrineScene

/// An upload of an image in steps of about a millisecond: a band of rows each, then a mip level each.
final class TextureUpload {
    let owner: Texture
    let version: Int
    private let made: GPUTexture
    private let texels: TexelData
    private let isNormalMap: Bool
    private var row = 0
    private var level = 1

    /// Bytes of a band.
    private static let bandSize = 1 << 20

    init(_ texture: Texture, _ image: Image, as use: TextureUse, on device: GPUDevice) throws(GPUError) {
        (owner, version, isNormalMap) = (texture, texture.version, use == .normal)
        texels = TexelData(image, use: use)
        made = try device.makeTexture(
            GPUTextureDescriptor(
                texture.name, size: GPUExtent(image.width, image.height), format: texels.format,
                usage: [.textureBinding, .copyDestination, .renderAttachment],
                mipLevelCount: GPUTexture.fullMipLevelCount(width: image.width, height: image.height)))
    }

    /// Takes one step.
    ///
    /// - Returns: Whether it was the last one.
    func advance(_ queue: GPUQueue, _ mipmaps: MipmapGenerator) throws(GPUError) -> Bool {
        if row < made.height {
            let rows = row..<min(made.height, row + max(1, Self.bandSize / texels.bytesPerRow))
            let size = GPUExtent(made.width, rows.count)
            texels.withBytes(ofRows: rows) { queue.write($0, to: made.place(y: rows.lowerBound), size: size) }
            row = rows.upperBound
        } else {
            try mipmaps.fill(made, level: level, isNormalMap: isNormalMap)
            level += 1
        }
        return row == made.height && level >= made.mipLevelCount
    }

    func makeView() throws(GPUError) -> GPUTextureView { try made.makeView() }

    /// With all mip levels.
    var memory: Int { texels.bytesPerRow * made.height * 4 / 3 }
}
