import VitrineMath

extension FloatImage {
    /// The image blurred by a Gaussian of standard deviation `sigma` pixels, truncated at four; the edge pixels extend beyond the border.
    func blurred(sigma: Float) -> FloatImage {
        let result = FloatImage(width: width, height: height)
        blur(sigma: sigma, into: result)
        return result
    }

    private func blur(sigma: Float, into result: FloatImage) {
        let kernel = Self.halfKernel(sigma: sigma)
        let radius = kernel.count - 1
        // The border left of the row, aligned to whole vectors.
        let border = (radius + 15) / 16 * 16
        let vertical = UnsafeMutablePointer<Float>.allocate(capacity: stride + 2 * border)
        defer { vertical.deallocate() }
        vertical.initialize(repeating: 0, count: stride + 2 * border)
        let middle = vertical + border
        let (last, columns) = (height - 1, stride)
        kernel.withUnsafeBufferPointer { weights in
            for y in 0..<height {
                let center = row(y)
                var x = 0
                while x < columns {
                    // Two vectors at once hide the latency of the additions. (At the end they may be the same.)
                    let next = min(x + 16, columns - 16)
                    var sum = load16(center + x) * weights[0]
                    var nextSum = load16(center + next) * weights[0]
                    for i in 1..<weights.count {
                        let (above, below) = (row(max(0, y - i)), row(min(last, y + i)))
                        sum = (load16(above + x) + load16(below + x)) * weights[i] + sum
                        nextSum = (load16(above + next) + load16(below + next)) * weights[i] + nextSum
                    }
                    store(sum, middle + x)
                    store(nextSum, middle + next)
                    x += 32
                }
                let (left, right) = (middle[0], middle[width - 1])
                for i in 1...max(1, radius) { middle[-i] = left }
                for i in width..<(width + max(1, radius)) { middle[i] = right }
                let target = result.row(y)
                x = 0
                while x < width {
                    let source = middle + x
                    var sum = load16(source) * weights[0]
                    for i in 1..<weights.count { sum = (load16(source - i) + load16(source + i)) * weights[i] + sum }
                    store(sum, target + x)
                    x += 16
                }
            }
        }
    }

    /// The centre and one side of a Gaussian that sums to 1.
    private static func halfKernel(sigma: Float) -> [Float] {
        let radius = max(1, Int((4 * sigma).rounded(.up)))
        var weights = (0...radius).map { i in VitrineMath.exp(-0.5 * (Float(i) / sigma) * (Float(i) / sigma)) }
        let sum = 2 * weights.reduce(0, +) - weights[0]
        for i in weights.indices { weights[i] /= sum }
        return weights
    }

    /// Every second pixel of every second row, from the first.
    func halved() -> FloatImage {
        let result = FloatImage(width: (width + 1) / 2, height: (height + 1) / 2)
        for y in 0..<result.height {
            let (source, target) = (row(2 * y), result.row(y))
            for x in 0..<result.width { target[x] = source[2 * x] }
        }
        return result
    }

    /// Twice the size less one, by linear interpolation: pixel (2x, 2y) is this image's (x, y).
    func doubled() -> FloatImage {
        let result = FloatImage(width: 2 * width - 1, height: 2 * height - 1)
        for y in 0..<result.height {
            let (above, below, target) = (row(y / 2), row((y + 1) / 2), result.row(y))
            for x in 0..<width { target[2 * x] = 0.5 * (above[x] + below[x]) }
            var x = 1
            while x < result.width {
                target[x] = 0.5 * (target[x - 1] + target[x + 1])
                x += 2
            }
        }
        return result
    }

    /// A smaller image whose pixels average the area that they cover.
    func shrunk(width newWidth: Int, height newHeight: Int) -> FloatImage {
        let result = FloatImage(width: newWidth, height: newHeight)
        let (columns, rows) = (Self.coverage(from: width, to: newWidth), Self.coverage(from: height, to: newHeight))
        let line = UnsafeMutablePointer<Float>.allocate(capacity: stride)
        defer { line.deallocate() }
        for y in 0..<newHeight {
            line.initialize(repeating: 0, count: stride)
            for (k, weight) in rows[y].weights.enumerated() {
                let source = row(rows[y].start + k)
                for x in 0..<width { line[x] = source[x] * weight + line[x] }
            }
            let target = result.row(y)
            for x in 0..<newWidth {
                let start = columns[x].start
                var sum: Float = 0
                for (k, weight) in columns[x].weights.enumerated() { sum = line[start + k] * weight + sum }
                target[x] = sum
            }
        }
        return result
    }

    /// The old pixels that a new one covers, with their weights.
    private static func coverage(from old: Int, to new: Int) -> [(start: Int, weights: [Float])] {
        let ratio = Double(old) / Double(new)
        return (0..<new).map { i in
            let (lower, upper) = (Double(i) * ratio, Double(i + 1) * ratio)
            let start = min(old - 1, Int(lower))
            let end = max(start + 1, min(old, Int(upper.rounded(.up))))
            let weights = (start..<end).map { Float(max(0, min(upper, Double($0 + 1)) - max(lower, Double($0))) / ratio) }
            return (start, weights)
        }
    }
}
