import VitrineMath

/// Polygons with their points.
struct USDFaces {
    /// Three numbers per point.
    let points: [Float]
    let counts: [Int32]
    let corners: [Int32]
    let isLeftHanded: Bool
    /// The faces that are holes.
    var holes: Set<Int32> = []

    init(points: [Float], counts: [Int32], corners: [Int32], isLeftHanded: Bool) {
        (self.points, self.counts, self.corners, self.isLeftHanded) = (points, counts, corners, isLeftHanded)
    }

    /// The violation of the format; nil if there is none.
    var problem: String? {
        let pointCount = points.count / 3
        if !corners.allSatisfy({ $0 >= 0 && Int($0) < pointCount }) { return "a corner refers to a point that does not exist" }
        var total = 0
        for count in counts {
            guard count >= 0, total + Int(count) <= corners.count else { return "the faces have more corners than the list" }
            total += Int(count)
        }
        return nil
    }

    /// Returns three corners per triangle, counter-clockwise seen from outside.
    func triangles(of chosen: [Int32]?) -> [USDCorner] {
        var starts: [Int] = []
        starts.reserveCapacity(counts.count)
        var total = 0
        for count in counts {
            starts.append(total)
            total += Int(count)
        }
        var (result, work): ([USDCorner], Int) = ([], Self.maximumWork)
        result.reserveCapacity(chosen == nil ? corners.count : 0)
        for face in chosen ?? Array(0..<Int32(counts.count)) where face >= 0 && Int(face) < counts.count && !holes.contains(face) {
            append(Int(face), start: starts[Int(face)], to: &result, work: &work)
        }
        return result
    }

    private func append(_ face: Int, start: Int, to result: inout [USDCorner], work: inout Int) {
        let count = Int(counts[face])
        guard count >= 3 else { return }
        func add(_ a: Int, _ b: Int, _ c: Int) {
            for corner in isLeftHanded ? [a, c, b] : [a, b, c] {
                result.append(USDCorner(point: Int(corners[start + corner]), corner: start + corner, face: face))
            }
        }
        guard count > 3 else { return add(0, 1, 2) }
        let polygon = (0..<count).map { point(Int(corners[start + $0])) }
        for triangle in Self.triangulated(polygon, work: &work) { add(triangle.0, triangle.1, triangle.2) }
    }

    private func point(_ index: Int) -> Vector3 { Vector3(points[3 * index], points[3 * index + 1], points[3 * index + 2]) }

    // MARK: Polygons

    /// The largest number of corner tests in all faces: ear clipping can take cubic time. Further faces become fans.
    private static let maximumWork = 1 << 28

    /// Triangulates a polygon: convex ones as fans from the first corner, others by ear clipping (Meisters 1975) in the best-fitting plane.
    private static func triangulated(_ polygon: [Vector3], work: inout Int) -> [(Int, Int, Int)] {
        let flat = flattened(polygon)
        let isConvex = flat.indices.allSatisfy { turn(flat[$0], flat[($0 + 1) % flat.count], flat[($0 + 2) % flat.count]) >= 0 }
        guard !isConvex, work > 0 else { return (2..<polygon.count).map { (0, $0 - 1, $0) } }
        var rest = Array(flat.indices)
        var result: [(Int, Int, Int)] = []
        while rest.count > 3 {
            var ear = 0
            // If no corner is an ear, clips the first one.
            for place in rest.indices where work > 0 {
                work -= rest.count
                guard isEar(place, rest, flat) else { continue }
                ear = place
                break
            }
            let (before, after) = (rest[(ear + rest.count - 1) % rest.count], rest[(ear + 1) % rest.count])
            result.append((before, rest[ear], after))
            rest.remove(at: ear)
        }
        result.append((rest[0], rest[1], rest[2]))
        return result
    }

    /// Returns two coordinates per point, counter-clockwise, by the plane's normal (Newell's sum).
    private static func flattened(_ polygon: [Vector3]) -> [Vector2] {
        var normal = Vector3(repeating: 0)
        for index in polygon.indices {
            let (a, b) = (polygon[index] - polygon[0], polygon[(index + 1) % polygon.count] - polygon[0])
            normal += cross(a, b)
        }
        let size = Vector3(abs(normal.x), abs(normal.y), abs(normal.z))
        if size.z >= size.x, size.z >= size.y { return polygon.map { normal.z < 0 ? Vector2($0.y, $0.x) : Vector2($0.x, $0.y) } }
        if size.y >= size.x { return polygon.map { normal.y < 0 ? Vector2($0.x, $0.z) : Vector2($0.z, $0.x) } }
        return polygon.map { normal.x < 0 ? Vector2($0.z, $0.y) : Vector2($0.y, $0.z) }
    }

    private static func turn(_ a: Vector2, _ b: Vector2, _ c: Vector2) -> Float { (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x) }

    private static func isEar(_ place: Int, _ rest: [Int], _ flat: [Vector2]) -> Bool {
        let (before, after) = (rest[(place + rest.count - 1) % rest.count], rest[(place + 1) % rest.count])
        let (a, b, c) = (flat[before], flat[rest[place]], flat[after])
        guard turn(a, b, c) > 0 else { return false }
        for other in rest where other != before && other != rest[place] && other != after {
            let p = flat[other]
            // Duplicate points coincide with corners.
            if p == a || p == b || p == c { continue }
            if turn(a, b, p) >= 0, turn(b, c, p) >= 0, turn(c, a, p) >= 0 { return false }
        }
        return true
    }
}
