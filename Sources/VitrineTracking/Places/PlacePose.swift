import VitrineMath
import VitrineVision

/// Finds the camera's place from directions in which known points are thought to be seen, most of them wrongly perhaps.
///
/// RANSAC over pairs (gravity is known), then Gauss–Newton on all six degrees of freedom with gravity as a prior, so that a tilt that is a
/// little off doesn't bend the place. Misses are measured between directions, whatever the lens.
struct PlacePose {
    /// A point and where it is thought to be seen.
    struct Match {
        /// Whose it is: of several of one feature at most one is right.
        var feature: Int
        /// Unit direction from the camera, on the axes of the world in which the camera was followed (y up).
        var direction: Vector3d
        /// In the world that is looked for.
        var point: Vector3d
        /// How far off the point may be, and along what: a standard deviation in metres.
        var doubt = Vector3d.zero
    }

    struct Result {
        /// From the axes of the matches' directions, and the camera's place.
        var rotation: Matrix3d
        var center: Vector3d
        /// Indices of the matches that agree, rising: one a feature.
        var agreeing: [Int]
        /// How many that is worth: a point that may lie anywhere along a line agrees by chance more easily.
        var support: Double
        /// Of rotation (radians about the world's axes) and place: 6×6 by rows.
        var covariance: [Double]
        /// The root mean square miss of those that agree, radians.
        var miss: Double
    }

    /// Radians that a direction may be off, and radians that gravity may be off (standard deviation).
    var tolerance: Double
    var tilt: Double
    var trials = 400
    var seed: UInt64

    func solve(_ matches: [Match]) -> Result? {
        guard matches.count >= 6, let first = search(matches) else { return nil }
        return refined(first.rotation, first.center, with: matches, [2, 1, 1])
    }

    /// The same place by other matches.
    func refined(_ result: Result, with matches: [Match]) -> Result? {
        refined(result.rotation, result.center, with: matches, [1.5, 1, 1])
    }

    /// - Parameter widths: how far off, in tolerances, what takes part may be: one for each round.
    private func refined(_ rotation: Matrix3d, _ center: Vector3d, with matches: [Match], _ widths: [Double]) -> Result? {
        var (rotation, center) = (rotation, center)
        var result: Result?
        for (round, wide) in widths.enumerated() {
            let agreeing = agreeing(matches, rotation, center, wide * tolerance)
            guard agreeing.count >= 4, let refined = refined(agreeing.map { matches[$0] }, rotation, center, rounds: round == 0 ? 6 : 4)
            else { return nil }
            (rotation, center) = (refined.rotation, refined.center)
            let support = agreeing.reduce(0) { $0 + worth(matches[$1], rotation, center) }
            result = Result(
                rotation: rotation, center: center, agreeing: agreeing, support: support, covariance: refined.covariance, miss: refined.miss
            )
        }
        return result
    }

    // MARK: Search

    private func search(_ matches: [Match]) -> TwoPointPose.Answer? {
        var random = SplitMix64(seed: seed)
        // Twice as wide as what agrees in the end: tilt and points are a little off.
        let limit = 4 * tolerance * tolerance
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
                // At least so many agree, each adding the limit less its own miss.
                let share = max(0.01, 1 - cost / (limit * Double(matches.count)))
                needed = min(needed, trial + max(30, Int((-5 / log(1 - share * share * 0.99)).rounded(.up))))
            }
        }
        return best?.answer
    }

    /// The sum of squared misses, each at most `limit`; nil where it isn't below `most`.
    private func cost(_ matches: [Match], _ answer: TwoPointPose.Answer, _ limit: Double, below most: Double) -> Double? {
        let back = answer.rotation.transpose
        var sum = 0.0
        for match in matches {
            sum += min(limit, squaredMiss(match, back, answer.center))
            if sum >= most { return nil }
        }
        return sum
    }

    /// How many standard deviations along its doubt a point may be off.
    private static let reach = 2.5

    /// How far off a match is, squared, what the point's own doubt explains left out.
    private func squaredMiss(_ match: Match, _ back: Matrix3d, _ center: Vector3d) -> Double {
        let arm = back * (match.point - center)
        let distance = length(arm)
        guard distance > 1e-6 else { return 4 }
        let seen = arm / distance
        let error = seen - match.direction
        let doubt = back * match.doubt * (Self.reach / distance)
        let across = doubt - seen * dot(doubt, seen)
        let along = dot(error, across)
        return lengthSquared(error) - along * along / (tolerance * tolerance + lengthSquared(across))
    }

    /// 1 for a match whose point is known, less where the point's doubt moves it over the picture.
    private func worth(_ match: Match, _ rotation: Matrix3d, _ center: Vector3d) -> Double {
        let arm = rotation.transpose * (match.point - center)
        let doubt = rotation.transpose * match.doubt * (Self.reach / max(length(arm), 1e-6))
        let across = doubt - match.direction * dot(doubt, match.direction)
        return 1 / (1 + lengthSquared(across) / (tolerance * tolerance)).squareRoot()
    }

    /// One match a feature: its nearest.
    private func agreeing(_ matches: [Match], _ rotation: Matrix3d, _ center: Vector3d, _ limit: Double) -> [Int] {
        let back = rotation.transpose
        var best: [Int: (index: Int, miss: Double)] = [:]
        for (index, match) in matches.enumerated() {
            let miss = squaredMiss(match, back, center)
            guard miss < limit * limit, miss < best[match.feature]?.miss ?? .infinity else { continue }
            best[match.feature] = (index, miss)
        }
        return best.values.map(\.index).sorted()
    }

    // MARK: Refinement

    private func refined(
        _ matches: [Match], _ startRotation: Matrix3d, _ startCenter: Vector3d, rounds: Int
    ) -> (rotation: Matrix3d, center: Vector3d, covariance: [Double], miss: Double)? {
        var (rotation, center) = (startRotation, startCenter)
        var (covariance, miss): ([Double], Double) = ([], 0)
        // Half of what is let through counts as usual: beyond, matches count less (Cauchy's loss).
        let usual = tolerance * 0.5
        for _ in 0..<rounds {
            var system = SymmetricSystem(size: 6)
            var (squares, weights) = (0.0, 0.0)
            for match in matches {
                let arm = match.point - center
                let distance = length(arm)
                guard distance > 0.05 else { continue }
                let seen = rotation.transpose * arm / distance
                let error = match.direction - seen
                // What the point's doubt does to its direction: errors along that count less.
                let across = (Matrix3d.identity - Rotations.outer(seen, seen)) * (1 / distance)
                let doubt = across * (rotation.transpose * match.doubt)
                let slack = 1 / (usual * usual + lengthSquared(doubt))
                let along = dot(error, doubt)
                let square = lengthSquared(error) - along * along * slack
                let weight = 1 / (1 + square / (usual * usual))
                squares += weight * square
                weights += weight
                // How the direction changes with a turn of the world's axes and with the place.
                let back = across * rotation.transpose
                let (turn, move) = (back * Matrix3d.skew(arm), back * -1)
                Self.add(&system, turn, move, error, doubt, slack, weight / (usual * usual))
            }
            addGravity(&system, rotation)
            guard let factor = system.factored() else { return nil }
            let step = factor.solve(system.right)
            rotation = Rotations.orthonormalized(Matrix3d.rotation(Vector3d(step[0], step[1], step[2])) * rotation)
            center += Vector3d(step[3], step[4], step[5])
            guard center.isFinite else { return nil }
            covariance = factor.inverse(Array(0..<6))
            miss = weights > 0 ? (squares / weights).squareRoot() : 0
        }
        return (rotation, center, covariance, miss)
    }

    private static func add(
        _ system: inout SymmetricSystem, _ turn: Matrix3d, _ move: Matrix3d, _ error: Vector3d, _ doubt: Vector3d, _ slack: Double,
        _ weight: Double
    ) {
        let columns = [turn.x, turn.y, turn.z, move.x, move.y, move.z]
        for i in 0..<6 {
            // The inverse of the noise's covariance with the doubt's (Sherman & Morrison), times the noise's.
            let column = columns[i] - doubt * (dot(columns[i], doubt) * slack)
            for j in 0..<6 { system.matrix[6 * i + j] += weight * dot(column, columns[j]) }
            system.right[i] += weight * dot(column, error)
        }
    }

    /// Up stays up, as surely as gravity is known.
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
