extension Polygon {
    /// Returns the corners of the convex hull of points, counterclockwise with x to the right and y up; points on its edges are not corners.
    ///
    /// Andrew's monotone chain ("Another efficient algorithm for convex hulls in two dimensions", 1979): O(n log n).
    ///
    /// - Parameter smallest: Corners whose triangle with their neighbours has at most this double area are omitted. Default 0.
    /// - Returns: The sorted points if there are fewer than three; two corners if all points lie on one line.
    @inlinable package static func convexHull<Scalar: RealScalar>(
        _ points: [SIMD2<Scalar>], smallest: Scalar = 0
    ) -> [SIMD2<Scalar>] {
        let sorted = points.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
        guard sorted.count >= 3 else { return sorted }
        return chain(sorted, smallest) + chain(sorted.reversed(), smallest)
    }

    /// Returns one side of the hull without its last corner, which is the first corner of the other side.
    @inlinable static func chain<Scalar: RealScalar>(_ sorted: [SIMD2<Scalar>], _ smallest: Scalar) -> [SIMD2<Scalar>] {
        var chain: [SIMD2<Scalar>] = []
        for point in sorted {
            while chain.count >= 2, signedDoubleArea(chain[chain.count - 2], chain[chain.count - 1], point) <= smallest {
                chain.removeLast()
            }
            chain.append(point)
        }
        chain.removeLast()
        return chain
    }
}
