import VitrineMath
import VitrineVision

/// Absolute pose from 3D points and viewing directions with outliers, for known gravity.
///
/// RANSAC over pairs (``TwoPointPose``), then Gauss–Newton over six degrees of freedom with a prior on gravity. Errors are angles between
/// directions, for any lens.
struct GravityAlignedResection {
    /// A putative match of a feature with a landmark.
    struct Match {
        /// The feature; at most one of its matches is correct.
        var feature: Int
        /// Unit direction from the camera, on gravity-aligned axes (y up).
        var direction: Vector3d
        /// The landmark's position in the map.
        var point: Vector3d
        /// The landmark's standard deviation in metres times its direction.
        var uncertainty = Vector3d.zero
        /// The landmark's index in the map.
        var landmark: Int32 = -1
    }

    struct Result {
        /// Map from the directions' axes, and the camera's position.
        var rotation: Matrix3d
        var center: Vector3d
        /// Indices of the inliers, ascending; one for each feature.
        var inliers: [Int]
        /// The weighted number of inliers: uncertain landmarks count less, since they agree by chance more easily.
        var support: Double
        /// Rotation (radians about the map's axes), then position (metres); 6×6 in row order.
        var covariance: [Double]
        /// The root mean square error of the inliers in radians.
        var error: Double
    }

    /// Largest error of a direction in radians; standard deviation of gravity in radians.
    var tolerance: Double
    var tilt: Double
    var trials = 400
    var seed: UInt64

    func solve(_ matches: [Match]) -> Result? {
        guard matches.count >= 6, let first = search(matches) else { return nil }
        // The wide first rounds take up the error of gravity.
        let slack = tilt / tolerance
        return refined(first.rotation, first.center, with: matches, [2 + slack, 1.5 + 0.3 * slack, 1, 1])
    }

    /// Refines a result with other matches.
    func refined(_ result: Result, with matches: [Match]) -> Result? {
        refined(result.rotation, result.center, with: matches, [1.5, 1, 1])
    }

    /// Refines a pose by iterations with its inliers.
    ///
    /// - Parameter widths: The inlier threshold of each iteration, relative to the tolerance.
    private func refined(_ rotation: Matrix3d, _ center: Vector3d, with matches: [Match], _ widths: [Double]) -> Result? {
        var (rotation, center) = (rotation, center)
        var result: Result?
        for (round, wide) in widths.enumerated() {
            let inliers = inliers(matches, rotation, center, wide * tolerance)
            guard inliers.count >= 4, let refined = refined(inliers.map { matches[$0] }, rotation, center, rounds: round == 0 ? 6 : 4)
            else { return nil }
            (rotation, center) = (refined.rotation, refined.center)
            let support = inliers.reduce(0) { $0 + weight(matches[$1], rotation, center) }
            result = Result(
                rotation: rotation, center: center, inliers: inliers, support: support, covariance: refined.covariance, error: refined.error
            )
        }
        return result
    }

    // MARK: Search

    private func search(_ matches: [Match]) -> TwoPointPose.Answer? {
        var random = SplitMix64(seed: seed)
        // Beyond the final tolerance: tilt and landmarks are inexact.
        let limit = (2 * tolerance + tilt) * (2 * tolerance + tilt)
        var best: (answer: TwoPointPose.Answer, cost: Double)?
        var (trial, needed) = (0, trials)
        while trial < needed {
            trial += 1
            let a = random.below(matches.count)
            let b = random.below(matches.count)
            guard matches[a].feature != matches[b].feature, dot(matches[a].direction, matches[b].direction) < 0.998 else { continue }
            for answer in TwoPointPose.solve(
                rays: matches[a].direction, matches[b].direction, points: matches[a].point, matches[b].point)
            {
                guard let cost = cost(matches, answer, limit, below: best?.cost ?? .infinity) else { continue }
                best = (answer, cost)
                // At least so many agree, each adding the limit less its own error.
                let share = max(0.01, 1 - cost / (limit * Double(matches.count)))
                needed = min(needed, trial + max(30, Int((-5 / log(1 - share * share * 0.99)).rounded(.up))))
            }
        }
        return best?.answer
    }

    /// The sum of squared errors truncated at `limit`; nil if it is not below `most`.
    private func cost(_ matches: [Match], _ answer: TwoPointPose.Answer, _ limit: Double, below most: Double) -> Double? {
        let back = answer.rotation.transpose
        var sum = 0.0
        for match in matches {
            sum += min(limit, squaredError(match, back, answer.center))
            if sum >= most { return nil }
        }
        return sum
    }

    /// Standard deviations by which a landmark may deviate along its uncertainty.
    private static let reach = 2.5

    /// The squared error of a match, without the part explained by the landmark's uncertainty.
    private func squaredError(_ match: Match, _ back: Matrix3d, _ center: Vector3d) -> Double {
        let arm = back * (match.point - center)
        let distance = length(arm)
        guard distance > 1e-6 else { return 4 }
        let predicted = arm / distance
        let error = predicted - match.direction
        let uncertainty = back * match.uncertainty * (Self.reach / distance)
        let across = uncertainty - predicted * dot(uncertainty, predicted)
        let along = dot(error, across)
        return lengthSquared(error) - along * along / (tolerance * tolerance + lengthSquared(across))
    }

    /// 1 for a match with an accurate landmark, less if its uncertainty moves it in the image.
    private func weight(_ match: Match, _ rotation: Matrix3d, _ center: Vector3d) -> Double {
        let arm = rotation.transpose * (match.point - center)
        let uncertainty = rotation.transpose * match.uncertainty * (Self.reach / max(length(arm), 1e-6))
        let across = uncertainty - match.direction * dot(uncertainty, match.direction)
        return 1 / (1 + lengthSquared(across) / (tolerance * tolerance)).squareRoot()
    }

    /// The inliers: for each feature its best match.
    private func inliers(_ matches: [Match], _ rotation: Matrix3d, _ center: Vector3d, _ limit: Double) -> [Int] {
        let back = rotation.transpose
        var best: [Int: (index: Int, error: Double)] = [:]
        for (index, match) in matches.enumerated() {
            let error = squaredError(match, back, center)
            guard error < limit * limit, error < best[match.feature]?.error ?? .infinity else { continue }
            best[match.feature] = (index, error)
        }
        return best.values.map(\.index).sorted()
    }

    // MARK: Refinement

    private func refined(
        _ matches: [Match], _ startRotation: Matrix3d, _ startCenter: Vector3d, rounds: Int
    ) -> (rotation: Matrix3d, center: Vector3d, covariance: [Double], error: Double)? {
        var (rotation, center) = (startRotation, startCenter)
        var (covariance, error): ([Double], Double) = ([], 0)
        // The scale of the Cauchy loss: half of the tolerance.
        let usual = tolerance * 0.5
        for _ in 0..<rounds {
            var system = SymmetricSystem(size: 6)
            var (squares, weights) = (0.0, 0.0)
            for match in matches {
                let arm = match.point - center
                let distance = length(arm)
                guard distance > 0.05 else { continue }
                let predicted = rotation.transpose * arm / distance
                let error = match.direction - predicted
                // The uncertainty of the point's direction: errors along it have less weight.
                let across = (Matrix3d.identity - Matrix3d.outer(predicted, predicted)) * (1 / distance)
                let uncertainty = across * (rotation.transpose * match.uncertainty)
                let slack = 1 / (usual * usual + lengthSquared(uncertainty))
                let along = dot(error, uncertainty)
                let square = lengthSquared(error) - along * along * slack
                let weight = 1 / (1 + square / (usual * usual))
                squares += weight * square
                weights += weight
                // How the direction changes with a rotation of the map's axes and the position.
                let back = across * rotation.transpose
                let (turn, move) = (back * Matrix3d.skew(arm), back * -1)
                Self.add(&system, turn, move, error, uncertainty, slack, weight / (usual * usual))
            }
            addGravity(&system, rotation)
            guard let factor = system.factored() else { return nil }
            let step = factor.solve(system.right)
            rotation = (Matrix3d.rotation(Vector3d(step[0], step[1], step[2])) * rotation).orthonormalized
            center += Vector3d(step[3], step[4], step[5])
            guard center.isFinite else { return nil }
            covariance = factor.inverse(Array(0..<6))
            error = weights > 0 ? (squares / weights).squareRoot() : 0
        }
        return (rotation, center, covariance, error)
    }

    private static func add(
        _ system: inout SymmetricSystem, _ turn: Matrix3d, _ move: Matrix3d, _ error: Vector3d, _ uncertainty: Vector3d, _ slack: Double,
        _ weight: Double
    ) {
        let columns = [turn.x, turn.y, turn.z, move.x, move.y, move.z]
        for i in 0..<6 {
            // The inverse of the noise's covariance with the uncertainty's (Sherman & Morrison), times the noise's.
            let column = columns[i] - uncertainty * (dot(columns[i], uncertainty) * slack)
            for j in 0..<6 { system.matrix[6 * i + j] += weight * dot(column, columns[j]) }
            system.right[i] += weight * dot(column, error)
        }
    }

    /// Adds the gravity prior.
    private func addGravity(_ system: inout SymmetricSystem, _ rotation: Matrix3d) {
        let weight = 1 / (tilt * tilt)
        // Of a turn that takes up to `rotation.y`.
        let off = cross(Vector3d(0, 1, 0), rotation.y)
        for axis in [0, 2] {
            system.matrix[6 * axis + axis] += weight
            system.right[axis] -= weight * off[axis]
        }
    }
}
