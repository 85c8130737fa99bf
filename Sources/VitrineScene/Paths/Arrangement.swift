import VitrineMath

/// Line segments on a grid, split at all intersections: no segment crosses another one or contains an end point of another one.
///
/// Intersections are moved to the nearest grid point, which bends their segments slightly; the search repeats until there are none.
struct Arrangement {
    /// A segment between two points, with the number of times it was drawn from `a` to `b`, minus that in the other direction.
    struct Edge {
        var a, b: Int
        var winding: Int32
        /// The piece of the path that the segment belongs to.
        var source: Int32
    }

    private(set) var points: [GridPoint] = []
    private(set) var edges: [Edge] = []
    /// Whether segments were split, or overlapped.
    private(set) var isChanged = false
    private var numbers: [GridPoint: Int] = [:]

    private static let maximumRounds = 24
    /// The maximum number of tested pairs of segments, which limits the time to seconds for any input.
    private var remainingPairs = 1 << 27

    /// Splits segments at their intersections.
    ///
    /// - Parameter pieces: The segments, from point to point. `Edge.source` is an index into this array.
    init(_ pieces: [(from: GridPoint, to: GridPoint)]) throws(PathError) {
        for (source, piece) in pieces.enumerated() where piece.from != piece.to {
            edges.append(Edge(a: number(of: piece.from), b: number(of: piece.to), winding: 1, source: Int32(source)))
        }
        mergeEqual()
        for _ in 0..<Arrangement.maximumRounds {
            let cuts = try findCuts()
            if cuts.isEmpty { return }
            apply(cuts)
            mergeEqual()
        }
        throw .tangled
    }

    private mutating func number(of point: GridPoint) -> Int {
        if let known = numbers[point] { return known }
        numbers[point] = points.count
        points.append(point)
        return points.count - 1
    }

    // MARK: Splitting

    private struct Cut {
        var edge, point: Int
    }

    /// Returns every point at which a segment must be split. Processes segments from left to right.
    private mutating func findCuts() throws(PathError) -> [Cut] {
        let order = edges.indices.sorted { (leftmost($0), $0) < (leftmost($1), $1) }
        var cuts: [Cut] = []
        var open: [Int] = []
        for edge in order {
            let left = leftmost(edge)
            open.removeAll { rightmost($0) < left }
            remainingPairs -= open.count
            guard remainingPairs > 0, cuts.count <= Path.maximumPieces else { throw .tooComplex }
            for other in open { meet(edge, other, &cuts) }
            open.append(edge)
        }
        return cuts
    }

    private func leftmost(_ edge: Int) -> Int64 { min(points[edges[edge].a].x, points[edges[edge].b].x) }
    private func rightmost(_ edge: Int) -> Int64 { max(points[edges[edge].a].x, points[edges[edge].b].x) }

    private mutating func meet(_ first: Int, _ second: Int, _ cuts: inout [Cut]) {
        let (e, f) = (edges[first], edges[second])
        let (a, b, c, d) = (points[e.a], points[e.b], points[f.a], points[f.b])
        guard max(a.y, b.y) >= min(c.y, d.y), max(c.y, d.y) >= min(a.y, b.y) else { return }
        let (toC, toD) = (GridPoint.turn(a, b, c), GridPoint.turn(a, b, d))
        if toC > 0 && toD > 0 || toC < 0 && toD < 0 { return }
        let (toA, toB) = (GridPoint.turn(c, d, a), GridPoint.turn(c, d, b))
        if toA > 0 && toB > 0 || toA < 0 && toB < 0 { return }
        if toC != 0 && toD != 0 && toA != 0 && toB != 0 {
            let share = Double(toA) / (Double(toA) - Double(toB))
            let crossing = number(of: PlanarGrid.rounded(a.vector + (b.vector - a.vector) * share))
            if crossing != e.a && crossing != e.b { cuts.append(Cut(edge: first, point: crossing)) }
            if crossing != f.a && crossing != f.b { cuts.append(Cut(edge: second, point: crossing)) }
            return
        }
        if toC == 0, isInside(c, a, b) { cuts.append(Cut(edge: first, point: f.a)) }
        if toD == 0, isInside(d, a, b) { cuts.append(Cut(edge: first, point: f.b)) }
        if toA == 0, isInside(a, c, d) { cuts.append(Cut(edge: second, point: e.a)) }
        if toB == 0, isInside(b, c, d) { cuts.append(Cut(edge: second, point: e.b)) }
    }

    /// Returns whether a point of the line is between the two ends.
    private func isInside(_ point: GridPoint, _ a: GridPoint, _ b: GridPoint) -> Bool {
        point != a && point != b && point.x >= min(a.x, b.x) && point.x <= max(a.x, b.x) && point.y >= min(a.y, b.y)
            && point.y <= max(a.y, b.y)
    }

    private mutating func apply(_ cuts: [Cut]) {
        isChanged = true
        var cutsOfEdge: [[Int]] = Array(repeating: [], count: edges.count)
        for cut in cuts { cutsOfEdge[cut.edge].append(cut.point) }
        var result: [Edge] = []
        result.reserveCapacity(edges.count + cuts.count)
        for (number, edge) in edges.enumerated() {
            let (start, direction) = (points[edge.a], points[edge.b] - points[edge.a])
            func distance(_ point: Int) -> Int64 {
                let offset = points[point] - start
                return offset.x * direction.x + offset.y * direction.y
            }
            var last = edge.a
            for point in cutsOfEdge[number].sorted(by: { (distance($0), $0) < (distance($1), $1) }) + [edge.b] where point != last {
                result.append(Edge(a: last, b: point, winding: edge.winding, source: edge.source))
                last = point
            }
        }
        edges = result
    }

    /// Merges segments between the same two points and removes those that cancel each other.
    private mutating func mergeEqual() {
        for number in edges.indices where edges[number].a > edges[number].b {
            (edges[number].a, edges[number].b) = (edges[number].b, edges[number].a)
            edges[number].winding = -edges[number].winding
        }
        let order = edges.indices.sorted { (edges[$0].a, edges[$0].b, $0) < (edges[$1].a, edges[$1].b, $1) }
        var result: [Edge] = []
        for number in order {
            let edge = edges[number]
            if let last = result.last, last.a == edge.a, last.b == edge.b {
                result[result.count - 1].winding += edge.winding
                isChanged = true
            } else {
                result.append(edge)
            }
        }
        edges = result.filter { $0.winding != 0 }
    }
}
