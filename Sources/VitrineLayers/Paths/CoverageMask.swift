import VitrineMath
import VitrineScene

/// The coverage of pixels by outlines, computed as exact areas, not from samples.
///
/// In each row that it crosses, an edge covers part of some pixels and all pixels to their right, with the sign of its direction. The sum over
/// all edges is the winding number averaged over the pixel's square, as in FreeType's rasterizer. Where outlines overlap within one pixel, the
/// average has a small error.
struct CoverageMask {
    let region: PixelRectangle
    /// The differences between neighbouring pixels, by rows.
    private var steps: [Float]

    init(_ region: PixelRectangle) {
        self.region = region
        steps = Array(repeating: 0, count: max(region.width, 0) * max(region.height, 0))
    }

    /// Adds a closed polygon.
    mutating func add(_ polygon: [SIMD2<Double>]) {
        let origin = SIMD2(Double(region.x), Double(region.y))
        guard var last = polygon.last else { return }
        last -= origin
        for point in polygon {
            let next = point - origin
            addEdge(last, next)
            last = next
        }
    }

    private mutating func addEdge(_ a: SIMD2<Double>, _ b: SIMD2<Double>) {
        guard a.y != b.y else { return }
        let (top, bottom) = a.y < b.y ? (a, b) : (b, a)
        let low = max(top.y, 0)
        let high = min(bottom.y, Double(region.height))
        guard low < high else { return }
        let slope = (bottom.x - top.x) / (bottom.y - top.y)
        let direction = a.y < b.y ? 1.0 : -1.0
        var y = low
        var row = Int(low)
        while y < high {
            let end = min(Double(row + 1), high)
            addRow(row, top.x + (y - top.y) * slope, top.x + (end - top.y) * slope, (end - y) * direction)
            (y, row) = (end, row + 1)
        }
    }

    /// Adds a segment of an edge within one row, with the signed height `height`.
    private mutating func addRow(_ row: Int, _ from: Double, _ to: Double, _ height: Double) {
        let (left, right) = (min(from, to), max(from, to))
        guard left < Double(region.width) else { return }
        let span = right - left
        /// Returns the mean distance of the segment to the left of `x`.
        func area(_ x: Double) -> Double {
            if x <= left { return 0 }
            if x >= right { return x - (left + right) / 2 }
            return (x - left) * (x - left) / (2 * span)
        }
        let first = max(Int(max(left, 0)), 0)
        let last = min(Int(min(max(right.rounded(.up), 0), Double(region.width))), region.width - 1)
        var before = 0.0
        var reached = area(Double(first))
        let start = row * region.width
        for x in first...max(first, last) {
            let next = area(Double(x + 1))
            let covered = next - reached
            steps[start + x] += Float(height * (covered - before))
            (before, reached) = (covered, next)
        }
    }

    /// Returns the coverage of each pixel, 0…255, rows from the top.
    func bytes(_ rule: FillRule) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: steps.count)
        for row in 0..<region.height {
            var winding: Float = 0
            for index in row * region.width..<(row + 1) * region.width {
                winding += steps[index]
                let around = abs(winding)
                var covered = min(around, 1)
                if rule == .evenOdd {
                    let rest = around - 2 * (around / 2).rounded(.down)
                    covered = rest > 1 ? 2 - rest : rest
                }
                bytes[index] = UInt8(covered * 255 + 0.5)
            }
        }
        return bytes
    }
}
