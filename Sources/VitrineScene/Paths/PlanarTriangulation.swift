import VitrineMath

/// A constrained Delaunay triangulation: triangles over grid points that include given edges.
///
/// Inserts points from left to right and connects each with the visible part of the hull. Then flips edges until the given ones exist
/// (Sloan 1993) and the others satisfy the empty-circle condition (Lawson 1977). Orientation tests are exact.
///
/// Half-edge h belongs to triangle h / 3, is counter-clockwise around it, and begins in `origin[h]`.
struct PlanarTriangulation {
    let points: [GridPoint]
    private(set) var origin: [Int] = []
    /// The half-edge on the other side; −1 on the hull.
    private(set) var twin: [Int] = []
    /// The given edge of which this half-edge is a side; −1 for none.
    private(set) var given: [Int32] = []
    /// A half-edge that begins at each point; −1 for none.
    private var outgoing: [Int]

    var triangleCount: Int { origin.count / 3 }

    static func next(_ h: Int) -> Int { h % 3 == 2 ? h - 2 : h + 1 }
    static func previous(_ h: Int) -> Int { h % 3 == 0 ? h + 2 : h - 1 }
    func target(_ h: Int) -> Int { origin[PlanarTriangulation.next(h)] }

    /// Triangulates points with given edges.
    ///
    /// - Parameter edges: Pairs of point indices; the edges must neither intersect nor contain points.
    /// - Throws: `.tangled` if they do.
    init(points: [GridPoint], edges: [(Int, Int)]) throws(PathError) {
        self.points = points
        outgoing = Array(repeating: -1, count: points.count)
        sweep()
        guard triangleCount > 0 else { return }
        legalize()
        for (number, edge) in edges.enumerated() { try insert(edge.0, edge.1, number: Int32(number)) }
        legalize()
    }

    // MARK: Sweeping

    private mutating func addTriangle(_ a: Int, _ b: Int, _ c: Int) -> Int {
        let h = origin.count
        origin += [a, b, c]
        twin += [-1, -1, -1]
        given += [-1, -1, -1]
        (outgoing[a], outgoing[b], outgoing[c]) = (h, h + 1, h + 2)
        return h
    }

    private mutating func join(_ g: Int, _ h: Int) {
        twin[g] = h
        twin[h] = g
    }

    private mutating func sweep() {
        let order = points.indices.sorted { GridPoint.isBefore(points[$0], points[$1]) }
        guard order.count >= 3 else { return }
        var count = 2
        while count < order.count, GridPoint.turn(points[order[0]], points[order[1]], points[order[count]]) == 0 { count += 1 }
        guard count < order.count else { return }
        // The hull, counter-clockwise: for each point, the next and the previous one, and the half-edge to the next one.
        var following = Array(repeating: -1, count: points.count)
        var preceding = following
        var hullEdge = following
        let apex = order[count]
        let isLeft = GridPoint.turn(points[order[0]], points[order[1]], points[apex]) > 0
        var before = -1
        for number in 0..<count - 1 {
            let (a, b) = isLeft ? (order[number], order[number + 1]) : (order[number + 1], order[number])
            let h = addTriangle(a, b, apex)
            (following[a], preceding[b], hullEdge[a]) = (b, a, h)
            if before >= 0 {
                // Neighbours share the edge from their common point to the apex.
                if isLeft { join(before + 1, h + 2) } else { join(before + 2, h + 1) }
            }
            if number == (isLeft ? 0 : count - 2) { hullEdge[apex] = h + 2 }
            if number == (isLeft ? count - 2 : 0) { hullEdge[b] = h + 1 }
            before = h
        }
        let (first, last) = isLeft ? (order[0], order[count - 1]) : (order[count - 1], order[0])
        (following[last], preceding[apex], following[apex], preceding[first]) = (apex, last, first, apex)
        var newest = apex
        for point in order[(count + 1)...] {
            attach(point, seenFrom: newest, &following, &preceding, &hullEdge)
            newest = point
        }
    }

    /// Connects a point on the right of all others with the visible hull edges around the last point.
    private mutating func attach(
        _ point: Int, seenFrom newest: Int, _ following: inout [Int], _ preceding: inout [Int], _ hullEdge: inout [Int]
    ) {
        func isVisible(_ a: Int, _ b: Int) -> Bool { GridPoint.turn(points[a], points[b], points[point]) < 0 }
        var (start, end) = (newest, newest)
        while isVisible(preceding[start], start) { start = preceding[start] }
        while isVisible(end, following[end]) { end = following[end] }
        var (vertex, before) = (start, -1)
        while vertex != end {
            let next = following[vertex]
            // The hull edge seen from outside.
            let h = addTriangle(next, vertex, point)
            join(h, hullEdge[vertex])
            if before >= 0 { join(before + 2, h + 1) } else { hullEdge[vertex] = h + 1 }
            (before, vertex) = (h, next)
        }
        hullEdge[point] = before + 2
        (following[start], preceding[point], following[point], preceding[end]) = (point, start, end, point)
    }

    // MARK: Flipping

    /// Replaces the edge between two triangles by the other diagonal of their quadrilateral.
    private mutating func flip(_ h: Int) {
        let g = twin[h]
        let (h1, h2) = (PlanarTriangulation.next(h), PlanarTriangulation.previous(h))
        let (g1, g2) = (PlanarTriangulation.next(g), PlanarTriangulation.previous(g))
        let (a, b, c, d) = (origin[h], origin[g], origin[h2], origin[g2])
        let (outerH, givenH, outerG, givenG) = (twin[h1], given[h1], twin[g1], given[g1])
        // a → d → c and b → c → d.
        (origin[h1], origin[g1]) = (d, c)
        (twin[h], given[h], twin[g], given[g]) = (outerG, givenG, outerH, givenH)
        if outerG >= 0 { twin[outerG] = h }
        if outerH >= 0 { twin[outerH] = g }
        join(h1, g1)
        (given[h1], given[g1]) = (-1, -1)
        (outgoing[a], outgoing[d], outgoing[c], outgoing[b]) = (h, h1, h2, g)
    }

    /// Returns whether the two triangles at an edge can and should be flipped: the fourth corner is inside the circle of the three beyond rounding
    /// errors.
    private func isIllegal(_ h: Int) -> Bool {
        guard twin[h] >= 0, given[h] < 0 else { return false }
        let (a, b) = (points[origin[h]], points[target(h)])
        let c = points[origin[PlanarTriangulation.previous(h)]]
        let d = points[origin[PlanarTriangulation.previous(twin[h])]]
        guard GridPoint.turn(c, d, b) > 0, GridPoint.turn(d, c, a) > 0 else { return false }
        let (ad, bd, cd) = (a - d, b - d, c - d)
        func square(_ p: GridPoint) -> Double { Double(p.x * p.x + p.y * p.y) }
        func cross(_ p: GridPoint, _ q: GridPoint) -> Double { Double(p.x * q.y - p.y * q.x) }
        let terms = (square(ad) * cross(bd, cd), square(bd) * cross(cd, ad), square(cd) * cross(ad, bd))
        // A larger sum is not due to rounding: each flip is an improvement, so the flips terminate.
        return terms.0 + terms.1 + terms.2 > (abs(terms.0) + abs(terms.1) + abs(terms.2)) * 1e-14
    }

    private mutating func legalize() {
        var waiting = Array(origin.indices)
        while let h = waiting.popLast() {
            guard isIllegal(h) else { continue }
            let g = twin[h]
            flip(h)
            waiting += [h, PlanarTriangulation.previous(h), g, PlanarTriangulation.previous(g)]
        }
    }

    // MARK: Given edges

    /// Returns the half-edges that begin at a point, counter-clockwise; starts at the hull for a point on it.
    private func fan(_ point: Int) -> [Int] {
        guard outgoing[point] >= 0 else { return [] }
        var first = outgoing[point]
        // Clockwise as far as it goes.
        while twin[first] >= 0 {
            first = PlanarTriangulation.next(twin[first])
            if first == outgoing[point] { break }
        }
        var result = [first]
        while true {
            let other = twin[PlanarTriangulation.previous(result[result.count - 1])]
            if other < 0 || other == first { return result }
            result.append(other)
        }
    }

    private func halfEdge(_ a: Int, _ b: Int) -> Int? { fan(a).first { target($0) == b } }

    private mutating func mark(_ a: Int, _ b: Int, _ number: Int32) -> Bool {
        var isFound = false
        for (from, to) in [(a, b), (b, a)] {
            guard let h = halfEdge(from, to) else { continue }
            given[h] = number
            isFound = true
        }
        return isFound
    }

    private mutating func insert(_ a: Int, _ b: Int, number: Int32) throws(PathError) {
        if mark(a, b, number) { return }
        var crossing = try edgesBetween(a, b)
        var guardCount = 16 + crossing.count * crossing.count * 4
        var head = 0
        while head < crossing.count {
            let (p, q) = crossing[head]
            head += 1
            guardCount -= 1
            guard guardCount > 0, let h = halfEdge(p, q), twin[h] >= 0 else { throw .tangled }
            let (c, d) = (origin[PlanarTriangulation.previous(h)], origin[PlanarTriangulation.previous(twin[h])])
            let isConvex =
                GridPoint.turn(points[c], points[d], points[q]) > 0 && GridPoint.turn(points[d], points[c], points[p]) > 0
            guard isConvex else {
                crossing.append((p, q))
                continue
            }
            flip(h)
            if crosses(c, d, a, b) { crossing.append((c, d)) }
        }
        guard mark(a, b, number) else { throw .tangled }
    }

    private func crosses(_ c: Int, _ d: Int, _ a: Int, _ b: Int) -> Bool {
        if c == a || c == b || d == a || d == b { return false }
        let (toC, toD) = (GridPoint.turn(points[a], points[b], points[c]), GridPoint.turn(points[a], points[b], points[d]))
        return toC > 0 && toD < 0 || toC < 0 && toD > 0
    }

    /// Returns the edges that the line from a to b crosses, starting at a.
    private func edgesBetween(_ a: Int, _ b: Int) throws(PathError) -> [(Int, Int)] {
        var current = -1
        for h in fan(a) {
            let opposite = PlanarTriangulation.next(h)
            let (right, left) = (points[origin[opposite]], points[target(opposite)])
            if GridPoint.turn(points[a], points[b], right) < 0, GridPoint.turn(points[a], points[b], left) > 0,
                GridPoint.turn(right, left, points[b]) < 0
            {
                current = opposite
                break
            }
        }
        guard current >= 0 else { throw .tangled }
        var result: [(Int, Int)] = []
        while true {
            guard given[current] < 0, twin[current] >= 0 else { throw .tangled }
            result.append((origin[current], target(current)))
            let across = twin[current]
            let corner = origin[PlanarTriangulation.previous(across)]
            if corner == b { return result }
            let side = GridPoint.turn(points[a], points[b], points[corner])
            guard side != 0 else { throw .tangled }
            // `across` is directed from left to right; the line leaves between the corner and the end on its other side.
            current = side > 0 ? PlanarTriangulation.next(across) : PlanarTriangulation.previous(across)
            guard result.count <= origin.count else { throw .tangled }
        }
    }
}
