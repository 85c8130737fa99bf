import VitrineMath
import VitrineVision

extension SurfacePoints {
    /// The support plane, fitted to the points of the support itself where enough of them are there: dense points know it better than the
    /// few that it was found from.
    ///
    /// - Returns: `plane` where the points don't show one near it.
    func refined(_ plane: Plane3<Float>) -> Plane3<Float> {
        let reach = 0.03 * extent
        let facing = positions.indices.filter {
            abs(plane.signedDistance(to: positions[$0])) < reach && dot(normals[$0], plane.normal) > 0.9
        }
        guard facing.count >= Self.neededOnPlane else { return plane }
        // The height that most of them have.
        let bins = 64
        var counts = [Int](repeating: 0, count: bins)
        for point in facing {
            counts[min(bins - 1, max(0, Int((plane.signedDistance(to: positions[point]) / reach + 1) / 2 * Float(bins))))] += 1
        }
        let best = counts.indices.max { counts[$0] < counts[$1] }!
        var result = plane
        result.offset += ((Float(best) + 0.5) / Float(bins) * 2 - 1) * reach
        for step in 0..<3 {
            let band = reach / Float(8 << step)
            let near = facing.filter { abs(result.signedDistance(to: positions[$0])) < max(band, 2 * spacings[$0]) }
            guard near.count >= Self.neededOnPlane, let fitted = Self.fit(near.map { positions[$0] }, beside: result) else { return plane }
            result = fitted
        }
        // Tilted further, it is something else.
        return dot(result.normal, plane.normal) > 0.996 ? result : plane
    }

    private static let neededOnPlane = 500

    /// The least-squares plane of points that lie about in `plane`, as heights over it.
    private static func fit(_ points: [Vector3], beside plane: Plane3<Float>) -> Plane3<Float>? {
        let u = anyPerpendicular(plane.normal)
        let v = cross(plane.normal, u)
        let middle = points.reduce(Vector3.zero, +) / Float(points.count)
        var (uu, uv, vv, uh, vh) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for point in points {
            let offset = point - middle
            let (x, y, h) = (Double(dot(offset, u)), Double(dot(offset, v)), Double(dot(offset, plane.normal)))
            uu += x * x
            uv += x * y
            vv += y * y
            uh += x * h
            vh += y * h
        }
        let determinant = uu * vv - uv * uv
        guard determinant > 1e-6 * uu * vv else { return nil }
        let (a, b) = (Float((uh * vv - vh * uv) / determinant), Float((vh * uu - uh * uv) / determinant))
        let normal = normalize(plane.normal - u * a - v * b)
        return Plane3<Float>(normal: normal, offset: dot(normal, middle))
    }

    /// Drops the support itself: what lies in the plane or below, and what is near and faces up.
    mutating func dropSupport(_ plane: Plane3<Float>) throws(SurfaceError) {
        let (spacing, positions, normals) = (medianSpacing, positions, normals)
        try keep {
            let height = plane.signedDistance(to: positions[$0])
            return height > spacing && (height > 4 * spacing || dot(normals[$0], plane.normal) < 0.7)
        }
    }
}
