import VitrineMath
import VitrineVision

extension TriangleMesh {
    /// The part with `dot(normal, x) <= offset`: triangles across the plane are cut, so that the boundary is straight and in the plane. The cut is not
    /// closed.
    func clipped(normal: Vector3d, offset: Double) -> TriangleMesh {
        let heights = positions.map { Float(dot(normal, Vector3d(Double($0.x), Double($0.y), Double($0.z))) - offset) }
        return clipped(heights: heights)
    }

    /// The part where a function, linear on each triangle, is at most 0.
    ///
    /// - Parameter heights: The finite height of each vertex.
    func clipped(heights: [Float]) -> TriangleMesh {
        guard heights.contains(where: { $0 > 0 }) else { return self }
        var result = TriangleMesh(positions: positions, triangles: [])
        var cuts: [SIMD2<UInt32>: UInt32] = [:]
        /// The intersection of the edge; one vertex for both triangles of the edge.
        func cut(_ a: UInt32, _ b: UInt32) -> UInt32 {
            let (low, high) = (min(a, b), max(a, b))
            if let known = cuts[SIMD2(low, high)] { return known }
            let (from, to) = (heights[Int(low)], heights[Int(high)])
            let number = UInt32(result.positions.count)
            result.positions.append(positions[Int(low)] + (positions[Int(high)] - positions[Int(low)]) * (from / (from - to)))
            cuts[SIMD2(low, high)] = number
            return number
        }
        for t in triangles {
            let outside = (0..<3).filter { heights[Int(t[$0])] > 0 }
            switch outside.count {
            case 0: result.triangles.append(t)
            case 1:
                // The one outside comes first.
                let (a, b, c) = t.starting(at: outside[0])
                let (ab, ca) = (cut(a, b), cut(c, a))
                result.triangles.append(SIMD3(ab, b, c))
                result.triangles.append(SIMD3(ab, c, ca))
            case 2:
                // The one inside comes first.
                let (a, b, c) = t.starting(at: 3 - outside[0] - outside[1])
                result.triangles.append(SIMD3(a, cut(a, b), cut(c, a)))
            default: break
            }
        }
        return result.compacted()
    }
}

extension SIMD3<UInt32> {
    /// A triangle's corners in their order, starting with one of them.
    fileprivate func starting(at corner: Int) -> (UInt32, UInt32, UInt32) {
        (self[corner], self[(corner + 1) % 3], self[(corner + 2) % 3])
    }
}

extension OrientedBox {
    /// The planes of its six sides, normals outward, unit: the points x with `dot(normal, x) == offset`. World frame.
    var sides: [(normal: Vector3d, offset: Double)] {
        let (center, axes) = (center, axes)
        return [axes.x, axes.y, axes.z].enumerated().flatMap { number, axis in
            [axis, -axis].map { ($0, dot($0, center) + halfExtents[number]) }
        }
    }
}
