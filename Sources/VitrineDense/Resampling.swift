import VitrineVision

extension GrayPlane {
    /// The plane reduced to another size: each pixel is the mean of the pixels that it covers. Returns the plane unchanged if the size is not smaller.
    func areaAveraged(width newWidth: Int, height newHeight: Int) -> GrayPlane {
        guard newWidth < width || newHeight < height else { return self }
        let across = GrayPlane.spans(from: width, to: newWidth)
        let down = GrayPlane.spans(from: height, to: newHeight)
        var rows = GrayPlane(width: newWidth, height: height, repeating: 0)
        for y in 0..<height {
            for x in 0..<newWidth {
                var sum: Float = 0
                for (index, weight) in across[x].weights.enumerated() { sum += weight * values[y * width + across[x].first + index] }
                rows.values[y * newWidth + x] = sum
            }
        }
        var result = GrayPlane(width: newWidth, height: newHeight, repeating: 0)
        for y in 0..<newHeight {
            for (index, weight) in down[y].weights.enumerated() {
                let source = (down[y].first + index) * newWidth
                for x in 0..<newWidth { result.values[y * newWidth + x] += weight * rows.values[source + x] }
            }
        }
        return result
    }

    /// Returns, for each new pixel, the old pixels that it covers and their weights, which sum to 1.
    private static func spans(from old: Int, to new: Int) -> [(first: Int, weights: [Float])] {
        let factor = Double(old) / Double(new)
        return (0..<new).map { index in
            let (start, end) = (Double(index) * factor, Double(index + 1) * factor)
            let first = min(Int(start), old - 1)
            let last = min(old - 1, max(first, Int(end.rounded(.up)) - 1))
            let weights = (first...last).map { Float((min(end, Double($0 + 1)) - max(start, Double($0))) / factor) }
            let total = weights.reduce(0, +)
            return (first, weights.map { $0 / total })
        }
    }
}
