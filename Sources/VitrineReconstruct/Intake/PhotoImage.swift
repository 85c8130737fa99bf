import VitrineScene
import VitrineVision

extension ColorPlane {
    /// The image's colours, 8 bits, without alpha. nil for an image with floating-point values.
    init?(_ image: Image) {
        let stride: Int
        switch image.format {
        case .rgba8: stride = 1
        case .rgba16: stride = 2
        case .rgba32Float: return nil
        }
        let count = image.width * image.height
        let values = [UInt8](unsafeUninitializedCapacity: count * 3) { target, initialized in
            image.bytes.withUnsafeBufferPointer { source in
                // A 16-bit value's high byte is its second one, and near enough its 8-bit value.
                let offset = stride - 1
                for pixel in 0..<count {
                    let from = pixel &* 4 &* stride &+ offset
                    target[pixel &* 3] = source[from]
                    target[pixel &* 3 &+ 1] = source[from &+ stride]
                    target[pixel &* 3 &+ 2] = source[from &+ 2 &* stride]
                }
            }
            initialized = count * 3
        }
        self.init(width: image.width, height: image.height, values: values)
    }

    /// A smaller image, each pixel the mean of the pixels it covers. Never larger than this one.
    func reduced(maximumSide: Int) -> ColorPlane {
        let size = PhotoSize(width: width, height: height).reduced(maximumSide: maximumSide)
        guard size.width < width || size.height < height else { return self }
        let columns = AreaWeights(from: width, to: size.width)
        let rows = AreaWeights(from: height, to: size.height)
        var result = [UInt8](repeating: 0, count: size.width * size.height * 3)
        var line = [Float](repeating: 0, count: width * 3)
        values.withUnsafeBufferPointer { source in
            for y in 0..<size.height {
                line.withUnsafeMutableBufferPointer { sum in
                    sum.update(repeating: 0)
                    for row in rows.range(y) {
                        let weight = rows.weight(of: row, in: y)
                        let base = row &* width &* 3
                        for index in 0..<width &* 3 { sum[index] += weight * Float(source[base &+ index]) }
                    }
                }
                line.withUnsafeBufferPointer { sum in
                    for x in 0..<size.width {
                        var color = SIMD3<Float>.zero
                        for column in columns.range(x) {
                            let weight = columns.weight(of: column, in: x)
                            color += weight * SIMD3(sum[column &* 3], sum[column &* 3 &+ 1], sum[column &* 3 &+ 2])
                        }
                        let target = (y &* size.width &+ x) &* 3
                        for channel in 0..<3 { result[target &+ channel] = UInt8(max(0, min(255, (color[channel] + 0.5).rounded(.down)))) }
                    }
                }
            }
        }
        return ColorPlane(width: size.width, height: size.height, values: result)
    }

    /// An opaque image of the same colours.
    var image: Image? {
        let count = width * height
        let bytes = [UInt8](unsafeUninitializedCapacity: count * 4) { target, initialized in
            values.withUnsafeBufferPointer { source in
                for pixel in 0..<count {
                    for channel in 0..<3 { target[pixel &* 4 &+ channel] = source[pixel &* 3 &+ channel] }
                    target[pixel &* 4 &+ 3] = 255
                }
            }
            initialized = count * 4
        }
        return try? Image(width: width, height: height, format: .rgba8, bytes: bytes)
    }
}

extension Plane where Value == UInt8 {
    /// The first channel of a mask image: object from half brightness up, so that a lossy mask's ringing does not count; if no pixel is as
    /// bright, the values are labels, and all but 0 are object. nil for an image with floating-point values.
    init?(mask image: Image) {
        guard let values = Self.highBytes(of: image, channel: 0) else { return nil }
        let isLabels = (values.max() ?? 0) < 128
        self.init(width: image.width, height: image.height, values: values.map { $0 >= (isLabels ? 1 : 128) ? 255 : 0 })
    }

    /// 255 where the image is at least half opaque; nil for an image with floating-point values.
    init?(opaquePartOf image: Image) {
        guard let values = Self.highBytes(of: image, channel: 3) else { return nil }
        self.init(width: image.width, height: image.height, values: values.map { $0 >= 128 ? 255 : 0 })
    }

    /// A channel's values, of 16 bits the upper eight; nil for floats.
    private static func highBytes(of image: Image, channel: Int) -> [UInt8]? {
        let bytesPerChannel: Int
        switch image.format {
        case .rgba8: bytesPerChannel = 1
        case .rgba16: bytesPerChannel = 2
        case .rgba32Float: return nil
        }
        let offset = (channel + 1) * bytesPerChannel - 1
        return image.bytes.withUnsafeBufferPointer { source in
            (0..<image.width * image.height).map { source[$0 * 4 * bytesPerChannel + offset] }
        }
    }

    /// The fraction of pixels that are object.
    var coverage: Double { values.isEmpty ? 0 : Double(values.reduce(into: 0) { $0 += $1 != 0 ? 1 : 0 }) / Double(values.count) }
}

/// The cells of a row that the cells of a coarser row cover, with weights that sum to 1 per coarse cell.
private struct AreaWeights {
    private let scale: Double
    private let count: Int

    init(from: Int, to: Int) { (scale, count) = (Double(from) / Double(to), from) }

    func range(_ index: Int) -> Range<Int> {
        let first = Int(Double(index) * scale)
        let last = Int((Double(index + 1) * scale - 1e-9).rounded(.up))
        return first..<max(first + 1, min(count, last))
    }

    func weight(of cell: Int, in index: Int) -> Float {
        let (start, end) = (Double(index) * scale, Double(index + 1) * scale)
        return Float((min(end, Double(cell + 1)) - max(start, Double(cell))) / scale)
    }
}
