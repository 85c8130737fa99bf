import VitrineVision

/// The outlines of dark regions on lighter ground.
///
/// A pixel is dark where it is below the middle between the darkest and the lightest around it; where there is little between them it is neither.
struct DarkRegions {
    /// The edge of the tiles over which the darkest and the lightest are sought, in pixels.
    private static let tile = 4
    private let width, height: Int
    /// 1 for dark, 2 for dark and already in a region.
    private var marks: [UInt8]

    /// - Parameter contrast: the least difference between darkest and lightest around, in grey levels.
    init(_ image: TrackingImage, contrast: Int) {
        (width, height) = (image.width, image.height)
        marks = Array(repeating: 0, count: width * height)
        let columns = (width + Self.tile - 1) / Self.tile
        let rows = (height + Self.tile - 1) / Self.tile
        var (lowest, highest) = ([UInt8](repeating: 255, count: columns * rows), [UInt8](repeating: 0, count: columns * rows))
        for y in 0..<height {
            for x in 0..<width {
                let (cell, value) = (y / Self.tile * columns + x / Self.tile, image.values[y * width + x])
                if value < lowest[cell] { lowest[cell] = value }
                if value > highest[cell] { highest[cell] = value }
            }
        }
        for row in 0..<rows {
            for column in 0..<columns {
                var (low, high) = (255, 0)
                for r in max(0, row - 1)...min(rows - 1, row + 1) {
                    for c in max(0, column - 1)...min(columns - 1, column + 1) {
                        low = min(low, Int(lowest[r * columns + c]))
                        high = max(high, Int(highest[r * columns + c]))
                    }
                }
                // All of a tile in a wide dark area is dark if it is as dark as its surroundings' darkest.
                guard high - low >= contrast else { continue }
                let middle = (low + high) / 2
                for y in row * Self.tile..<min(height, (row + 1) * Self.tile) {
                    for x in column * Self.tile..<min(width, (column + 1) * Self.tile)
                    where Int(image.values[y * width + x]) < middle { marks[y * width + x] = 1 }
                }
            }
        }
    }

    /// The outer outlines of the regions that are wide and high enough, in reading order of their first pixels.
    ///
    /// An outline runs around its region with the region to the right, pixel by pixel; longer ones than `longest` are passed over.
    mutating func outlines(smallest: Int, longest: Int) -> [[SIMD2<Int32>]] {
        var result: [[SIMD2<Int32>]] = []
        var stack: [Int] = []
        for start in marks.indices where marks[start] == 1 {
            var (left, right, top, bottom) = (width, 0, height, 0)
            marks[start] = 2
            stack.append(start)
            while let at = stack.popLast() {
                let (x, y) = (at % width, at / width)
                (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), max(bottom, y))
                if x > 0, marks[at - 1] == 1 { mark(at - 1, &stack) }
                if x + 1 < width, marks[at + 1] == 1 { mark(at + 1, &stack) }
                if y > 0, marks[at - width] == 1 { mark(at - width, &stack) }
                if y + 1 < height, marks[at + width] == 1 { mark(at + width, &stack) }
            }
            guard right - left >= smallest, bottom - top >= smallest else { continue }
            if let outline = trace(start % width, start / width, longest) { result.append(outline) }
        }
        return result
    }

    private mutating func mark(_ at: Int, _ stack: inout [Int]) {
        marks[at] = 2
        stack.append(at)
    }

    private func isDark(_ x: Int, _ y: Int) -> Bool { x >= 0 && y >= 0 && x < width && y < height && marks[y * width + x] != 0 }

    /// Walks along the pixels' edges between dark and not, from the upper edge of a region's first pixel (nothing dark is above it).
    private func trace(_ startX: Int, _ startY: Int, _ longest: Int) -> [SIMD2<Int32>]? {
        // On the grid of pixel corners, heading right, the region below.
        let steps = [(1, 0), (0, 1), (-1, 0), (0, -1)]
        var (x, y, heading) = (startX, startY, 0)
        var outline: [SIMD2<Int32>] = []
        repeat {
            outline.append(SIMD2(Int32(x), Int32(y)))
            guard outline.count <= longest else { return nil }
            x += steps[heading].0
            y += steps[heading].1
            // The two pixels ahead of this corner: right of the way, and left of it. Only edges join a region, as when it was filled.
            let (right, left) = Self.ahead(x, y, heading)
            if !isDark(right.0, right.1) {
                heading = (heading + 1) % 4
            } else if isDark(left.0, left.1) {
                heading = (heading + 3) % 4
            }
        } while !(x == startX && y == startY && heading == 0)
        return outline
    }

    private static func ahead(_ x: Int, _ y: Int, _ heading: Int) -> (right: (Int, Int), left: (Int, Int)) {
        switch heading {
        case 0: ((x, y), (x, y - 1))
        case 1: ((x - 1, y), (x, y))
        case 2: ((x - 1, y - 1), (x - 1, y))
        default: ((x, y - 1), (x - 1, y - 1))
        }
    }
}
