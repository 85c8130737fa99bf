import VitrineMath

/// A binary image for morphology and contour tracing. Its border cells stay false.
struct BinaryMask {
    let width, height: Int
    var values: [Bool]

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        values = Array(repeating: false, count: width * height)
    }

    mutating func dilate(_ radius: Int) { spread(radius, true) }
    mutating func erode(_ radius: Int) { spread(radius, false) }

    /// Spreads `value` to cells at most `radius` columns or rows away: along rows, then along columns.
    private mutating func spread(_ radius: Int, _ value: Bool) {
        for (lines, count, step, stride) in [(height, width, 1, width), (width, height, width, 1)] {
            var row = [Bool](repeating: false, count: count)
            values.withUnsafeMutableBufferPointer { values in
                for line in 0..<lines {
                    for i in 0..<count { row[i] = values[line * stride + i * step] == value }
                    Self.spread(row, radius) { values[line * stride + $0 * step] = value }
                }
            }
        }
    }

    private static func spread(_ row: [Bool], _ radius: Int, _ mark: (Int) -> Void) {
        var next = 0
        for i in row.indices where row[i] {
            let end = min(row.count, i + radius + 1)
            for j in min(max(next, i - radius), end)..<end { mark(j) }
            next = end
        }
    }

    /// Clears all but the largest 4-connected component (the first among equals).
    ///
    /// - Returns: Its first cell in row order; nil if the mask is empty.
    mutating func keepLargest() -> Int? {
        var labels = [Int32](repeating: 0, count: values.count)
        var (best, bestCount, bestStart, label) = (Int32(0), 0, 0, Int32(0))
        var stack: [Int] = []
        for start in values.indices where values[start] && labels[start] == 0 {
            label += 1
            var count = 0
            labels[start] = label
            stack.append(start)
            while let i = stack.popLast() {
                count += 1
                for next in [i - 1, i + 1, i - width, i + width] where values[next] && labels[next] == 0 {
                    labels[next] = label
                    stack.append(next)
                }
            }
            if count > bestCount { (best, bestCount, bestStart) = (label, count, start) }
        }
        guard bestCount > 0 else { return nil }
        for i in values.indices { values[i] = labels[i] == best }
        return bestStart
    }

    /// Traces the component's boundary along cell edges.
    ///
    /// - Parameter start: Its first cell in row order.
    func contour(from start: Int) -> [SIMD2<Int>] {
        let origin = SIMD2(start % width, start / width)
        // Down first, with the component on the left as seen with z down the page: counterclockwise there, as from the normal's side.
        var (position, heading) = (origin, SIMD2(0, 1))
        var corners: [SIMD2<Int>] = []
        repeat {
            corners.append(position)
            repeat { position = position &+ heading } while isStraight(position, heading)
            // Turn left if the component ends ahead on the left, else right.
            let left = SIMD2(heading.y, -heading.x)
            heading =
                isSet(position, heading, left) ? (isSet(position, heading, SIMD2(-heading.y, heading.x)) ? right(heading) : heading) : left
        } while position != origin
        return corners
    }

    private func right(_ heading: SIMD2<Int>) -> SIMD2<Int> { SIMD2(-heading.y, heading.x) }

    /// Whether the boundary continues straight at a corner.
    private func isStraight(_ position: SIMD2<Int>, _ heading: SIMD2<Int>) -> Bool {
        isSet(position, heading, SIMD2(heading.y, -heading.x)) && !isSet(position, heading, right(heading))
    }

    /// Whether the cell ahead of a corner on one side belongs to the component.
    private func isSet(_ position: SIMD2<Int>, _ heading: SIMD2<Int>, _ side: SIMD2<Int>) -> Bool {
        // The four cells around a corner (x, y) are (x − 1 … x, y − 1 … y).
        let toward = heading &+ side
        return values[(position.y + (toward.y > 0 ? 0 : -1)) * width + position.x + (toward.x > 0 ? 0 : -1)]
    }
}
