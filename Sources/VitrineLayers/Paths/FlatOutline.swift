import VitrineMath
import VitrineScene

/// A subpath flattened to a polyline.
struct FlatOutline {
    var points: [SIMD2<Double>] = []
    /// Whether the subpath is closed or ends at its start.
    var isClosed = false

    /// The largest number of points of all outlines of a path.
    static let greatestCount = 1 << 20

    /// Returns the outlines of a path. Subpaths with coordinates that are not finite are omitted.
    ///
    /// - Parameters:
    ///   - tolerance: The largest distance of a segment from its curve.
    ///   - greatestTurn: The largest angle between consecutive segments of a curve, in radians.
    static func outlines(of path: Path, tolerance: Double, greatestTurn: Double = .infinity) -> [FlatOutline] {
        var builder = Builder(tolerance: max(tolerance, 1e-9), greatestTurn: greatestTurn)
        for element in path.elements where builder.count < greatestCount { builder.add(element) }
        builder.finish(isClosed: false)
        return builder.outlines
    }

    private struct Builder {
        let tolerance, greatestTurn: Double
        var outlines: [FlatOutline] = []
        var current = FlatOutline()
        var count = 0

        mutating func add(_ element: Path.Element) {
            switch element {
            case .move(let point):
                finish(isClosed: false)
                append(SIMD2(point))
            case .line(let point): append(SIMD2(point))
            case .quadratic(let point, let control):
                let (from, end, middle) = (current.points.last ?? SIMD2(0, 0), SIMD2<Double>(point), SIMD2<Double>(control))
                // A quadratic curve equals a cubic one with its control points at two thirds of the distance.
                curve(from + (middle - from) * 2 / 3, end + (middle - end) * 2 / 3, end)
            case .cubic(let point, let first, let second): curve(SIMD2(first), SIMD2(second), SIMD2(point))
            case .close: finish(isClosed: true)
            }
        }

        mutating func append(_ point: SIMD2<Double>) {
            guard current.points.last != point else { return }
            current.points.append(point)
            count += 1
        }

        /// Adds equal steps of the parameter. Their number follows from the second differences (Wang's bound) and the angles of the curve.
        mutating func curve(_ b: SIMD2<Double>, _ c: SIMD2<Double>, _ d: SIMD2<Double>) {
            let a = current.points.last ?? SIMD2(0, 0)
            let bend = max(length(a - b * 2 + c), length(b - c * 2 + d))
            var steps = (0.75 * bend / tolerance).squareRoot()
            if greatestTurn.isFinite { steps = max(steps, turn([b - a, c - b, d - c]) / greatestTurn) }
            guard steps.isFinite else { return append(d) }
            let number = clamp(Int(steps.rounded(.up)), 1, 1000)
            for step in 1..<max(number, 1) {
                let t = Double(step) / Double(number)
                let s = 1 - t
                append(a * (s * s * s) + b * (3 * s * s * t) + (c * (3 * s * t * t) + d * (t * t * t)))
            }
            append(d)
        }

        private func turn(_ legs: [SIMD2<Double>]) -> Double {
            let legs = legs.filter { lengthSquared($0) > 0 }
            var sum = 0.0
            for (first, second) in zip(legs, legs.dropFirst()) {
                sum += abs(atan2(first.x * second.y - first.y * second.x, dot(first, second)))
            }
            return sum
        }

        mutating func finish(isClosed: Bool) {
            defer { current = FlatOutline() }
            guard let first = current.points.first, current.points.allSatisfy({ $0.isFinite }) else { return }
            current.isClosed = isClosed
            if current.points.count > 2, current.points.last == first {
                current.points.removeLast()
                current.isClosed = true
            }
            outlines.append(current)
        }
    }
}
