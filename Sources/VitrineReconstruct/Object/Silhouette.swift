import VitrineVision

/// Segments an object from its background.
enum Silhouette {
    /// Flood-fills the background from the border: 255 object, 0 background.
    ///
    /// Regions inside the object that match the background well, and are not specks, are holes; those that barely match, such as a shaded
    /// side in front of a dark cloth, stay object. Removes specks outside the object.
    ///
    /// - Parameters:
    ///   - tolerance: The largest difference of a background pixel.
    ///   - difference: A pixel's difference from the background.
    static func cut(_ photo: ColorPlane, tolerance: Float, difference: (_ x: Int, _ y: Int) -> Float) -> MaskPlane {
        let (width, height) = (photo.width, photo.height)
        var mask = MaskPlane(width: width, height: height, repeating: 255)
        var differences = [Float](repeating: 0, count: width * height)
        for y in 0..<height {
            for x in 0..<width { differences[y * width + x] = difference(x, y) }
        }
        let alike = PixelRegions(width: width, height: height) { differences[$0] <= tolerance }
        var sums = [Double](repeating: 0, count: alike.sizes.count)
        for pixel in differences.indices where alike.labels[pixel] >= 0 { sums[Int(alike.labels[pixel])] += Double(differences[pixel]) }
        let isBackground = alike.sizes.indices.map { region in
            let isHole = alike.sizes[region] >= width * height / 2000 && sums[region] <= Double(tolerance) / 2 * Double(alike.sizes[region])
            return alike.reachesBorder[region] || isHole
        }
        for pixel in mask.values.indices where alike.labels[pixel] >= 0 && isBackground[Int(alike.labels[pixel])] { mask.values[pixel] = 0 }
        removeSpecks(&mask)
        return mask
    }

    /// Pieces under a twentieth of the largest, or a thousandth of the photo, become background.
    static func removeSpecks(_ mask: inout MaskPlane) {
        let pieces = PixelRegions(width: mask.width, height: mask.height) { [mask] in mask.values[$0] != 0 }
        let least = max((pieces.sizes.max() ?? 0) / 20, mask.width * mask.height / 1000)
        for pixel in mask.values.indices where pieces.labels[pixel] >= 0 && pieces.sizes[Int(pieces.labels[pixel])] < least {
            mask.values[pixel] = 0
        }
    }
}

/// 4-connected regions of pixels of one kind.
struct PixelRegions {
    /// The region of each pixel, row after row; −1 where the pixel is not of the kind.
    private(set) var labels: [Int32]
    /// Pixels of each region.
    private(set) var sizes: [Int] = []
    private(set) var reachesBorder: [Bool] = []

    init(width: Int, height: Int, isMember: (_ pixel: Int) -> Bool) {
        labels = (0..<width * height).map { isMember($0) ? -2 : -1 }
        var front: [Int] = []
        for start in labels.indices where labels[start] == -2 {
            let label = Int32(sizes.count)
            labels[start] = label
            front.append(start)
            var (size, isOpen) = (0, false)
            while let pixel = front.popLast() {
                size += 1
                let (x, y) = (pixel % width, pixel / width)
                if x == 0 || y == 0 || x == width - 1 || y == height - 1 { isOpen = true }
                func visit(_ other: Int) {
                    guard labels[other] == -2 else { return }
                    labels[other] = label
                    front.append(other)
                }
                if x > 0 { visit(pixel - 1) }
                if x + 1 < width { visit(pixel + 1) }
                if y > 0 { visit(pixel - width) }
                if y + 1 < height { visit(pixel + width) }
            }
            sizes.append(size)
            reachesBorder.append(isOpen)
        }
    }
}
