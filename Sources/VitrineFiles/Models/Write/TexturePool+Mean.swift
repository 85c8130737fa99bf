import VitrineMath
import VitrineScene

extension TexturePool {
    /// The mean of one channel over a texture, 0 … 1; nil if the texture can't be decoded.
    func mean(_ texture: Texture, _ channel: TextureChannel) -> Float? {
        sampledMean(texture) { pixel in Vector4(repeating: pixel[channel.rawValue]) }?.x
    }

    /// The mean linear color of an sRGB texture, with its alpha; nil if the texture can't be decoded.
    func meanColor(_ texture: Texture) -> Vector4? {
        sampledMean(texture) { pixel in
            Vector4(linearFromSRGB(pixel.x), linearFromSRGB(pixel.y), linearFromSRGB(pixel.z), pixel.w)
        }
    }

    /// Over at most 4,096 pixels, spread evenly.
    private func sampledMean(_ texture: Texture, _ value: (Vector4) -> Vector4) -> Vector4? {
        guard let image = try? pixels(texture), image.format != .rgba32Float, image.width > 0, image.height > 0 else { return nil }
        let channelBytes = image.format.bytesPerPixel / 4
        let step = (max(image.width / 64, 1), max(image.height / 64, 1))
        var (sum, count) = (Vector4(repeating: 0), Float(0))
        for y in stride(from: step.1 / 2, to: image.height, by: step.1) {
            for x in stride(from: step.0 / 2, to: image.width, by: step.0) {
                let start = (y * image.width + x) * image.format.bytesPerPixel
                // The upper byte of 16 bits is the second one.
                func channel(_ index: Int) -> Float { Float(image.bytes[start + index * channelBytes + channelBytes - 1]) / 255 }
                sum += value(Vector4(channel(0), channel(1), channel(2), channel(3)))
                count += 1
            }
        }
        return count > 0 ? sum / count : nil
    }
}
