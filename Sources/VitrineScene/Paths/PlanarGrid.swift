import VitrineMath

/// A point with whole coordinates of at most 2²⁵, so that 64-bit integers determine exactly on which side of a line it is.
struct GridPoint: Equatable, Hashable {
    var x, y: Int64

    static func - (a: GridPoint, b: GridPoint) -> GridPoint { GridPoint(x: a.x - b.x, y: a.y - b.y) }

    /// Returns twice the area of the triangle a, b, c: positive if it is counter-clockwise.
    static func turn(_ a: GridPoint, _ b: GridPoint, _ c: GridPoint) -> Int64 {
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    }

    /// Returns whether `a` is left of `b`, or below it at equal x.
    static func isBefore(_ a: GridPoint, _ b: GridPoint) -> Bool { a.x != b.x ? a.x < b.x : a.y < b.y }

    var vector: SIMD2<Double> { SIMD2(Double(x), Double(y)) }
}

/// The position of the grid in the plane: 2²⁵ steps across the larger side.
struct PlanarGrid {
    let center: SIMD2<Double>
    /// The length of a step.
    let step: Double

    static let halfSize = Double(1 << 24)

    init(minimum: SIMD2<Double>, maximum: SIMD2<Double>) {
        center = (minimum + maximum) / 2
        step = max((maximum - minimum).max() / 2 / PlanarGrid.halfSize, .leastNormalMagnitude)
    }

    /// Returns the nearest grid point.
    func point(_ position: SIMD2<Double>) -> GridPoint { PlanarGrid.rounded((position - center) / step) }

    /// Returns the nearest grid point to a position in steps.
    static func rounded(_ steps: SIMD2<Double>) -> GridPoint {
        let limit = 2 * halfSize
        return GridPoint(x: Int64(clamp(steps.x, -limit, limit).rounded()), y: Int64(clamp(steps.y, -limit, limit).rounded()))
    }

    func position(_ point: GridPoint) -> SIMD2<Double> { center + point.vector * step }
}
