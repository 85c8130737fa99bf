import VitrineMath

/// A chart's shape in cells, row by row.
struct CellShape: Sendable {
    let width, height: Int
    /// The first cell of the shape, in the chart's scaled coordinates.
    let origin: Vector2
    /// The number of set cells.
    private(set) var count = 0
    private var bits: [Bool]
    /// The runs of set cells: row, first column, length.
    private(set) var runs: [(y: Int, x: Int, length: Int)] = []

    init(width: Int, height: Int, origin: Vector2) {
        (self.width, self.height, self.origin) = (width, height, origin)
        bits = Array(repeating: false, count: width * height)
        if width > ChartPacking.gridSize { count = width * height }
    }

    /// Sets the cells within `margin` samples of a row's samples.
    mutating func mark(rows y: Int, columns: Range<Int>, margin: Int, samples: Int) {
        let (top, bottom) = (max(0, (y - margin) / samples), min(height - 1, (y + margin) / samples))
        let (left, right) = (max(0, (columns.lowerBound - margin) / samples), min(width - 1, (columns.upperBound - 1 + margin) / samples))
        guard top <= bottom, left <= right else { return }
        for row in top...bottom { for x in left...right { bits[row * width + x] = true } }
    }

    mutating func finish() {
        runs = []
        count = 0
        for y in 0..<height {
            var x = 0
            while x < width {
                guard bits[y * width + x] else {
                    x += 1
                    continue
                }
                let start = x
                while x < width, bits[y * width + x] { x += 1 }
                runs.append((y, start, x - start))
                count += x - start
            }
        }
        // Long runs exclude most positions: testing them first ends the search in a row early.
        runs.sort { ($1.length, $0.y, $0.x) < ($0.length, $1.y, $1.x) }
    }

    /// The shape rotated by 90°, counterclockwise with y up.
    func turned() -> CellShape {
        var result = CellShape(width: height, height: width, origin: origin)
        guard width <= ChartPacking.gridSize, height <= ChartPacking.gridSize else { return result }
        for y in 0..<height { for x in 0..<width where bits[y * width + x] { result.bits[x * height + (height - 1 - y)] = true } }
        result.finish()
        return result
    }
}

/// A square of free and occupied cells.
struct CellGrid {
    private let size: Int
    private let words: Int
    private var taken: [UInt64]

    init(size: Int) {
        (self.size, words) = (size, size / 64)
        taken = Array(repeating: 0, count: size * size / 64)
    }

    /// The lowest, then leftmost position at which the shape's cells are free and its top is at most `limit`.
    func lowest(_ shape: CellShape, below limit: Int) -> (x: Int, y: Int)? {
        guard shape.width <= size, shape.height <= min(size, limit) else { return nil }
        let columns = size - shape.width + 1
        return taken.withUnsafeBufferPointer { taken in
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 2 * words) { scratch -> (x: Int, y: Int)? in
                for y in 0...min(size, limit) - shape.height {
                    for w in 0..<words { scratch[w] = 0 }
                    var isOpen = true
                    for run in shape.runs {
                        block(taken.baseAddress! + (y + run.y) * words, run.x, run.length, scratch)
                        if isFull(scratch, columns) {
                            isOpen = false
                            break
                        }
                    }
                    guard isOpen else { continue }
                    for w in 0..<words where scratch[w] != .max {
                        let x = w * 64 + (~scratch[w]).trailingZeroBitCount
                        if x < columns { return (x, y) }
                        break
                    }
                }
                return nil
            }
        }
    }

    /// Marks the positions x at which a run that starts `x0` cells to the right meets an occupied cell of the row.
    @inline(__always)
    private func block(_ row: UnsafePointer<UInt64>, _ x0: Int, _ length: Int, _ scratch: UnsafeMutableBufferPointer<UInt64>) {
        let spread = scratch.baseAddress! + words
        for w in 0..<words { spread[w] = row[w] }
        // Doubling: after each step a bit is set if one of the next `covered` cells is occupied.
        var covered = 1
        while covered < length {
            let step = min(covered, length - covered)
            for w in 0..<words { spread[w] |= shifted(spread, w, step) }
            covered += step
        }
        for w in 0..<words { scratch[w] |= shifted(spread, w, x0) }
    }

    /// Word w of the row moved left by `step` cells. Words above w are still unchanged.
    @inline(__always)
    private func shifted(_ row: UnsafeMutablePointer<UInt64>, _ w: Int, _ step: Int) -> UInt64 {
        let (whole, part) = (w &+ step >> 6, UInt64(truncatingIfNeeded: step & 63))
        guard whole < words else { return 0 }
        let low = row[whole] &>> part
        guard part > 0, whole &+ 1 < words else { return low }
        return low | row[whole &+ 1] &<< (64 &- part)
    }

    @inline(__always)
    private func isFull(_ scratch: UnsafeMutableBufferPointer<UInt64>, _ columns: Int) -> Bool {
        for w in 0..<columns >> 6 where scratch[w] != .max { return false }
        let rest = columns & 63
        guard rest > 0 else { return true }
        let mask = (UInt64(1) << UInt64(rest)) - 1
        return scratch[columns >> 6] & mask == mask
    }

    mutating func occupy(_ shape: CellShape, x: Int, y: Int) {
        for run in shape.runs {
            for column in x + run.x..<x + run.x + run.length {
                taken[(y + run.y) * words + column >> 6] |= 1 << UInt64(column & 63)
            }
        }
    }
}
