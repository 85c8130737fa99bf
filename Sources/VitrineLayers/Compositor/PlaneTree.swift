import VitrineGeometry

/// Sorts layers that are not parallel from back to front with a BSP tree; see `DepthOrder`.
struct PlaneTree {
    /// A convex piece of an item after projection.
    private struct Polygon {
        var piece: DepthOrder.Piece
        var corners: [SIMD3<Double>]
        /// The plane a·x + b·y + c·z + d, positive on the side of the eye, with (a, b, c) of length 1.
        var plane: SIMD4<Double>
    }

    private(set) var pieces: [DepthOrder.Piece] = []
    /// The remaining number of cuts. Without remaining cuts, intersecting pieces are ordered by their centre.
    private var remainingCuts: Int

    init(_ items: [DepthOrder.Item]) {
        remainingCuts = 4 * items.count + 64
        var polygons: [Polygon] = []
        for (number, item) in items.enumerated() {
            if let polygon = Self.polygon(number, item) { polygons.append(polygon) }
        }
        for group in Self.groups(polygons) { sort(group, depth: 0) }
    }

    /// Groups polygons whose bounding boxes overlap. Polygons of different groups need no order and no cuts.
    private static func groups(_ polygons: [Polygon]) -> [[Polygon]] {
        var groups: [(low: SIMD2<Double>, high: SIMD2<Double>, members: [Int])] = []
        for (number, polygon) in polygons.enumerated() {
            var group = (low: SIMD2(repeating: Double.infinity), high: SIMD2(repeating: -Double.infinity), members: [number])
            for corner in polygon.corners {
                group.low = pointwiseMin(group.low, SIMD2(corner.x, corner.y))
                group.high = pointwiseMax(group.high, SIMD2(corner.x, corner.y))
            }
            // A group that grows may then overlap others.
            while let other = groups.firstIndex(where: { all($0.low .<= group.high) && all(group.low .<= $0.high) }) {
                let met = groups.remove(at: other)
                group = (pointwiseMin(met.low, group.low), pointwiseMax(met.high, group.high), met.members + group.members)
            }
            groups.append(group)
        }
        return groups.map { group in group.members.sorted().map { polygons[$0] } }
    }

    private mutating func sort(_ polygons: [Polygon], depth: Int) {
        guard polygons.count > 1 else {
            pieces += polygons.map { $0.piece }
            return
        }
        // The middle polygon gives the best division: with the first one, sorted layers would degenerate to a list.
        guard depth < 60 else {
            pieces += byMiddle(polygons).map { $0.piece }
            return
        }
        let divider = polygons[polygons.count / 2]
        var (behind, within, before): ([Polygon], [Polygon], [Polygon]) = ([], [], [])
        for polygon in polygons { divide(polygon, by: divider, &behind, &within, &before) }
        sort(behind, depth: depth + 1)
        pieces += within.map { $0.piece }
        sort(before, depth: depth + 1)
    }

    private mutating func divide(
        _ polygon: Polygon, by divider: Polygon, _ behind: inout [Polygon], _ within: inout [Polygon], _ before: inout [Polygon]
    ) {
        let plane = divider.plane
        let size = polygon.corners.reduce(1) { max($0, abs($1.x), abs($1.y), abs($1.z)) }
        // The tolerance of "in the plane", from the precision of single-precision matrices.
        let tolerance = size * 2e-5
        let sides = polygon.corners.map { dot(plane, SIMD4($0, 1)) }
        let (low, high) = (sides.min() ?? 0, sides.max() ?? 0)
        if low >= -tolerance, high <= tolerance { return within.append(polygon) }
        if low >= -tolerance { return before.append(polygon) }
        if high <= tolerance { return behind.append(polygon) }
        guard remainingCuts > 0 else { return sides.reduce(0, +) > 0 ? before.append(polygon) : behind.append(polygon) }
        remainingCuts -= 1
        let line = Self.line(of: plane, on: polygon.plane)
        before.append(Self.part(of: polygon, sides, DepthOrder.Cut(line: line, isBehind: false)))
        behind.append(Self.part(of: polygon, sides.map { -$0 }, DepthOrder.Cut(line: -line, isBehind: true)))
    }

    /// Returns the part of a polygon where the sides are positive.
    private static func part(of polygon: Polygon, _ sides: [Double], _ cut: DepthOrder.Cut) -> Polygon {
        var part = polygon
        part.corners = []
        for index in sides.indices {
            let next = (index + 1) % sides.count
            let (a, b) = (polygon.corners[index], polygon.corners[next])
            if sides[index] >= 0 { part.corners.append(a) }
            if (sides[index] >= 0) != (sides[next] >= 0) {
                part.corners.append(a + (b - a) * (sides[index] / (sides[index] - sides[next])))
            }
        }
        part.piece.cuts.append(cut)
        part.piece.corners = part.corners.map { SIMD2($0.x, $0.y) }
        return part
    }

    /// Returns the signed distance of points of the plane `own` in front of `plane`, as a linear function of the projected position.
    private static func line(of plane: SIMD4<Double>, on own: SIMD4<Double>) -> SIMD3<Double> {
        // z = −(a x + b y + d) / c on its own plane.
        let factor = plane.z / own.z
        return SIMD3(plane.x - factor * own.x, plane.y - factor * own.y, plane.w - factor * own.w)
    }

    private func byMiddle(_ polygons: [Polygon]) -> [Polygon] {
        let heights = polygons.map { polygon in polygon.corners.reduce(0) { $0 + $1.z } / Double(max(polygon.corners.count, 1)) }
        return polygons.indices.sorted { (heights[$0], $0) < (heights[$1], $1) }.map { polygons[$0] }
    }

    /// Returns the projected polygon of an item; nil for planes seen edge-on or behind the eye.
    private static func polygon(_ number: Int, _ item: DepthOrder.Item) -> Polygon? {
        func column(_ v: Vector4) -> SIMD4<Double> { SIMD4(Double(v.x), Double(v.y), Double(v.z), Double(v.w)) }
        let (u, v, one) = (column(item.matrix.x), column(item.matrix.y), column(item.matrix.w))
        var plane = normal(u, v, one)
        let length = length(SIMD3(plane.x, plane.y, plane.z))
        guard plane.isFinite, length > 0, abs(plane.z) > length * 1e-7 else { return nil }
        plane /= plane.z < 0 ? -length : length
        let corners = outline(of: item.layer, isAlone: item.isAlone).map { u * $0.x + v * $0.y + one }
        let seen = beforeEye(corners).map { SIMD3($0.x, $0.y, $0.z) / $0.w }
        guard seen.count > 2, seen.allSatisfy({ $0.isFinite }) else { return nil }
        return Polygon(piece: DepthOrder.Piece(item: number), corners: seen, plane: plane)
    }

    /// Returns the corners of a layer's extent in its plane; for an empty extent, a small square around its anchor.
    private static func outline(of layer: Layer, isAlone: Bool) -> [SIMD2<Double>] {
        let extent = layer.extent(withSublayers: !isAlone)
        var (low, high) = (SIMD2<Double>(extent.minimum), SIMD2<Double>(extent.maximum))
        if extent.isEmpty {
            let middle = SIMD2<Double>(layer.anchor)
            (low, high) = (middle - 0.5, middle + 0.5)
        }
        return [low, SIMD2(high.x, low.y), high, SIMD2(low.x, high.y)]
    }

    private static func beforeEye(_ corners: [SIMD4<Double>]) -> [SIMD4<Double>] {
        let nearest = corners.reduce(0) { max($0, abs($1.w)) } * 1e-6
        var kept: [SIMD4<Double>] = []
        for (index, a) in corners.enumerated() {
            let b = corners[(index + 1) % corners.count]
            if a.w > nearest { kept.append(a) }
            if (a.w > nearest) != (b.w > nearest) { kept.append(a + (b - a) * ((nearest * 1.000001 - a.w) / (b.w - a.w))) }
        }
        return kept
    }

    /// Returns the vector orthogonal to three vectors in four dimensions: the plane through three points.
    private static func normal(_ a: SIMD4<Double>, _ b: SIMD4<Double>, _ c: SIMD4<Double>) -> SIMD4<Double> {
        func minor(_ i: Int, _ j: Int, _ k: Int) -> Double {
            let first = a[i] * (b[j] * c[k] - b[k] * c[j])
            let second = a[j] * (b[i] * c[k] - b[k] * c[i])
            let third = a[k] * (b[i] * c[j] - b[j] * c[i])
            return first - second + third
        }
        return SIMD4(minor(1, 2, 3), -minor(0, 2, 3), minor(0, 1, 3), -minor(0, 1, 2))
    }
}
