import VitrineGPU
import VitrineMath
import VitrineScene

/// The shadow on a receiver: the share of light that is blocked, an `r8` texture with mip levels, cropped to the dark part.
struct ReceiverShadowMap {
    let texture: GPUTextureView
    /// The covered area in the receiver's x and z; the first row has the smallest z.
    let area: Rectangle

    /// Returns nil without shadow.
    ///
    /// - Parameters:
    ///   - image: Its alpha is the share of blocked light.
    ///   - area: The area of the image on the receiver.
    init?(_ image: Image, of area: Rectangle, _ device: GPUDevice) throws(GPUError) {
        guard let part = Self.darkPart(image) else { return nil }
        let (width, height) = (part.x.count, part.y.count)
        var levels = [
            [UInt8](unsafeUninitializedCapacity: width * height) { bytes, count in
                for (row, y) in part.y.enumerated() {
                    for (column, x) in part.x.enumerated() { bytes[row * width + column] = image.bytes[4 * (y * image.width + x) + 3] }
                }
                count = width * height
            }
        ]
        var size = (width, height)
        var sizes = [size]
        while size.0 > 1 || size.1 > 1 {
            levels.append(Self.half(levels[levels.count - 1], size))
            size = (max(size.0 / 2, 1), max(size.1 / 2, 1))
            sizes.append(size)
        }
        let made = try device.makeTexture(
            GPUTextureDescriptor(
                "receiver shadow", size: GPUExtent(width, height), format: .r8Unorm, usage: [.textureBinding, .copyDestination],
                mipLevelCount: levels.count))
        for (level, bytes) in levels.enumerated() {
            device.queue.write(bytes, to: made.copyInfo(mipLevel: level), size: GPUExtent(sizes[level].0, sizes[level].1))
        }
        texture = try made.makeView()
        let texel = area.size / Vector2(Float(image.width), Float(image.height))
        self.area = Rectangle(
            origin: area.origin + Vector2(Float(part.x.lowerBound), Float(part.y.lowerBound)) * texel,
            size: Vector2(Float(width), Float(height)) * texel)
    }

    /// The bounds of all texels above level 1 of 255, with a margin of one texel.
    private static func darkPart(_ image: Image) -> (x: Range<Int>, y: Range<Int>)? {
        var (low, high) = (SIMD2(Int.max, Int.max), SIMD2(-1, -1))
        for y in 0..<image.height {
            for x in 0..<image.width where image.bytes[4 * (y * image.width + x) + 3] > 1 {
                low = pointwiseMin(low, SIMD2(x, y))
                high = pointwiseMax(high, SIMD2(x, y))
            }
        }
        guard high.x >= 0 else { return nil }
        return (max(low.x - 1, 0)..<min(high.x + 2, image.width), max(low.y - 1, 0)..<min(high.y + 2, image.height))
    }

    /// Downsamples by 2 × 2 means; the last row or column of an odd size joins the one before it.
    private static func half(_ level: [UInt8], _ size: (Int, Int)) -> [UInt8] {
        let (width, height) = (max(size.0 / 2, 1), max(size.1 / 2, 1))
        var result = [UInt8](repeating: 0, count: width * height)
        for y in 0..<height {
            let rows = 2 * y..<(y == height - 1 ? size.1 : 2 * y + 2)
            for x in 0..<width {
                let columns = 2 * x..<(x == width - 1 ? size.0 : 2 * x + 2)
                var sum = 0
                for row in rows { for column in columns { sum += Int(level[row * size.0 + column]) } }
                result[y * width + x] = UInt8((sum + rows.count * columns.count / 2) / (rows.count * columns.count))
            }
        }
        return result
    }
}
