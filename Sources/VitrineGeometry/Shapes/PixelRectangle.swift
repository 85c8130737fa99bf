import VitrineMath

/// A rectangle of whole pixels that extends from (x, y) to the right and down.
package struct PixelRectangle: Equatable, Hashable, Sendable {
    package var x, y, width, height: Int

    package static let zero = PixelRectangle(x: 0, y: 0, width: 0, height: 0)
    /// The limit to which absolute coordinates are clamped.
    package static let greatestCoordinate = 1 << 20

    package init(x: Int, y: Int, width: Int, height: Int) { (self.x, self.y, self.width, self.height) = (x, y, width, height) }

    /// Creates the bounding rectangle of points with a margin; empty if there are no points.
    package init(around points: [SIMD2<Double>], margin: Double) {
        guard var low = points.first else {
            self = .zero
            return
        }
        var high = low
        for point in points { (low, high) = (pointwiseMin(low, point), pointwiseMax(high, point)) }
        self.init(from: low - margin, to: high + margin)
    }

    package init(from low: SIMD2<Double>, to high: SIMD2<Double>) {
        func bounded(_ value: Double) -> Int {
            Int(min(max(value, -Double(Self.greatestCoordinate)), Double(Self.greatestCoordinate)))
        }
        let (a, b) = (low.rounded(.down), high.rounded(.up))
        self.init(x: bounded(a.x), y: bounded(a.y), width: max(bounded(b.x) - bounded(a.x), 0), height: max(bounded(b.y) - bounded(a.y), 0))
    }

    package var isEmpty: Bool { width <= 0 || height <= 0 }
    package var endX: Int { x + width }
    package var endY: Int { y + height }
    package var corners: [SIMD2<Double>] {
        let (a, b, c, d) = (Double(x), Double(y), Double(endX), Double(endY))
        return [SIMD2(a, b), SIMD2(c, b), SIMD2(c, d), SIMD2(a, d)]
    }

    package func intersection(_ other: PixelRectangle) -> PixelRectangle {
        let (left, top) = (max(x, other.x), max(y, other.y))
        return PixelRectangle(
            x: left, y: top, width: max(min(endX, other.endX) - left, 0), height: max(min(endY, other.endY) - top, 0))
    }

    package func union(_ other: PixelRectangle) -> PixelRectangle {
        if isEmpty { return other }
        if other.isEmpty { return self }
        let (left, top) = (min(x, other.x), min(y, other.y))
        return PixelRectangle(x: left, y: top, width: max(endX, other.endX) - left, height: max(endY, other.endY) - top)
    }

    package func grown(by pixels: Int) -> PixelRectangle {
        PixelRectangle(x: x - pixels, y: y - pixels, width: width + 2 * pixels, height: height + 2 * pixels)
    }

    /// Returns the rectangle extended to the right and down, so that both sizes are multiples of `step`.
    package func roundedUp(to step: Int) -> PixelRectangle {
        PixelRectangle(x: x, y: y, width: (width + step - 1) / step * step, height: (height + step - 1) / step * step)
    }
}
