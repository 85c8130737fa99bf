import VitrineFiles
import VitrineMath
import VitrineVision

/// The static background in the photos of a camera that didn't move.
struct StaticBackground: Equatable, Sendable {
    /// The median over the photos at each pixel, levels of 255.
    let median: ColorPlane
    /// 1 where nearly all photos show the median.
    let isStill: MaskPlane

    private static let tolerance: Float = 14

    private init(median: ColorPlane, isStill: MaskPlane) { (self.median, self.isStill) = (median, isStill) }

    /// Groups of images of one size whose borders are nearly equal, by index in ascending order.
    static func groups(_ images: [ColorPlane]) -> [[Int]] {
        let borders = images.map { border(of: $0) }
        func isAlike(_ a: Int, _ b: Int) -> Bool {
            guard images[a].width == images[b].width, images[a].height == images[b].height else { return false }
            let alike = zip(borders[a], borders[b]).count { ($0 - $1).magnitude <= tolerance }
            return !borders[a].isEmpty && 4 * alike >= 3 * borders[a].count
        }
        var groups: [[Int]] = []
        for photo in images.indices {
            if let own = groups.firstIndex(where: { isAlike($0[0], photo) }) { groups[own].append(photo) } else { groups.append([photo]) }
        }
        return groups
    }

    /// Every second pixel of the border.
    private static func border(of image: ColorPlane) -> [Vector3] {
        var result: [Vector3] = []
        for y in stride(from: 0, to: image.height, by: 2) {
            for x in stride(from: 0, to: image.width, by: 2) where min(x, y, image.width - 1 - x, image.height - 1 - y) < 4 {
                result.append(image.level(x, y))
            }
        }
        return result
    }

    /// nil unless all images are of one size and much of them, along the border, never changes.
    init?(_ images: [ColorPlane]) {
        let (width, height) = (images[0].width, images[0].height)
        guard images.count >= 6, width > 0, height > 0, images.allSatisfy({ $0.width == width && $0.height == height }) else {
            return nil
        }
        // Two dozen photos are as good as hundreds.
        let step = max(1, images.count / 24)
        let sample = stride(from: 0, to: images.count, by: step).map { images[$0] }
        var values = [UInt8](repeating: 0, count: 3 * width * height)
        var column = [UInt8](repeating: 0, count: sample.count)
        for index in values.indices {
            for (number, image) in sample.enumerated() { column[number] = image.values[index] }
            column.sort()
            values[index] = column[column.count / 2]
        }
        let median = ColorPlane(width: width, height: height, values: values)
        var isStill = MaskPlane(width: width, height: height, repeating: 0)
        for y in 0..<height {
            for x in 0..<width {
                let color = median.level(x, y)
                let alike = sample.count { ($0.level(x, y) - color).magnitude <= StaticBackground.tolerance }
                if 10 * alike >= 9 * sample.count { isStill[x, y] = 1 }
            }
        }
        var (rim, still) = (0, 0)
        for y in 0..<height {
            for x in 0..<width where x < 3 || y < 3 || x >= width - 3 || y >= height - 3 {
                rim += 1
                still += Int(isStill[x, y])
            }
        }
        let share = Double(isStill.values.count { $0 != 0 }) / Double(width * height)
        guard 10 * still >= 7 * rim, share > 0.2, share < 0.97 else { return nil }
        (self.median, self.isStill) = (median, isStill)
    }

    /// The pixels that differ from the static background, enlarged to the photo's size.
    func mask(of photo: ColorPlane) -> MaskPlane {
        let small = photo.averaged(width: median.width, height: median.height)
        let cut = Silhouette.cut(small, tolerance: StaticBackground.tolerance) { x, y in (small.level(x, y) - median.level(x, y)).magnitude
        }
        var result = MaskPlane(width: photo.width, height: photo.height, repeating: 0)
        for y in 0..<photo.height {
            let row = min(median.height - 1, y * median.height / photo.height)
            for x in 0..<photo.width { result[x, y] = cut[min(median.width - 1, x * median.width / photo.width), row] }
        }
        return result
    }
}

extension StaticBackground: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(median)
        writer.encode(StoredMask(mask: isStill))
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> StaticBackground {
        let median: ColorPlane = try reader.decode()
        let isStill = try reader.decode(StoredMask.self).mask
        guard median.width == isStill.width, median.height == isStill.height, median.width > 0, median.height > 0 else {
            throw DamagedCheckpoint()
        }
        return StaticBackground(median: median, isStill: isStill)
    }
}

extension ColorPlane {
    /// A smaller image: each pixel the mean of those it covers. Sides below the given ones stay.
    func averaged(width newWidth: Int, height newHeight: Int) -> ColorPlane {
        guard newWidth < width || newHeight < height, newWidth > 0, newHeight > 0, width > 0, height > 0 else { return self }
        let (columns, rows) = (min(newWidth, width), min(newHeight, height))
        var result = ColorPlane(width: columns, height: rows, values: Array(repeating: 0, count: 3 * columns * rows))
        for y in 0..<rows {
            let (top, bottom) = (y * height / rows, max((y + 1) * height / rows, y * height / rows + 1))
            for x in 0..<columns {
                let (left, right) = (x * width / columns, max((x + 1) * width / columns, x * width / columns + 1))
                var sum = SIMD3<Int>.zero
                for row in top..<bottom {
                    for column in left..<right {
                        let base = 3 * (row * width + column)
                        sum &+= SIMD3(Int(values[base]), Int(values[base + 1]), Int(values[base + 2]))
                    }
                }
                let count = (bottom - top) * (right - left)
                for channel in 0..<3 { result.values[3 * (y * columns + x) + channel] = UInt8((sum[channel] + count / 2) / count) }
            }
        }
        return result
    }

    /// A smaller image with a longer side of at most `side`.
    func thumbnail(side: Int) -> ColorPlane {
        let longer = max(width, height)
        guard longer > side else { return self }
        return averaged(width: max(1, width * side / longer), height: max(1, height * side / longer))
    }
}
