import VitrineMath

/// Triangulates polygons, including concave ones and ones with holes: clips ears in the best-fitting plane (Meisters 1975) and connects holes to the
/// outline by the nearest bridge that crosses no edge (Eberly 2008).
struct PolygonTriangulator {
    /// The corners of the triangles, with the caller's numbers.
    private(set) var triangles: [Int32] = []

    /// Splits one polygon into triangles with its orientation, and forgets them.
    ///
    /// - Parameter points: The corners in order, in one plane or nearly so.
    /// - Returns: Three indices of `points` for each triangle; empty for fewer than three corners.
    mutating func split(_ points: [Vector3]) -> [Int] {
        add(Array(0..<Int32(points.count))) { points[Int($0)] }
        defer { triangles.removeAll(keepingCapacity: true) }
        return triangles.map { Int($0) }
    }

    /// Adds three consecutive corners as a triangle.
    mutating func add(triangle first: Int32) {
        triangles.append(first)
        triangles.append(first + 1)
        triangles.append(first + 2)
    }

    /// - Parameters:
    ///   - outline: The corners in order.
    ///   - holes: The corners of each hole, in either orientation.
    ///   - point: Returns the position of a corner.
    mutating func add(_ outline: [Int32], holes: [[Int32]] = [], at point: (Int32) -> Vector3) {
        guard outline.count >= 3 else { return }
        if outline.count == 3, holes.isEmpty { return triangles.append(contentsOf: outline) }
        let points = outline.map(point)
        let normal = Self.normal(points)
        if holes.isEmpty, outline.count == 4 || Self.isConvex(points, normal) {
            if outline.count == 4 { return addQuad(outline, points, normal) }
            return addFan(outline)
        }
        guard normal != Vector3(repeating: 0) else { return addFan(outline) }
        // Two axes of the plane, right-handed with its normal.
        let u = anyPerpendicular(normal)
        let v = cross(normal, u)
        func flat(_ corner: Int32) -> Corner {
            let offset = point(corner) - points[0]
            return (corner, SIMD2(Double(dot(offset, u)), Double(dot(offset, v))))
        }
        var ring = outline.map(flat)
        // Finding bridges takes quadratic time.
        let corners = outline.count + holes.reduce(0) { $0 + $1.count }
        work -= holes.count * corners * min(corners, 64)
        for hole in Self.sorted(work < 0 ? [] : holes.filter { $0.count >= 3 }.map { $0.map(flat) }) { Self.join(hole, to: &ring) }
        clip(ring)
    }

    private mutating func addFan(_ corners: [Int32]) {
        for index in 1..<corners.count - 1 { triangles.append(contentsOf: [corners[0], corners[index], corners[index + 1]]) }
    }

    /// Splits a quadrilateral along the diagonal from the first corner, unless that diagonal is outside.
    private mutating func addQuad(_ corners: [Int32], _ p: [Vector3], _ normal: Vector3) {
        func isInside(_ a: Int, _ b: Int, _ c: Int) -> Bool { dot(cross(p[b] - p[a], p[c] - p[a]), normal) >= 0 }
        let first = isInside(0, 1, 2) && isInside(0, 2, 3)
        let order = first || !(isInside(1, 2, 3) && isInside(1, 3, 0)) ? [0, 1, 2, 0, 2, 3] : [1, 2, 3, 1, 3, 0]
        for index in order { triangles.append(corners[index]) }
    }

    /// Returns Newell's normal, not normalized; zero for a polygon without area.
    private static func normal(_ p: [Vector3]) -> Vector3 {
        var sum = Vector3(repeating: 0)
        for index in p.indices { sum += cross(p[index] - p[0], p[(index + 1) % p.count] - p[0]) }
        return normalize(sum)
    }

    private static func isConvex(_ p: [Vector3], _ normal: Vector3) -> Bool {
        // Convex if all corners turn left and the total angle is one turn, which excludes stars.
        var turned: Float = 0
        for index in p.indices {
            let (a, b, c) = (p[index], p[(index + 1) % p.count], p[(index + 2) % p.count])
            let (along, next) = (normalize(b - a), normalize(c - b))
            let turn = dot(cross(along, next), normal)
            if turn < -1e-6 { return false }
            turned += atan2(turn, dot(along, next))
        }
        return turned < 2 * .pi + 0.1
    }

    // MARK: Holes

    private typealias Corner = (corner: Int32, at: SIMD2<Double>)

    private static func area(_ ring: [Corner]) -> Double {
        var sum = 0.0
        for index in ring.indices {
            let (a, b) = (ring[index].at, ring[(index + 1) % ring.count].at)
            sum += a.x * b.y - b.x * a.y
        }
        return sum / 2
    }

    /// Returns the holes as clockwise loops starting with their rightmost corner, sorted by it from right to left.
    private static func sorted(_ holes: [[Corner]]) -> [[Corner]] {
        holes.map { hole -> [Corner] in
            let turned = area(hole) > 0 ? Array(hole.reversed()) : hole
            let right = turned.indices.max { turned[$0].at.x < turned[$1].at.x } ?? 0
            return Array(turned[right...] + turned[..<right])
        }.sorted { $0[0].at.x > $1[0].at.x }
    }

    /// Connects a hole by the shortest bridge from its rightmost corner that crosses no edge.
    private static func join(_ hole: [Corner], to ring: inout [Corner]) {
        let from = hole[0].at
        let order = ring.indices.sorted { distanceSquared(ring[$0].at, from) < distanceSquared(ring[$1].at, from) }
        let bridge = order.prefix(64).first { candidate in
            let to = ring[candidate].at
            return faces(from, ring, candidate) && isFree(from, to, ring) && isFree(from, to, hole)
        }
        guard let bridge = bridge ?? order.first else { return }
        ring.insert(contentsOf: hole + [hole[0], ring[bridge]], at: bridge + 1)
    }

    /// Returns whether a point is in the inner angle of a corner; positions shared by two bridges have several corners.
    private static func faces(_ point: SIMD2<Double>, _ ring: [Corner], _ index: Int) -> Bool {
        let (a, b, c) = (ring[(index + ring.count - 1) % ring.count].at, ring[index].at, ring[(index + 1) % ring.count].at)
        let (before, after) = (turn(a, b, point) > 0, turn(b, c, point) > 0)
        return turn(a, b, c) > 0 ? before && after : before || after
    }

    private static func distanceSquared(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double { ((a - b) * (a - b)).sum() }

    private static func turn(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>) -> Double {
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    }

    /// Returns whether a segment neither crosses an edge of a ring nor contains a corner of it.
    private static func isFree(_ from: SIMD2<Double>, _ to: SIMD2<Double>, _ ring: [Corner]) -> Bool {
        !ring.indices.contains { index in
            let (a, b) = (ring[index].at, ring[(index + 1) % ring.count].at)
            let isBetween = a != from && a != to && turn(from, to, a) == 0 && ((a - from) * (a - to)).sum() < 0
            return isBetween || crosses(from, to, a, b)
        }
    }

    /// Returns whether two segments cross in their interiors.
    private static func crosses(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ c: SIMD2<Double>, _ d: SIMD2<Double>) -> Bool {
        turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0
    }

    // MARK: Ears

    /// The remaining work of the search for ears for all polygons: it takes quadratic, at worst cubic time. Polygons beyond this limit become triangle
    /// fans.
    private var work = 1 << 28

    private mutating func clip(_ ring: [Corner]) {
        let count = ring.count
        guard work > count else { return addFan(ring.map { $0.corner }) }
        var (next, previous) = (Array(1...count), Array(-1..<count - 1))
        (next[count - 1], previous[0]) = (0, count - 1)
        var (left, current, tried) = (count, 0, 0)
        while left > 3 {
            let (a, b) = (previous[current], next[current])
            // After a whole round without an ear, the outline crosses itself: the best remaining corner is clipped.
            if tried > left || work < 0 || isEar(ring, a, current, b, next, previous) {
                triangles.append(contentsOf: [ring[a].corner, ring[current].corner, ring[b].corner])
                (next[a], previous[b]) = (b, a)
                // Only the neighbours of an ear can become ears by its removal, except where it was inside of a triangle itself.
                (left, tried, current) = (left - 1, 0, a)
            } else {
                (current, tried) = (b, tried + 1)
            }
        }
        triangles.append(contentsOf: [ring[previous[current]].corner, ring[current].corner, ring[next[current]].corner])
    }

    private mutating func isEar(_ ring: [Corner], _ a: Int, _ b: Int, _ c: Int, _ next: [Int], _ previous: [Int]) -> Bool {
        let (p, q, r) = (ring[a].at, ring[b].at, ring[c].at)
        work -= 1
        guard Self.turn(p, q, r) > 0 else { return false }
        var other = next[c]
        while other != a {
            work -= 1
            let at = ring[other].at
            // Only reflex corners can be the first to be inside a triangle.
            let isReflex = Self.turn(ring[previous[other]].at, at, ring[next[other]].at) <= 0
            if isReflex, at != p, at != q, at != r, Self.turn(p, q, at) >= 0, Self.turn(q, r, at) >= 0, Self.turn(r, p, at) >= 0 {
                return false
            }
            other = next[other]
        }
        return true
    }
}
