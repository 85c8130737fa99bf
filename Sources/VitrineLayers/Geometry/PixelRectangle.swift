/// A rectangle of whole pixels.
struct PixelRectangle: Equatable, Hashable, Sendable {
    var x, y, width, height: Int

    static let zero = PixelRectangle(x: 0, y: 0, width: 0, height: 0)
    /// Coordinates are clamped to ± this value.
    static let greatestCoordinate = 1 << 20

    init(x: Int, y: Int, width: Int, height: Int) { (self.x, self.y, self.width, self.height) = (x, y, width, height) }

    /// The bounding pixels of these points with a margin; empty if there are no points.
    init(around points: [SIMD2<Double>], margin: Double) {
        guard var low = points.first else {
            self = .zero
            return
        }
        var high = low
        for point in points { (low, high) = (pointwiseMin(low, point), pointwiseMax(high, point)) }
        self.init(from: low - margin, to: high + margin)
    }

    init(from low: SIMD2<Double>, to high: SIMD2<Double>) {
        func held(_ value: Double) -> Int {
            Int(min(max(value, -Double(Self.greatestCoordinate)), Double(Self.greatestCoordinate)))
        }
        let (a, b) = (low.rounded(.down), high.rounded(.up))
        self.init(x: held(a.x), y: held(a.y), width: max(held(b.x) - held(a.x), 0), height: max(held(b.y) - held(a.y), 0))
    }

    var isEmpty: Bool { width <= 0 || height <= 0 }
    var endX: Int { x + width }
    var endY: Int { y + height }
    var corners: [SIMD2<Double>] {
        let (a, b, c, d) = (Double(x), Double(y), Double(endX), Double(endY))
        return [SIMD2(a, b), SIMD2(c, b), SIMD2(c, d), SIMD2(a, d)]
    }

    func intersection(_ other: PixelRectangle) -> PixelRectangle {
        let (left, top) = (max(x, other.x), max(y, other.y))
        return PixelRectangle(
            x: left, y: top, width: max(min(endX, other.endX) - left, 0), height: max(min(endY, other.endY) - top, 0))
    }

    func union(_ other: PixelRectangle) -> PixelRectangle {
        if isEmpty { return other }
        if other.isEmpty { return self }
        let (left, top) = (min(x, other.x), min(y, other.y))
        return PixelRectangle(x: left, y: top, width: max(endX, other.endX) - left, height: max(endY, other.endY) - top)
    }

    func grown(by pixels: Int) -> PixelRectangle {
        PixelRectangle(x: x - pixels, y: y - pixels, width: width + 2 * pixels, height: height + 2 * pixels)
    }

    /// Extended to the right and below, so that both sizes are multiples of `step`.
    func roundedUp(to step: Int) -> PixelRectangle {
        PixelRectangle(x: x, y: y, width: (width + step - 1) / step * step, height: (height + step - 1) / step * step)
    }
}
