import VitrineMath
import VitrineVision

/// An observation of a landmark by a matched corner.
struct LandmarkObservation: Equatable, Sendable {
    /// The unit direction in the camera's frame, and its standard deviation in radians.
    var direction: Vector3d
    var noise: Double
    var landmark: Landmark
}

/// Variances of the tracker's world relative to the map: heading in rad², position in m² per axis.
package struct DriftVariance: Equatable, Sendable {
    package var heading = 0.0
    package var position = 0.0

    package init(heading: Double = 0, position: Double = 0) { (self.heading, self.position) = (heading, position) }

    static func + (a: DriftVariance, b: DriftVariance) -> DriftVariance {
        DriftVariance(heading: a.heading + b.heading, position: a.position + b.position)
    }
    /// The difference, not less than zero.
    static func - (a: DriftVariance, b: DriftVariance) -> DriftVariance {
        DriftVariance(heading: max(0, a.heading - b.heading), position: max(0, a.position - b.position))
    }
}

/// Aligns the tracked poses of several frames with a map.
///
/// The frames' relative poses come from the tracker, so that all observations determine one rotation and one translation. Landmarks are consider
/// parameters: each is eliminated with its covariance, and its error counts once for all frames that observe it. Gauss–Newton with Cauchy weights.
struct MapAlignment {
    /// A frame's pose in the tracker's world, and its observations.
    struct View: Sendable {
        var pose: RigidTransform
        var observations: [LandmarkObservation]
    }

    struct Result: Sendable {
        /// The transform from the tracker's world to the map's: a rotation about +Y and a translation.
        var correction: RigidTransform
        /// Heading in radians, then position of the pivot in metres, in the map's world; 4×4 in row order.
        var covariance: [Double]
        /// The number of landmarks with an inlier, and the share of inliers among the observations.
        var landmarks: Int
        var share: Double
        /// The mean squared residual per coordinate in standard deviations, robust: near 1 if poses and map agree.
        var residual: Double

        /// The standard deviations of the alignment: heading in radians, and the position along its least certain axis in metres.
        var headingDeviation: Double { covariance[0].squareRoot() }
        var positionDeviation: Double {
            Matrix3d(
                Vector3d(covariance[5], covariance[6], covariance[7]), Vector3d(covariance[9], covariance[10], covariance[11]),
                Vector3d(covariance[13], covariance[14], covariance[15])
            ).symmetricEigen().values.max().squareRoot()
        }
    }

    /// Standard deviation of the direction of gravity between the tracker's world and the map, in radians.
    var tilt = 0.004
    /// Standard deviations of the map's own errors, which all landmarks of a view share: heading in radians, position in metres. The direction of a
    /// corner adds to both, times the distance for the position.
    var mapHeading = 0.003
    var mapPosition = 0.006
    /// Factor on the landmarks' covariances, and the standard deviation in metres added to each axis: their errors are correlated.
    var landmarkFactor = 1.5
    var landmarkDeviation = 0.005
    /// Factor on the standard deviation of directions, for the errors of the tracked relative poses.
    var noiseFactor = 1.4

    /// A landmark and its observations.
    private struct Point {
        var position: Vector3d
        var covariance: Matrix3d
        var information: Matrix3d
        var rays: [(view: Int, direction: Vector3d, noise: Double)] = []
    }

    /// Aligns the tracker's world with the map by views; nil if they do not agree.
    ///
    /// - Parameters:
    ///   - pivot: The position, in the tracker's world, for which the covariance is computed.
    ///   - start: The approximate correction.
    func solve(_ views: [View], at pivot: Vector3d, from start: RigidTransform) -> Result? {
        let points = points(views)
        var (rotation, center) = (start.rotation, start * pivot)
        let scale = scaleDeviation(points, from: center)
        var result: Result?
        for _ in 0..<8 {
            guard let round = iterate(points, views, pivot, scale, &rotation, &center) else { return nil }
            result = round.result
            if round.step < 1e-5 { break }
        }
        return result
    }

    /// The landmarks in the order of their first observation.
    private func points(_ views: [View]) -> [Point] {
        var (numbers, points): ([SIMD3<Float>: Int], [Point]) = ([:], [])
        for (view, frame) in views.enumerated() {
            for observation in frame.observations {
                let position = observation.landmark.position
                let number = numbers[position] ?? points.count
                if number == points.count {
                    numbers[position] = number
                    let spread = landmarkDeviation * landmarkDeviation
                    let covariance = observation.landmark.covariance * landmarkFactor + Matrix3d.identity * spread
                    points.append(Point(position: Vector3d(position), covariance: covariance, information: covariance.inverse))
                }
                points[number].rays.append((view, observation.direction, observation.noise * noiseFactor))
            }
        }
        return points
    }

    /// The relative standard deviation of the distances that all landmarks share: errors of the baselines between keyframes. It is that of the most
    /// accurate landmarks, whose directions are hardly uncertain.
    private func scaleDeviation(_ points: [Point], from center: Vector3d) -> Double {
        let deviations = points.map { point -> Double in
            let arm = point.position - center
            let distance = max(length(arm), 0.05)
            return dot(arm, point.covariance * arm).squareRoot() / (distance * distance)
        }.sorted()
        return max(1e-4, deviations.isEmpty ? 1 : deviations[deviations.count / 5])
    }

    /// Performs one Gauss–Newton step.
    private func iterate(
        _ points: [Point], _ views: [View], _ pivot: Vector3d, _ scale: Double, _ rotation: inout Matrix3d, _ center: inout Vector3d
    ) -> (result: Result, step: Double)? {
        // The last unknown is the map's scale about the pivot.
        let size = 7
        var system = SymmetricSystem(size: size)
        var (observations, inliers, landmarks) = (0, 0, 0)
        var (squares, weights, information, reach) = (0.0, 0.0, 0.0, 0.0)
        for point in points {
            var (own, right, isInlier) = (point.information, Vector3d.zero, false)
            var cross = [Vector3d](repeating: .zero, count: size)
            for ray in point.rays {
                observations += 1
                let pose = views[ray.view].pose
                let eye = rotation * (pose.translation - pivot) + center
                let direction = rotation * (pose.rotation * ray.direction)
                let arm = point.position - eye
                let distance = length(arm)
                guard distance > 0.05, dot(arm, direction) > 0.5 * distance else { continue }
                let (a, b) = Self.tangents(direction)
                let error = Vector2d(dot(a, arm), dot(b, arm)) / distance
                // The residual's covariance with the landmark's, for the weight.
                let (pa, pb) = (point.covariance * a, point.covariance * b)
                let variance = ray.noise * ray.noise
                let scale = 1 / (distance * distance)
                let (xx, xy, yy) = (variance + dot(a, pa) * scale, dot(a, pb) * scale, variance + dot(b, pb) * scale)
                let square = (yy * error.x * error.x - 2 * xy * error.x * error.y + xx * error.y * error.y) / (xx * yy - xy * xy)
                let robust = 1 / (1 + square / 4)
                squares += robust * square
                weights += robust
                information += robust / variance
                reach += robust * distance * distance
                if square < 9.2 { (inliers, isInlier) = (inliers + 1, true) }
                let weight = robust / variance
                for (axis, residual) in [(a, error.x), (b, error.y)] {
                    let by = axis / distance
                    let turn = VitrineMath.cross(by, point.position - center)
                    let row = [turn.x, turn.y, turn.z, -by.x, -by.y, -by.z, dot(by, point.position - center)]
                    own = own + Matrix3d.outer(by, by) * weight
                    right -= by * (weight * residual)
                    for i in 0..<size {
                        cross[i] += by * (weight * row[i])
                        system.right[i] -= weight * residual * row[i]
                        for j in 0..<size { system.matrix[size * i + j] += weight * row[i] * row[j] }
                    }
                }
            }
            if isInlier { landmarks += 1 }
            let inverse = own.inverse
            for i in 0..<size {
                let reduced = inverse * cross[i]
                system.right[i] -= dot(reduced, right)
                for j in 0..<size { system.matrix[size * i + j] -= dot(reduced, cross[j]) }
            }
        }
        guard inliers > 0, weights > 0 else { return nil }
        addGravity(&system, rotation)
        system.matrix[size * size - 1] += 1 / (scale * scale)
        guard let factor = system.factored() else { return nil }
        let step = factor.solve(system.right)
        rotation = (Matrix3d.rotation(Vector3d(step[0], step[1], step[2])) * rotation).orthonormalized
        center += Vector3d(step[3], step[4], step[5])
        guard center.isFinite else { return nil }
        let residual = squares / (2 * weights)
        var covariance = factor.inverse([1, 3, 4, 5]).map { $0 * max(1, residual) }
        let corner = 1 / (information * noiseFactor * noiseFactor)
        covariance[0] += mapHeading * mapHeading + weights * corner
        for k in 1..<4 { covariance[5 * k] += mapPosition * mapPosition + reach * corner }
        let turn = Rotations.heading(from: .identity, to: rotation)
        return (
            Result(
                correction: RigidTransform(rotation: turn, translation: center - turn * pivot), covariance: covariance,
                landmarks: landmarks, share: Double(inliers) / Double(max(observations, 1)), residual: residual),
            step.prefix(6).reduce(0) { max($0, abs($1)) }
        )
    }

    /// Adds the prior that both worlds have the same direction of gravity.
    private func addGravity(_ system: inout SymmetricSystem, _ rotation: Matrix3d) {
        let weight = 1 / (tilt * tilt)
        let off = VitrineMath.cross(Vector3d(0, 1, 0), rotation.y)
        for axis in [0, 2] {
            system.matrix[system.size * axis + axis] += weight
            system.right[axis] -= weight * off[axis]
        }
    }

    /// Two unit vectors perpendicular to a unit direction and to each other.
    private static func tangents(_ direction: Vector3d) -> (Vector3d, Vector3d) {
        let other = abs(direction.x) < 0.6 ? Vector3d(1, 0, 0) : Vector3d(0, 1, 0)
        let first = normalize(cross(direction, other))
        return (first, cross(direction, first))
    }
}
