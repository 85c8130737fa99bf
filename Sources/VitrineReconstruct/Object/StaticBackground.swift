import VitrineFiles
import VitrineMath
import VitrineVision

/// The static background in the photos of a camera that did not move.
///
/// Only the pixels that never change, out to the border, are background. The rest is the same in all photos: the region through which the object
/// turns. The parts that the object covers in most photos cannot be compared with the background behind it, and would be treated as background.
struct StaticBackground: Equatable, Sendable {
    /// 0 at the background, 255 elsewhere; of the images' size.
    let region: MaskPlane
    /// The median of the images, a clean plate: the background where `region` is 0.
    let image: ColorPlane

    private static let tolerance: Float = 14

    private init(region: MaskPlane, image: ColorPlane) { (self.region, self.image) = (region, image) }

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
        // Two dozen photos suffice.
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
        let noise = StaticBackground.noise(sample, around: median)
        var isStill = MaskPlane(width: width, height: height, repeating: 0)
        var isSame = isStill
        for y in 0..<height {
            for x in 0..<width {
                let color = median.level(x, y)
                let differences = sample.map { ($0.level(x, y) - color).magnitude }
                if 10 * differences.count(where: { $0 <= StaticBackground.tolerance }) >= 9 * sample.count { isStill[x, y] = 1 }
                if 10 * differences.count(where: { $0 <= 4 * noise }) >= 9 * sample.count { isSame[x, y] = 1 }
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
        region = StaticBackground.region(outside: isSame)
        image = median
    }

    /// The median difference of the images' border from their median, levels of 255, at least 1.
    static func noise(_ images: [ColorPlane], around median: ColorPlane) -> Float {
        let middle = border(of: median)
        let differences = images.flatMap { image in zip(border(of: image), middle).map { Double(($0 - $1).magnitude) } }
        return Float(max(1, quantile(differences, 0.5)))
    }

    /// Everything but the pixels that are connected to the border, grown by a pixel, without specks.
    private static func region(outside isSame: MaskPlane) -> MaskPlane {
        let (width, height) = (isSame.width, isSame.height)
        let same = PixelRegions(width: width, height: height) { isSame.values[$0] != 0 }
        var region = MaskPlane(width: width, height: height, repeating: 0)
        for pixel in region.values.indices {
            let label = Int(same.labels[pixel])
            if label < 0 || !same.reachesBorder[label] { region.values[pixel] = 255 }
        }
        Silhouette.removeSpecks(&region)
        var grown = region
        for y in 0..<height {
            for x in 0..<width where region[x, y] != 0 {
                for row in max(0, y - 1)...min(height - 1, y + 1) {
                    for column in max(0, x - 1)...min(width - 1, x + 1) { grown[column, row] = 255 }
                }
            }
        }
        return grown
    }

    /// Whether the background at `outside` looks like the region at `inside`; nil unless these pixels are background and region.
    ///
    /// - Parameters: Positions as fractions of the image's width and height.
    func continues(from inside: Vector2d, to outside: Vector2d) -> Bool? {
        guard let (inner, outer) = pixel(inside).flatMap({ inner in pixel(outside).map { (inner, $0) } }),
            region[inner.x, inner.y] != 0, region[outer.x, outer.y] == 0
        else { return nil }
        // Light falls off between them.
        return (image.level(inner.x, inner.y) - image.level(outer.x, outer.y)).magnitude <= 1.5 * StaticBackground.tolerance
    }

    private func pixel(_ position: Vector2d) -> (x: Int, y: Int)? {
        guard (0..<1).contains(position.x), (0..<1).contains(position.y) else { return nil }
        return (Int(position.x * Double(region.width)), Int(position.y * Double(region.height)))
    }
}

extension StaticBackground: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(StoredMask(mask: region))
        writer.encode(image)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> StaticBackground {
        let region = try reader.decode(StoredMask.self).mask
        let image: ColorPlane = try reader.decode()
        guard region.width > 0, region.height > 0, (image.width, image.height) == (region.width, region.height) else {
            throw DamagedCheckpoint()
        }
        return StaticBackground(region: region, image: image)
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
