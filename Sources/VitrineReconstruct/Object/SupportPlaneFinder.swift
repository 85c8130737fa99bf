import VitrineMath
import VitrineVision

/// Finds the plane that the object stands on: a sheet of points, nearly level, observed from above, with nearly nothing below it.
///
/// Random samples of three points (Fischler and Bolles 1981) among those near the focus of the cameras; then least squares.
struct SupportPlaneFinder {
    var up: Vector3d
    /// The largest angle of the normal from `up`, radians.
    var largestTilt: Double
    /// Whether `up` is exactly the normal: only the plane's height is searched.
    var isLevel = false
    var focus: FocusFinder.Result
    var eyes: [Vector3d]

    struct Result {
        var plane: Plane3<Double>
        /// The largest distance of the sheet's points from the plane. World unit.
        var thickness: Double
        /// The density of the sheet relative to the layers above and below it.
        var contrast: Double
        var points: Int
    }

    /// The thickness of the plane relative to the cameras' distance: the noise of triangulation.
    var relativeThickness = 0.004

    func find(_ points: [Vector3d]) -> Result? {
        let near = points.filter { distance($0, focus.point) < 0.9 * focus.distance }
        guard near.count >= 40 else { return nil }
        // More points than this only take time.
        let step = max(1, near.count / 3000)
        let sample = stride(from: 0, to: near.count, by: step).map { near[$0] }
        let thickness = relativeThickness * focus.distance
        guard let start = bestSample(sample, thickness: thickness) else { return nil }
        let plane = refined(start, near, thickness: thickness)
        return judged(plane, near, thickness: thickness)
    }

    private func bestSample(_ points: [Vector3d], thickness: Double) -> Plane3<Double>? {
        var random = SplitMix64(seed: 0x7AB1E)
        var best: (score: Double, plane: Plane3<Double>)?
        let leastCosine = cos(largestTilt)
        for _ in 0..<6000 {
            let (a, b, c) = (points[random.below(points.count)], points[random.below(points.count)], points[random.below(points.count)])
            let across = cross(b - a, c - a)
            guard length(across) > 1e-4 * focus.distance * focus.distance else { continue }
            var normal = isLevel ? up : normalize(across)
            if dot(normal, up) < 0 { normal = -normal }
            guard dot(normal, up) > leastCosine else { continue }
            let plane = Plane3<Double>(normal: normal, offset: dot(normal, a))
            guard isObservedFromAbove(plane) else { continue }
            let score = score(plane, points, thickness: thickness)
            if best.map({ score > $0.score }) ?? (score > 0) { best = (score, plane) }
        }
        return best?.plane
    }

    /// The number of points in the plane, minus those below it: a table occludes everything below.
    private func score(_ plane: Plane3<Double>, _ points: [Vector3d], thickness: Double) -> Double {
        var (inside, below) = (0, 0)
        for point in points {
            let height = plane.signedDistance(to: point)
            if abs(height) < thickness { inside += 1 } else if height < -3 * thickness { below += 1 }
        }
        return Double(inside) - 0.7 * Double(below)
    }

    private func isObservedFromAbove(_ plane: Plane3<Double>) -> Bool {
        let above = eyes.count { plane.signedDistance(to: $0) > 0.02 * focus.distance }
        // The focus of the cameras is above the plane; a relief lies in it.
        return 10 * above >= 8 * eyes.count && plane.signedDistance(to: focus.point) > -0.1 * focus.distance
    }

    private func refined(_ start: Plane3<Double>, _ points: [Vector3d], thickness: Double) -> Plane3<Double> {
        var plane = start
        for round in 0..<6 {
            let limit = thickness * (round < 3 ? 1.5 : 0.8)
            let inside = points.filter { abs(plane.signedDistance(to: $0)) < limit }
            guard inside.count >= 20 else { return plane }
            let mean = inside.reduce(.zero, +) / Double(inside.count)
            let normal = isLevel ? up : Matrix3d.scatter(of: inside.map { $0 - mean }).symmetricEigen().vectors.z
            let turned = dot(normal, plane.normal) < 0 ? -normal : normal
            guard dot(turned, up) > cos(largestTilt + 0.05) else { return plane }
            plane = Plane3<Double>(normal: turned, offset: dot(turned, mean))
        }
        return plane
    }

    /// nil unless the plane is distinct, with the object above it.
    private func judged(_ plane: Plane3<Double>, _ points: [Vector3d], thickness: Double) -> Result? {
        let heights = points.map { plane.signedDistance(to: $0) }
        let inside = heights.count { abs($0) < thickness }
        let beside = heights.count { abs($0) >= thickness && abs($0) < 3 * thickness }
        let below = heights.count { $0 < -3 * thickness }
        let contrast = 2 * Double(inside) / Double(beside + 1)
        let isSheet = inside >= max(30, points.count / 50) && contrast > 1.6
        guard isSheet, Double(below) < 0.25 * Double(points.count), isObservedFromAbove(plane) else { return nil }
        return Result(plane: plane, thickness: thickness, contrast: contrast, points: inside)
    }
}
