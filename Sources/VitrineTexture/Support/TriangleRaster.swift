import VitrineMath

/// The pixels whose centres are inside a triangle: exact, so that triangles that share an edge neither miss nor share a pixel.
///
/// Corners are rounded to 1/256 of a pixel; a pixel (x, y) has its centre at (x + 0.5, y + 0.5).
enum TriangleRaster {
    /// Corners farther from the origin than this, in pixels, exceed the range of the integers.
    static let reach: Float = 1_048_576

    @inline(__always)
    private static func snapped(_ p: Vector2) -> SIMD2<Int> { SIMD2(Int((p.x * 256).rounded()), Int((p.y * 256).rounded())) }

    /// Calls `body` for each row with its range of pixels, within 0..<width and 0..<height. Either winding.
    @inline(__always)
    static func scan(
        _ p: Vector2, _ q: Vector2, _ r: Vector2, width: Int, height: Int, _ body: (_ y: Int, _ xs: Range<Int>) -> Void
    ) {
        let largest = max(max(abs(p.x), abs(p.y)), max(max(abs(q.x), abs(q.y)), max(abs(r.x), abs(r.y))))
        guard largest < reach else { return }
        let a = snapped(p)
        var (b, c) = (snapped(q), snapped(r))
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
        guard area != 0 else { return }
        if area < 0 { swap(&b, &c) }
        let first = max(0, (min(a.y, min(b.y, c.y)) + 127) >> 8)
        let last = min(height - 1, (max(a.y, max(b.y, c.y)) - 128) >> 8)
        guard first <= last else { return }
        for y in first...last {
            let center = y * 256 + 128
            var (low, high) = (0, width - 1)
            clip(a, b, center, &low, &high)
            clip(b, c, center, &low, &high)
            clip(c, a, center, &low, &high)
            if low <= high { body(y, low..<high + 1) }
        }
    }

    /// Clips a row to the left side of the edge; of two triangles that share an edge one owns the points on it.
    @inline(__always)
    private static func clip(_ a: SIMD2<Int>, _ b: SIMD2<Int>, _ y: Int, _ low: inout Int, _ high: inout Int) {
        let (dx, dy) = (b.x - a.x, b.y - a.y)
        let owns = dy > 0 || (dy == 0 && dx < 0)
        let bound = dx * (y - a.y) + dy * a.x - (owns ? 0 : 1)
        if dy > 0 {
            high = min(high, (floorDivide(bound, dy) - 128) >> 8)
        } else if dy < 0 {
            low = max(low, (-floorDivide(bound, -dy) + 127) >> 8)
        } else if bound < 0 {
            high = -1
        }
    }

    @inline(__always)
    private static func floorDivide(_ a: Int, _ b: Int) -> Int {
        let quotient = a / b
        return quotient * b > a ? quotient - 1 : quotient
    }
}
