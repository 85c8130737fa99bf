import VitrineGPU
import VitrineMath
import VitrineScene

/// What shadows take of the light on a piece of floor: an `r8` with mip levels, cut to where it is dark.
struct ReceiverShadowMap {
    let texture: GPUTextureView
    /// What it covers, in the floor's x and z; its first row is the one of the least z.
    let area: Rectangle

    /// nil where nothing is dark.
    ///
    /// - Parameters:
    ///   - image: Its alpha is what is taken.
    ///   - area: Of the floor, what the image shows.
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
                "floor shadow", size: GPUExtent(width, height), format: .r8Unorm, usage: [.textureBinding, .copyDestination],
                mipLevelCount: levels.count))
        for (level, bytes) in levels.enumerated() {
            device.queue.write(bytes, to: made.place(mipLevel: level), size: GPUExtent(sizes[level].0, sizes[level].1))
        }
        texture = try made.makeView()
        let texel = area.size / Vector2(Float(image.width), Float(image.height))
        self.area = Rectangle(
            origin: area.origin + Vector2(Float(part.x.lowerBound), Float(part.y.lowerBound)) * texel,
            size: Vector2(Float(width), Float(height)) * texel)
    }

    /// Around the texels that take more than a level of 255, and one more on each side.
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

    /// Means of two by two; an odd side's last line counts to the one before it.
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
