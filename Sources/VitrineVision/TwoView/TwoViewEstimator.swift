import VitrineGeometry

/// Robust estimation of two-view geometry from matches with outliers.
package struct TwoViewEstimator: Sendable {
    package struct Options: Sendable, Equatable {
        /// The largest distance of an inlier from its epipolar line as a share of the photo's longer side, including the displacement by lens distortion.
        /// Default 0.002 (3 pixels of 1,600).
        package var tolerance = 0.002
        /// The smallest inlier threshold, as a share of the image's longer side. If the matches agree well, the threshold decreases to four
        /// standard deviations of the inliers, but not below this value. Default 0.0005 (0.8 pixels of 1,600).
        package var finestTolerance = 0.0005
        /// The fewest inliers of a verified pair. Default 15.
        package var minimumInliers = 15
        /// The largest number of random samples. Default 1,000.
        package var maximumTrials = 1000

        package init() {}
    }

    package var options: Options

    package init(_ options: Options = Options()) { self.options = options }

    /// The geometry with the most inliers, and the inliers; nil with too few.
    ///
    /// - Parameters:
    ///   - pixelPairs: Pixels in the first and the second photo, the most reliable match first.
    ///   - seed: The seed of the random samples; the same seed gives the same result.
    package func estimate(
        _ pixelPairs: [(SIMD2<Float>, SIMD2<Float>)], first: CameraGuess, second: CameraGuess, seed: UInt64
    ) -> (geometry: TwoViewGeometry, inliers: [Bool])? {
        let matches = pointMatches(pixelPairs, first, second)
        guard let fundamental = searchFundamental(matches, seed: seed) else { return nil }
        return verified(matches, fundamental: fundamental, first: first, second: second, seed: seed)
    }

    /// The fundamental matrix alone (in pixels), and the inliers; nil with too few.
    func fundamental(
        _ pixelPairs: [(SIMD2<Float>, SIMD2<Float>)], first: CameraGuess, second: CameraGuess, seed: UInt64
    ) -> (fundamental: Matrix3d, inliers: [Bool])? {
        let matches = pointMatches(pixelPairs, first, second)
        guard let found = searchFundamental(matches, seed: seed) else { return nil }
        let inliers = matches.residuals(fundamental: found).map { $0 < limit }
        guard inliers.count(where: { $0 }) >= max(8, options.minimumInliers),
            let inPixels = (matches.second.matrix.transpose * found * matches.first.matrix).unit
        else { return nil }
        return (inPixels, inliers)
    }

    /// The same from an initial fundamental matrix, without random sampling.
    func estimate(
        _ pixelPairs: [(SIMD2<Float>, SIMD2<Float>)], first: CameraGuess, second: CameraGuess, start: Matrix3d, seed: UInt64
    ) -> (geometry: TwoViewGeometry, inliers: [Bool])? {
        let matches = pointMatches(pixelPairs, first, second)
        // normalized secondᵀ F first, from pixels.
        let (a, b) = (matches.first.matrix.inverse, matches.second.matrix.inverse)
        guard let fundamental = (b.transpose * start * a).unit else { return nil }
        var best = fundamental
        var limit = limit
        for _ in 0..<2 {
            let refined = FundamentalSolver.refined(best, matches, limit: limit, rounds: 3)
            if matches.gain(fundamental: refined, limit: limit) >= matches.gain(fundamental: best, limit: limit) { best = refined }
            limit = fitted(limit, to: matches.residuals(fundamental: best))
        }
        var narrowed = self
        narrowed.options.tolerance = 0.5 * Double(limit).squareRoot()
        return narrowed.verified(matches, fundamental: best, first: first, second: second, seed: seed)
    }

    /// Four standard deviations of the residuals below the limit, estimated from their median; within the bounds of the options.
    private func fitted(_ limit: Float, to squares: [Float]) -> Float {
        let near = squares.filter { $0 < limit }.sorted()
        guard !near.isEmpty else { return limit }
        let wide = 4 * 1.4826 * near[near.count / 2].squareRoot()
        let finest = Float(2 * options.finestTolerance)
        return min(limit, max(wide * wide, finest * finest))
    }

    /// The squared threshold in the unit of `PointMatches`.
    private var limit: Float { Float(4 * options.tolerance * options.tolerance) }

    private func pointMatches(_ pixelPairs: [(SIMD2<Float>, SIMD2<Float>)], _ first: CameraGuess, _ second: CameraGuess) -> PointMatches {
        PointMatches(
            first: .init(width: first.intrinsics.width, height: first.intrinsics.height),
            second: .init(width: second.intrinsics.width, height: second.intrinsics.height), pixelPairs: pixelPairs)
    }

    private func searchFundamental(_ matches: PointMatches, seed: UInt64) -> Matrix3d? {
        let settings = ModelSearch.Settings(sampleSize: 7, maximumTrials: options.maximumTrials, seed: seed)
        let found = ModelSearch.best(
            count: matches.count, settings,
            solve: { FundamentalSolver.sevenPoint(matches, $0).compactMap(\.unit) },
            gain: { matches.gain(fundamental: $0, limit: limit) },
            // With a wide threshold first, then with the narrow one.
            refine: { start in
                let wide = FundamentalSolver.refined(start, matches, limit: limit * 4, rounds: 1)
                return FundamentalSolver.refined(wide, matches, limit: limit, rounds: 2)
            })
        return found?.model
    }

    private func searchHomography(_ matches: PointMatches, seed: UInt64) -> (model: Matrix3d, gain: Float)? {
        let settings = ModelSearch.Settings(sampleSize: 4, maximumTrials: options.maximumTrials / 2, seed: seed ^ 0x9E37)
        return ModelSearch.best(
            count: matches.count, settings,
            solve: { HomographySolver.fourPoint(matches, $0).map { [$0] } ?? [] },
            gain: { matches.gain(homography: $0, limit: limit) },
            refine: { start in
                let squares = matches.residuals(homography: start)
                return HomographySolver.leastSquares(matches, squares.indices.filter { squares[$0] < limit })
            })
    }

    private func verified(
        _ matches: PointMatches, fundamental: Matrix3d, first: CameraGuess, second: CameraGuess, seed: UInt64
    ) -> (geometry: TwoViewGeometry, inliers: [Bool])? {
        let squares = matches.residuals(fundamental: fundamental)
        let inliers = squares.map { $0 < limit }
        let kept = inliers.indices.filter { inliers[$0] }
        guard kept.count >= max(8, options.minimumInliers) else { return nil }

        let kepts = PointMatches(first: matches.first, second: matches.second, kept: kept, of: matches)
        let plane = searchHomography(kepts, seed: seed)
        var share = 0.0
        if let plane {
            share = Double(kepts.residuals(homography: plane.model).count { $0 < limit }) / Double(kept.count)
        }
        let (toFirst, toSecond) = (matches.first.matrix, matches.second.matrix)
        guard let inPixels = (toSecond.transpose * fundamental * toFirst).unit else { return nil }
        var geometry = TwoViewGeometry(kind: share > 0.8 ? .planar : .general, fundamental: inPixels, homographyInlierShare: share)
        geometry.homography = plane.flatMap { (toSecond.inverse * $0.model * toFirst).unit }
        addPose(to: &geometry, kepts, first.intrinsics, second.intrinsics)
        return (geometry, inliers)
    }

    private func addPose(
        to geometry: inout TwoViewGeometry, _ matches: PointMatches, _ first: CameraIntrinsics, _ second: CameraIntrinsics
    ) {
        // A subset determines the pose as well as all.
        let stride = max(1, matches.count / 400)
        var (a, b): ([Vector3d], [Vector3d]) = ([], [])
        for i in Swift.stride(from: 0, to: matches.count, by: stride) {
            let p = first.normalized(matches.a(i) / matches.first.scale + matches.first.center)
            let q = second.normalized(matches.b(i) / matches.second.scale + matches.second.center)
            a.append(Vector3d(p.x, p.y, 1))
            b.append(Vector3d(q.x, q.y, 1))
        }
        let pixels = options.tolerance * 0.5 * Double(max(first.width, first.height) + max(second.width, second.height))
        let angle = pixels / (0.25 * (first.focal + second.focal).sum())
        let rays = PoseFromMatches(first: a, second: b, limit: angle * angle)

        let (k1, k2) = (Self.matrix(first), Self.matrix(second))
        let homography = geometry.homography.map { k2.inverse * $0 * k1 }
        if geometry.homographyInlierShare > 0.75, let homography, let rotation = Self.nearestRotation(homography),
            median(rays.angles(rotation)) < 2 * angle
        {
            geometry.kind = .rotation
            return
        }
        guard let (pose, gain) = rays.best(essential: k2.transpose * geometry.fundamental * k1, homography: homography),
            gain > 0.35 * Double(a.count)
        else { return }
        geometry.relativePose = pose
        geometry.medianAngle = rays.medianAngle(pose)
    }

    private static func matrix(_ intrinsics: CameraIntrinsics) -> Matrix3d {
        Matrix3d(
            rows: Vector3d(intrinsics.focal.x, 0, intrinsics.center.x), Vector3d(0, intrinsics.focal.y, intrinsics.center.y),
            Vector3d(0, 0, 1))
    }

    /// The rotation nearest to a multiple of a matrix.
    private static func nearestRotation(_ matrix: Matrix3d) -> Matrix3d? {
        let m = matrix * (matrix.determinant < 0 ? -1 : 1)
        let (squares, v) = (m.transpose * m).symmetricEigen()
        guard squares.y > 1e-12 * squares.x else { return nil }
        let u1 = normalize(m * v.x)
        let u2 = normalize(m * v.y - u1 * dot(u1, m * v.y))
        return Matrix3d(u1, u2, cross(u1, u2)) * v.transpose
    }
}
