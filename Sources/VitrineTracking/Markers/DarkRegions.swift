import VitrineVision

/// Segments dark regions and traces their outlines.
///
/// A pixel is dark if it is below the mean of the local minimum and maximum, in areas with enough contrast.
struct DarkRegions {
    /// Size of the tiles for the local minimum and maximum in pixels.
    private static let tile = 4
    private let width, height: Int
    /// The mark of each pixel: 1 is dark; 2 is dark and part of a region.
    private var marks: [UInt8]

    /// Searches an image for dark regions.
    ///
    /// - Parameter contrast: Smallest difference of local maximum and minimum in grey levels.
    init(_ image: Plane<UInt8>, contrast: Int) {
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
                guard high - low >= contrast else { continue }
                let middle = (low + high) / 2
                for y in row * Self.tile..<min(height, (row + 1) * Self.tile) {
                    for x in column * Self.tile..<min(width, (column + 1) * Self.tile)
                    where Int(image.values[y * width + x]) < middle { marks[y * width + x] = 1 }
                }
            }
        }
    }

    /// The outer outlines of large enough regions, in the order of the image's rows.
    ///
    /// An outline follows the pixel edges with the region on the right.
    /// - Parameters:
    ///   - minimumSize: Smallest width and height in pixels.
    ///   - maximumLength: Longer outlines are skipped.
    mutating func outlines(minimumSize smallest: Int, maximumLength longest: Int) -> [[SIMD2<Int32>]] {
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

    /// Traces the outline from the upper edge of a region's first pixel.
    private func trace(_ startX: Int, _ startY: Int, _ longest: Int) -> [SIMD2<Int32>]? {
        // On the grid of pixel corners, starting to the right with the region below.
        let steps = [(1, 0), (0, 1), (-1, 0), (0, -1)]
        var (x, y, heading) = (startX, startY, 0)
        var outline: [SIMD2<Int32>] = []
        repeat {
            outline.append(SIMD2(Int32(x), Int32(y)))
            guard outline.count <= longest else { return nil }
            x += steps[heading].0
            y += steps[heading].1
            // The two pixels ahead, right and left of the path. Regions are 4-connected.
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
