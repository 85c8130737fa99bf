import VitrineMath

/// Converts outlines to strokes: polygons of the same orientation, to be filled together by the non-zero rule.
struct Stroker {
    let half: Double
    let stroke: Stroke
    /// The largest distance of round joins and caps from a circle.
    let tolerance: Double
    private(set) var polygons: [[SIMD2<Double>]] = []

    init(_ stroke: Stroke, width: Double, tolerance: Double) {
        (self.stroke, half, self.tolerance) = (stroke, width / 2, tolerance)
    }

    mutating func add(_ outline: FlatOutline) {
        let points = outline.points
        guard points.count > 1 else { return addDot(points.first) }
        let count = outline.isClosed ? points.count : points.count - 1
        for index in 0..<count { addPiece(points[index], points[(index + 1) % points.count]) }
        for index in points.indices {
            if !outline.isClosed, index == 0 || index == points.count - 1 { continue }
            addJoin(points[(index + points.count - 1) % points.count], points[index], points[(index + 1) % points.count])
        }
        guard !outline.isClosed else { return }
        addCap(at: points[0], from: points[1])
        addCap(at: points[points.count - 1], from: points[points.count - 2])
    }

    private func normal(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> SIMD2<Double> {
        let d = normalize(b - a)
        return SIMD2(-d.y, d.x)
    }

    private mutating func addPiece(_ a: SIMD2<Double>, _ b: SIMD2<Double>) {
        let n = normal(a, b) * half
        append([a + n, a - n, b - n, b + n])
    }

    /// Adds the caps of an outline of one point: a dot.
    private mutating func addDot(_ point: SIMD2<Double>?) {
        guard let point else { return }
        switch stroke.cap {
        case .butt: break
        case .round: append(arc(around: point, from: SIMD2(half, 0), by: 2 * .pi))
        case .square:
            append([SIMD2(-half, -half), SIMD2(half, -half), SIMD2(half, half), SIMD2(-half, half)].map { point + $0 })
        }
    }

    private mutating func addCap(at end: SIMD2<Double>, from before: SIMD2<Double>) {
        let n = normal(before, end) * half
        switch stroke.cap {
        case .butt: break
        case .round: append([end] + arc(around: end, from: n, by: -.pi))
        case .square:
            let forward = SIMD2(n.y, -n.x)
            append([end + n, end - n, end - n + forward, end + n + forward])
        }
    }

    /// Fills the gap on the outside of a corner.
    private mutating func addJoin(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>) {
        let (first, second) = (normal(a, b), normal(b, c))
        let turn = atan2(first.x * second.y - first.y * second.x, dot(first, second))
        guard abs(turn) > 1e-9 else { return }
        let side = turn > 0 ? -half : half
        let (from, to) = (first * side, second * side)
        // Small angles occur in curves, which a mitre approximates best.
        let isCurve = abs(turn) < 0.3
        switch isCurve ? .miter : stroke.join {
        case .round: append([b] + arc(around: b, from: from, by: turn))
        case .miter where 1 <= Double(max(stroke.miterLimit, 1)) * max(cos(turn / 2), 0):
            let middle = first + second
            append([b, b + from, b + middle * (side / max(dot(middle, first), 1e-12)), b + to])
        default: append([b, b + from, b + to])
        }
    }

    /// Returns points on an arc, including its ends.
    private func arc(around center: SIMD2<Double>, from: SIMD2<Double>, by angle: Double) -> [SIMD2<Double>] {
        let step = 2 * acos(max(1 - tolerance / max(half, tolerance), 0.5))
        let count = clamp(Int((abs(angle) / max(step, 0.01)).rounded(.up)), 1, 720)
        return (0...count).map { number in
            let turn = angle * Double(number) / Double(count)
            let (s, c) = (sin(turn), cos(turn))
            return center + SIMD2(from.x * c - from.y * s, from.x * s + from.y * c)
        }
    }

    /// All polygons have the same orientation, so that overlaps do not cancel.
    private mutating func append(_ polygon: [SIMD2<Double>]) {
        var area = 0.0
        for (index, point) in polygon.enumerated() {
            let next = polygon[(index + 1) % polygon.count]
            area += point.x * next.y - point.y * next.x
        }
        polygons.append(area < 0 ? polygon.reversed() : polygon)
    }
}

extension FlatOutline {
    /// The largest number of dashes of a stroke.
    static let greatestDashCount = 50_000

    /// Splits outlines into dashes; nil if there would be more than `greatestDashCount`. Returns them unchanged for a pattern of length 0.
    static func dashed(_ outlines: [FlatOutline], _ pattern: [Float], phase: Float) -> [FlatOutline]? {
        var lengths = pattern.map { Double($0) }
        // With an odd number of lengths, dashes and gaps alternate between two rounds of the pattern.
        if !lengths.count.isMultiple(of: 2) { lengths += lengths }
        let period = lengths.reduce(0, +)
        guard period > 0, period.isFinite, lengths.allSatisfy({ $0 >= 0 }), phase.isFinite else { return outlines }
        var dashes: [FlatOutline] = []
        for outline in outlines {
            var offset = Double(phase) - (Double(phase) / period).rounded(.down) * period
            var index = 0
            while offset >= lengths[index] {
                offset -= lengths[index]
                index = (index + 1) % lengths.count
                if offset == 0, lengths[index] > 0 { break }
            }
            let total = outline.length
            guard total / period * Double(lengths.count) < Double(greatestDashCount - dashes.count) else { return nil }
            dashes += outline.cut(lengths, startingAt: index, left: lengths[index] - offset)
        }
        return dashes
    }

    private var length: Double {
        var sum = 0.0
        for (a, b) in pairs { sum += distance(a, b) }
        return sum
    }

    private var pairs: [(SIMD2<Double>, SIMD2<Double>)] {
        let next = points.dropFirst() + (isClosed ? points.prefix(1) : [])
        return Array(zip(points, next))
    }

    private func cut(_ lengths: [Double], startingAt start: Int, left: Double) -> [FlatOutline] {
        var (index, left) = (start, left)
        var dashes: [FlatOutline] = []
        var current = FlatOutline(points: points.first.map { [$0] } ?? [])
        for (a, b) in pairs {
            let length = distance(a, b)
            var done = 0.0
            while length - done > left {
                done += left
                let point = a + (b - a) * (done / length)
                if index.isMultiple(of: 2) {
                    current.points.append(point)
                    dashes.append(current)
                }
                current = FlatOutline(points: [point])
                index = (index + 1) % lengths.count
                left = lengths[index]
            }
            left -= length - done
            current.points.append(b)
        }
        if index.isMultiple(of: 2), current.points.count > 1 { dashes.append(current) }
        return dashes
    }
}
