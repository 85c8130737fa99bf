import VitrineMath
import VitrineVision

extension CellGrid {
    /// The outer edge of the largest piece, gaps up to `bridging` metres closed, holes filled; empty where nothing is occupied.
    ///
    /// In the cells' corners, counterclockwise as seen from the plane's normal.
    func outline(bridging: Double) -> [Vector2d] {
        let radius = max(1, Int((bridging / 2 / Self.cell).rounded(.up)))
        var mask = Mask(width: width + 2 * radius + 2, height: height + 2 * radius + 2)
        for i in weights.indices where isOccupied(i) {
            mask.values[(i / width + radius + 1) * mask.width + i % width + radius + 1] = true
        }
        mask.grow(radius)
        mask.shrink(radius)
        guard let start = mask.keepLargest() else { return [] }
        return mask.contour(from: start).map {
            Vector2d(Double($0.x + left - radius - 1), Double($0.y + top - radius - 1)) * Self.cell
        }
    }
}

/// Cells that belong to a plane and cells that don't; the border cells never do.
struct Mask {
    let width, height: Int
    var values: [Bool]

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        values = Array(repeating: false, count: width * height)
    }

    mutating func grow(_ radius: Int) { spread(radius, true) }
    mutating func shrink(_ radius: Int) { spread(radius, false) }

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

    /// Clears all but the largest 4-connected piece, the first among equals; the first cell of it by rows.
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

    /// Walks round the piece along the edges of its cells, from the upper left corner of `start`, its first cell by rows.
    func contour(from start: Int) -> [SIMD2<Int>] {
        let origin = SIMD2(start % width, start / width)
        // Down first with the piece on the left hand as seen with z down the page: counterclockwise there, as from the normal's side.
        var (place, heading) = (origin, SIMD2(0, 1))
        var corners: [SIMD2<Int>] = []
        repeat {
            corners.append(place)
            repeat { place = place &+ heading } while isStraight(place, heading)
            // Left where the piece ends ahead on the left; otherwise right.
            let left = SIMD2(heading.y, -heading.x)
            heading = holds(place, heading, left) ? (holds(place, heading, SIMD2(-heading.y, heading.x)) ? right(heading) : heading) : left
        } while place != origin
        return corners
    }

    private func right(_ heading: SIMD2<Int>) -> SIMD2<Int> { SIMD2(-heading.y, heading.x) }

    /// Whether the border goes straight on at a corner.
    private func isStraight(_ place: SIMD2<Int>, _ heading: SIMD2<Int>) -> Bool {
        holds(place, heading, SIMD2(heading.y, -heading.x)) && !holds(place, heading, right(heading))
    }

    /// Whether the cell ahead of a corner on one side belongs to the piece.
    private func holds(_ place: SIMD2<Int>, _ heading: SIMD2<Int>, _ side: SIMD2<Int>) -> Bool {
        // The four cells around a corner (x, y) are (x − 1 … x, y − 1 … y).
        let toward = heading &+ side
        return values[(place.y + (toward.y > 0 ? 0 : -1)) * width + place.x + (toward.x > 0 ? 0 : -1)]
    }
}
