/// Functions of polygons in the plane, given as lists of corners; the last corner is connected to the first.
@usableFromInline package enum Polygon {
    /// Returns twice the signed area of a triangle: positive if a, b, c are counterclockwise with x to the right and y up.
    @inlinable package static func signedDoubleArea<Scalar: RealScalar>(
        _ a: SIMD2<Scalar>, _ b: SIMD2<Scalar>, _ c: SIMD2<Scalar>
    ) -> Scalar {
        (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    }

    /// Returns the signed area: positive if the corners are counterclockwise with x to the right and y up; 0 for fewer than three.
    @inlinable package static func signedArea<Scalar: RealScalar>(_ corners: [SIMD2<Scalar>]) -> Scalar {
        guard corners.count > 2 else { return 0 }
        var sum: Scalar = 0
        for i in 1..<(corners.count - 1) { sum += signedDoubleArea(corners[0], corners[i], corners[i + 1]) }
        return sum / 2
    }

    @inlinable package static func area<Scalar: RealScalar>(_ corners: [SIMD2<Scalar>]) -> Scalar { abs(signedArea(corners)) }

    /// Returns whether a point is inside, by the even-odd rule. The result for points exactly on an edge is unspecified.
    @inlinable package static func contains<Scalar: RealScalar>(_ corners: [SIMD2<Scalar>], _ point: SIMD2<Scalar>) -> Bool {
        var isInside = false
        var previous = corners.count - 1
        for i in corners.indices {
            let (a, b) = (corners[i], corners[previous])
            if (a.y > point.y) != (b.y > point.y), point.x < (b.x - a.x) * (point.y - a.y) / (b.y - a.y) + a.x { isInside.toggle() }
            previous = i
        }
        return isInside
    }

    /// Returns the distance of a point from the polygon; 0 inside.
    @inlinable package static func distance<Scalar: RealScalar>(_ corners: [SIMD2<Scalar>], _ point: SIMD2<Scalar>) -> Scalar {
        guard !contains(corners, point) else { return 0 }
        var best = Scalar.infinity
        var previous = corners.count - 1
        for i in corners.indices {
            best = min(best, squaredDistance(point, corners[previous], corners[i]))
            previous = i
        }
        return best.squareRoot()
    }

    /// Returns the squared distance of a point from the segment a b.
    @inlinable package static func squaredDistance<Scalar: RealScalar>(
        _ point: SIMD2<Scalar>, _ a: SIMD2<Scalar>, _ b: SIMD2<Scalar>
    ) -> Scalar {
        let along = b - a
        let squared = (along * along).sum()
        let share = squared > 0 ? min(max(((point - a) * along).sum() / squared, 0), 1) : 0
        let rest = point - a - along * share
        return (rest * rest).sum()
    }
}
