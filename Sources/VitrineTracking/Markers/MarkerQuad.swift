import VitrineMath
import VitrineVision

/// Fits a quadrilateral to a region's outline.
enum MarkerQuad {
    /// The corners of an outline with four straight sides, clockwise in the image; nil for other outlines.
    static func corners(_ outline: [SIMD2<Int32>]) -> [Vector2d]? {
        let points = outline.map { Vector2d(Double($0.x), Double($0.y)) }
        guard points.count >= 24 else { return nil }
        var middle = Vector2d.zero
        for point in points { middle += point }
        middle /= Double(points.count)

        // The point farthest from the centre is a corner; the point farthest from that is the opposite one; the farthest to both sides are the others.
        let first = farthest(points) { lengthSquared($0 - middle) }
        let third = farthest(points) { lengthSquared($0 - points[first]) }
        let diagonal = points[third] - points[first]
        let left = farthest(points) { turn(diagonal, $0 - points[first]) }
        let right = farthest(points) { -turn(diagonal, $0 - points[first]) }
        let indices = [first, left, third, right].sorted()
        guard Set(indices).count == 4 else { return nil }
        let corners = indices.map { points[$0] }
        for side in 0..<4 {
            let (a, b) = (corners[side], corners[(side + 1) % 4])
            let length = length(b - a)
            guard length >= 5, turn(b - a, corners[(side + 2) % 4] - b) > 0.1 * length * length2(b, corners[(side + 2) % 4]) else {
                return nil
            }
            guard isStraight(points, indices[side], indices[(side + 1) % 4], a, b, length) else { return nil }
        }
        return corners
    }

    private static func length2(_ a: Vector2d, _ b: Vector2d) -> Double { length(b - a) }
    private static func turn(_ a: Vector2d, _ b: Vector2d) -> Double { a.x * b.y - a.y * b.x }

    private static func farthest(_ points: [Vector2d], _ measure: (Vector2d) -> Double) -> Int {
        var best = (index: 0, value: -Double.infinity)
        for (index, point) in points.enumerated() {
            let value = measure(point)
            if value > best.value { best = (index, value) }
        }
        return best.index
    }

    /// Whether the outline between two corners is straight, up to pixel noise and lens distortion.
    private static func isStraight(_ points: [Vector2d], _ from: Int, _ to: Int, _ a: Vector2d, _ b: Vector2d, _ length: Double) -> Bool {
        let count = (to - from + points.count) % points.count
        let allowed = 1.5 + 0.03 * length
        guard Double(count) < 2.2 * length + 8 else { return false }
        let along = (b - a) / length
        return (0...count).allSatisfy { abs(turn(along, points[(from + $0) % points.count] - a)) <= allowed }
    }

    /// Refines the corners as intersections of lines fitted to the edges; nil if a side has no edge.
    /// - Parameter cells: Cells across the marker with its border: determines the distance of the next edge inside.
    static func refined(_ corners: [Vector2d], _ sampler: BilinearSampler, cells: Int) -> [Vector2d]? {
        var result = corners
        for round in 0..<2 {
            var lines: [(point: Vector2d, direction: Vector2d)] = []
            for side in 0..<4 {
                guard let line = line(result[side], result[(side + 1) % 4], sampler, cells, widest: round == 0 ? 3.5 : 2.5) else {
                    return nil
                }
                lines.append(line)
            }
            var next: [Vector2d] = []
            for corner in 0..<4 {
                let (a, b) = (lines[(corner + 3) % 4], lines[corner])
                let across = turn(a.direction, b.direction)
                guard abs(across) > 0.05 else { return nil }
                let meeting = a.point + a.direction * (turn(b.point - a.point, b.direction) / across)
                guard length(meeting - result[corner]) < 5 else { return nil }
                next.append(meeting)
            }
            result = next
        }
        return result
    }

    /// The line through the edge positions along a side, without its rounded ends.
    private static func line(
        _ a: Vector2d, _ b: Vector2d, _ sampler: BilinearSampler, _ cells: Int, widest: Double
    ) -> (point: Vector2d, direction: Vector2d)? {
        let length = length(b - a)
        guard length >= 4 else { return nil }
        let along = (b - a) / length
        // Clockwise in the image, y down: outside is on the left.
        let outward = Vector2d(along.y, -along.x)
        let reach = min(widest, 0.8 * length / Double(cells) + 0.7)
        let count = min(48, max(6, Int(length)))
        var found: [Vector2d] = []
        for k in 0..<count {
            let position = a + (b - a) * (0.1 + 0.8 * (Double(k) + 0.5) / Double(count))
            if let offset = step(position, outward, reach, sampler) { found.append(position + outward * offset) }
        }
        guard found.count * 3 >= count * 2 else { return nil }
        return fitted(found)
    }

    /// The centre of the edge from dark to light along a direction through a position, in pixels from it; nil without an edge.
    ///
    /// Decreasing values count negatively, so that noise, which is stronger in bright areas, causes no bias.
    private static func step(_ position: Vector2d, _ outward: Vector2d, _ reach: Double, _ sampler: BilinearSampler) -> Double? {
        let spacing = 0.25
        let half = Int(reach / spacing)
        let light = (-half...half + 1).map { sampler(position + outward * (Double($0) - 0.5) * spacing) }
        guard let dark = light.prefix(half + 3).indices.min(by: { light[$0] < light[$1] }),
            let bright = light[dark...].indices.max(by: { light[$0] < light[$1] })
        else { return nil }
        let rise = light[bright] - light[dark]
        // Corresponds to a grey level of 24 above black.
        guard rise > 2 else { return nil }
        let moment = (dark..<bright).reduce(0) { $0 + (light[$1 + 1] - light[$1]) * Double($1 - half) * spacing }
        return moment / rise
    }

    /// A least-squares line, fitted again without outliers.
    private static func fitted(_ points: [Vector2d]) -> (point: Vector2d, direction: Vector2d)? {
        var kept = points
        var line = (point: Vector2d.zero, direction: Vector2d(1, 0))
        for _ in 0..<2 {
            guard kept.count >= 4 else { return nil }
            var mean = Vector2d.zero
            for point in kept { mean += point }
            mean /= Double(kept.count)
            var (xx, xy, yy) = (0.0, 0.0, 0.0)
            for point in kept {
                let d = point - mean
                (xx, xy, yy) = (xx + d.x * d.x, xy + d.x * d.y, yy + d.y * d.y)
            }
            let angle = 0.5 * atan2(2 * xy, xx - yy)
            line = (mean, Vector2d(cos(angle), sin(angle)))
            let distances = kept.map { abs(turn(line.direction, $0 - line.point)) }
            let limit = max(0.15, 2.5 * distances.sorted()[distances.count / 2])
            kept = kept.indices.filter { distances[$0] <= limit }.map { kept[$0] }
        }
        return line
    }
}
