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
        var (result, triangulator): ([USDCorner], PolygonTriangulator) = ([], PolygonTriangulator())
        result.reserveCapacity(chosen == nil ? corners.count : 0)
        for face in chosen ?? Array(0..<Int32(counts.count)) where face >= 0 && Int(face) < counts.count && !holes.contains(face) {
            append(Int(face), start: starts[Int(face)], to: &result, &triangulator)
        }
        return result
    }

    private func append(_ face: Int, start: Int, to result: inout [USDCorner], _ triangulator: inout PolygonTriangulator) {
        let count = Int(counts[face])
        guard count >= 3 else { return }
        func add(_ a: Int, _ b: Int, _ c: Int) {
            for corner in isLeftHanded ? [a, c, b] : [a, b, c] {
                result.append(USDCorner(point: Int(corners[start + corner]), corner: start + corner, face: face))
            }
        }
        guard count > 3 else { return add(0, 1, 2) }
        let polygon = (0..<count).map { point(Int(corners[start + $0])) }
        let order = triangulator.split(polygon)
        for first in stride(from: 0, to: order.count, by: 3) { add(order[first], order[first + 1], order[first + 2]) }
    }

    private func point(_ index: Int) -> Vector3 { Vector3(points[3 * index], points[3 * index + 1], points[3 * index + 2]) }
}
