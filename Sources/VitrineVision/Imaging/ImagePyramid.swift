/// A grayscale image and its successive reductions by half, as bytes and as floating-point values with a border.
///
/// Coordinates (pixel centres at +0.5) halve exactly from level to level. All values are integers 0…255.
@usableFromInline package struct ImagePyramid: Sendable {
    /// The width of the border, which repeats the outermost values.
    @inlinable package static var border: Int { 24 }

    /// A level of the pyramid, with values for SIMD arithmetic.
    @usableFromInline package struct Level: Sendable {
        /// The size of the level in pixels.
        @usableFromInline package var width, height: Int
        /// The length of a row in values.
        @usableFromInline package var stride: Int
        /// The values in rows from the top, with the border.
        @usableFromInline package var values: [Float]

        @inlinable package init(width: Int = 0, height: Int = 0, stride: Int = 0, values: [Float] = []) {
            (self.width, self.height, self.stride, self.values) = (width, height, stride, values)
        }

        /// The index of pixel (0, 0) in `values`.
        @inlinable package var origin: Int { ImagePyramid.border * stride + ImagePyramid.border }
    }

    package private(set) var levels: [Level] = []
    /// The width of a level 0 pixel in image pixels: a power of two.
    package private(set) var scale = 1
    /// The mean of level 0, 0…255.
    package private(set) var brightness = 0.0
    /// The root mean square difference of neighbouring pixels in level 1 (level 0 if it is the only one), in grey levels. Level 1 has
    /// little noise.
    package private(set) var contrast = 0.0

    private var bytes: [[UInt8]] = []
    private var row: [UInt16] = []

    /// Creates a pyramid without levels.
    package init() {}

    /// Builds the levels of an image. Reuses memory if the size is unchanged.
    /// - Parameters:
    ///   - maximumWidth: The image is halved until it is no wider.
    ///   - count: Number of levels; fewer if they would be smaller than 16 pixels.
    package mutating func build(_ image: Plane<UInt8>, maximumWidth: Int, levels count: Int) {
        var (width, height) = (image.width, image.height)
        var source = image.values
        scale = 1
        while width > max(16, maximumWidth), height > 1 {
            source = halved(source, &width, &height)
            scale *= 2
        }
        var used = 0
        while true {
            if bytes.count == used {
                bytes.append([])
                levels.append(Level())
            }
            bytes[used] = source
            fill(used, width, height)
            used += 1
            guard used < count, min(width, height) >= 32 else { break }
            source = halved(source, &width, &height)
        }
        bytes.removeLast(bytes.count - used)
        levels.removeLast(levels.count - used)
        measure()
    }

    /// Halves an image with the binomial 4×4 kernel 1 3 3 1, rounded.
    private mutating func halved(_ source: [UInt8], _ width: inout Int, _ height: inout Int) -> [UInt8] {
        let (w, h) = (width, height)
        let (newWidth, newHeight) = (w / 2, h / 2)
        if row.count < w + 2 { row = Array(repeating: 0, count: w + 2) }
        let result = [UInt8](unsafeUninitializedCapacity: newWidth * newHeight) { target, count in
            source.withUnsafeBufferPointer { source in
                row.withUnsafeMutableBufferPointer { row in
                    for y in 0..<newHeight {
                        let a = source.baseAddress! + max(0, 2 * y - 1) * w
                        let b = source.baseAddress! + 2 * y * w
                        let c = source.baseAddress! + min(h - 1, 2 * y + 1) * w
                        let d = source.baseAddress! + min(h - 1, 2 * y + 2) * w
                        let sums = row.baseAddress! + 1
                        for x in 0..<w { sums[x] = UInt16(a[x]) &+ UInt16(d[x]) &+ 3 &* (UInt16(b[x]) &+ UInt16(c[x])) }
                        sums[-1] = sums[0]
                        sums[w] = sums[w - 1]
                        let out = target.baseAddress! + y * newWidth
                        for x in 0..<newWidth {
                            let sum = sums[2 * x - 1] &+ sums[2 * x + 2] &+ 3 &* (sums[2 * x] &+ sums[2 * x + 1])
                            out[x] = UInt8(truncatingIfNeeded: (sum &+ 32) &>> 6)
                        }
                    }
                }
            }
            count = newWidth * newHeight
        }
        (width, height) = (newWidth, newHeight)
        return result
    }

    /// Fills a level from its bytes, with borders.
    private mutating func fill(_ index: Int, _ width: Int, _ height: Int) {
        let border = Self.border
        let stride = (width + 2 * border + 15) / 8 * 8
        let count = stride * (height + 2 * border)
        if levels[index].values.count != count { levels[index].values = Array(repeating: 0, count: count) }
        (levels[index].width, levels[index].height, levels[index].stride) = (width, height, stride)
        bytes[index].withUnsafeBufferPointer { source in
            levels[index].values.withUnsafeMutableBufferPointer { target in
                for y in 0..<height {
                    let from = source.baseAddress! + y * width
                    let row = target.baseAddress! + (y + border) * stride
                    for x in 0..<width { row[border + x] = Float(from[x]) }
                    let (first, last) = (row[border], row[border + width - 1])
                    for x in 0..<border { row[x] = first }
                    for x in border + width..<stride { row[x] = last }
                }
                let base = target.baseAddress!
                for y in 0..<border {
                    (base + y * stride).update(from: base + border * stride, count: stride)
                    (base + (border + height + y) * stride).update(from: base + (border + height - 1) * stride, count: stride)
                }
            }
        }
    }

    private mutating func measure() {
        let level = levels[min(1, levels.count - 1)]
        let source = bytes[min(1, levels.count - 1)]
        var (sum, squares) = (0, 0)
        source.withUnsafeBufferPointer { values in
            for y in 0..<level.height {
                let row = values.baseAddress! + y * level.width
                let below = y + 1 < level.height ? row + level.width : row
                var (rowSum, rowSquares): (UInt32, UInt32) = (0, 0)
                for x in 0..<level.width - 1 {
                    let across = Int32(row[x + 1]) &- Int32(row[x])
                    let down = Int32(below[x]) &- Int32(row[x])
                    rowSum &+= UInt32(row[x])
                    rowSquares &+= UInt32(bitPattern: across &* across &+ down &* down)
                }
                sum += Int(rowSum) + Int(row[level.width - 1])
                squares += Int(rowSquares)
            }
        }
        let count = Double(max(1, level.width * level.height))
        brightness = Double(sum) / count
        contrast = (Double(squares) / (2 * count)).squareRoot()
    }
}
