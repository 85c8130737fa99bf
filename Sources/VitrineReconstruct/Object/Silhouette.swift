import VitrineVision

/// Cuts an object out of its background.
enum Silhouette {
    /// What remains when the background is poured in over the border: 255 object, 0 background.
    ///
    /// Background-coloured places inside the object stay object, and specks outside it go.
    static func cut(_ picture: ColorPlane, isBackground: (_ x: Int, _ y: Int) -> Bool) -> MaskPlane {
        let (width, height) = (picture.width, picture.height)
        var mask = MaskPlane(width: width, height: height, repeating: 255)
        var front: [Int] = []
        func visit(_ x: Int, _ y: Int) {
            guard mask.values[y * width + x] != 0, isBackground(x, y) else { return }
            mask.values[y * width + x] = 0
            front.append(y * width + x)
        }
        for x in 0..<width {
            visit(x, 0)
            visit(x, height - 1)
        }
        for y in 0..<height {
            visit(0, y)
            visit(width - 1, y)
        }
        while let pixel = front.popLast() {
            let (x, y) = (pixel % width, pixel / width)
            if x > 0 { visit(x - 1, y) }
            if x + 1 < width { visit(x + 1, y) }
            if y > 0 { visit(x, y - 1) }
            if y + 1 < height { visit(x, y + 1) }
        }
        removeSpecks(&mask)
        return mask
    }

    /// Pieces under a twentieth of the largest, or a thousandth of the picture, become background.
    static func removeSpecks(_ mask: inout MaskPlane) {
        let (width, height) = (mask.width, mask.height)
        var labels = [Int32](repeating: -1, count: width * height)
        var sizes: [Int] = []
        var front: [Int] = []
        for start in labels.indices where labels[start] < 0 && mask.values[start] != 0 {
            let label = Int32(sizes.count)
            labels[start] = label
            front.append(start)
            var size = 0
            while let pixel = front.popLast() {
                size += 1
                let (x, y) = (pixel % width, pixel / width)
                func visit(_ other: Int) {
                    guard labels[other] < 0, mask.values[other] != 0 else { return }
                    labels[other] = label
                    front.append(other)
                }
                if x > 0 { visit(pixel - 1) }
                if x + 1 < width { visit(pixel + 1) }
                if y > 0 { visit(pixel - width) }
                if y + 1 < height { visit(pixel + width) }
            }
            sizes.append(size)
        }
        let least = max((sizes.max() ?? 0) / 20, width * height / 1000)
        for pixel in labels.indices where labels[pixel] >= 0 && sizes[Int(labels[pixel])] < least { mask.values[pixel] = 0 }
    }
}
