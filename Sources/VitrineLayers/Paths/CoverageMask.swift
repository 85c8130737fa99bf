import VitrineMath
import VitrineScene

/// The share of each pixel that lies inside of outlines: exact areas, not samples.
///
/// An edge covers, in each row that it crosses, part of some pixels and all pixels to their right, down or up as it runs; the sum over all
/// edges is how often the outline goes around the pixel, averaged over its square. (The idea of FreeType's and of many other rasterizers.)
/// Where outlines overlap within one pixel the average can't tell the overlap from the rest: such pixels may be off by a little.
struct CoverageMask {
    let region: PixelRectangle
    /// Differences from pixel to pixel, in rows.
    private var steps: [Float]

    init(_ region: PixelRectangle) {
        self.region = region
        steps = Array(repeating: 0, count: max(region.width, 0) * max(region.height, 0))
    }

    /// Adds a polygon that goes around what is inside.
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

    /// A piece of an edge within one row, of signed height `height`.
    private mutating func addRow(_ row: Int, _ from: Double, _ to: Double, _ height: Double) {
        let (left, right) = (min(from, to), max(from, to))
        guard left < Double(region.width) else { return }
        let span = right - left
        /// The mean over the piece of how far it lies to the left of `x`.
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

    /// 0…255 a pixel, rows from the top.
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
