import VitrineMath

/// A path flattened to line segments with the tangents of their curves.
struct FlatPath {
    struct Piece {
        var from, to: SIMD2<Double>
        /// The unit tangents of the curve at both ends; for a line, its direction.
        var startTangent, endTangent: SIMD2<Double>
    }

    private(set) var pieces: [Piece] = []
    private(set) var minimum = SIMD2<Double>(repeating: .infinity)
    private(set) var maximum = SIMD2<Double>(repeating: -.infinity)

    /// The largest angle between consecutive segments of a curve of any size.
    private static let greatestTurn = 12.0 * .pi / 180
    /// The limit of coordinates for computations in single precision.
    private static let greatestCoordinate: Float = 1e15

    /// Flattens the curves of a path.
    ///
    /// - Parameter flatness: The largest distance of a segment from its curve, in the path's unit; nil for 1/2,000 of the path's larger side.
    init(_ path: Path, flatness: Float?) throws(PathError) {
        var size: Float = 0
        if let box = path.controlBounds { size = (box.maximum - box.minimum).max() }
        let asked = flatness.map { $0 > 0 && $0.isFinite ? $0 : size / 2000 } ?? size / 2000
        let tolerance = Double(max(asked, size * 1e-6))
        var (pen, start) = (SIMD2<Double>(0, 0), SIMD2<Double>(0, 0))
        for (number, element) in path.elements.enumerated() {
            switch element {
            case .move(let point):
                addLine(pen, start)
                pen = try FlatPath.checked(point, number)
                start = pen
            case .line(let point):
                let end = try FlatPath.checked(point, number)
                addLine(pen, end)
                pen = end
            case .quadratic(let point, let control):
                let (end, middle) = (try FlatPath.checked(point, number), try FlatPath.checked(control, number))
                // A quadratic curve equals a cubic one with handles of two thirds of the length.
                addCubic(pen, pen + (middle - pen) * 2 / 3, end + (middle - end) * 2 / 3, end, tolerance)
                pen = end
            case .cubic(let point, let control1, let control2):
                let end = try FlatPath.checked(point, number)
                addCubic(pen, try FlatPath.checked(control1, number), try FlatPath.checked(control2, number), end, tolerance)
                pen = end
            case .close:
                addLine(pen, start)
                pen = start
            }
            guard pieces.count <= Path.maximumPieces else { throw .tooComplex }
        }
        addLine(pen, start)
    }

    private static func checked(_ point: Vector2, _ element: Int) throws(PathError) -> SIMD2<Double> {
        guard abs(point.x) <= greatestCoordinate, abs(point.y) <= greatestCoordinate else { throw .notFinite(element: element) }
        return SIMD2(Double(point.x), Double(point.y))
    }

    private mutating func addLine(_ from: SIMD2<Double>, _ to: SIMD2<Double>) {
        let direction = normalize(to - from)
        add(Piece(from: from, to: to, startTangent: direction, endTangent: direction))
    }

    private mutating func add(_ piece: Piece) {
        guard piece.from != piece.to else { return }
        pieces.append(piece)
        minimum = pointwiseMin(minimum, pointwiseMin(piece.from, piece.to))
        maximum = pointwiseMax(maximum, pointwiseMax(piece.from, piece.to))
    }

    /// Adds equal steps of the parameter. Their number follows from the curve's second differences (Wang's bound) and from its angles.
    private mutating func addCubic(
        _ p0: SIMD2<Double>, _ p1: SIMD2<Double>, _ p2: SIMD2<Double>, _ p3: SIMD2<Double>, _ tolerance: Double
    ) {
        let bend = max(length(p0 - p1 * 2 + p2), length(p1 - p2 * 2 + p3))
        let bySize = tolerance > 0 ? (0.75 * bend / tolerance).squareRoot() : 1
        let legs = [p1 - p0, p2 - p1, p3 - p2].filter { lengthSquared($0) > 0 }
        var turn = 0.0
        for number in legs.indices.dropFirst() {
            let (a, b) = (normalize(legs[number - 1]), normalize(legs[number]))
            turn += abs(atan2(a.x * b.y - a.y * b.x, dot(a, b)))
        }
        let count = clamp(Int(max(bySize, turn / FlatPath.greatestTurn).rounded(.up)), 1, 256)
        func point(_ t: Double) -> SIMD2<Double> {
            let s = 1 - t
            let ends = p0 * (s * s * s) + p3 * (t * t * t)
            return ends + p1 * (3 * s * s * t) + p2 * (3 * s * t * t)
        }
        func tangent(_ t: Double) -> SIMD2<Double> {
            let s = 1 - t
            let direction = normalize((p1 - p0) * (s * s) + (p2 - p1) * (2 * s * t) + (p3 - p2) * (t * t))
            guard direction == SIMD2(0, 0) else { return direction }
            // A handle of length 0: the next handle gives the tangent.
            return normalize((t < 0.5 ? legs.first : legs.last) ?? SIMD2(0, 0))
        }
        var (from, direction) = (p0, tangent(0))
        for step in 1...count {
            let t = Double(step) / Double(count)
            let (to, next) = (step == count ? p3 : point(t), tangent(t))
            add(Piece(from: from, to: to, startTangent: direction, endTangent: next))
            (from, direction) = (to, next)
        }
    }
}
