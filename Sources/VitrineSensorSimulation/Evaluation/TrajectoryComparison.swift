import VitrineMath
import VitrineVision

/// Compares an estimated trajectory with ground truth.
///
/// Interpolates the ground truth at the estimate's times, then aligns the estimate's world with the true one (Zhang and Scaramuzza, "A tutorial
/// on quantitative trajectory evaluation for visual(-inertial) odometry", 2018).
package struct TrajectoryComparison: Sendable {
    /// The transform that aligns the estimate's world with the true one.
    package enum Alignment: String, Sendable, CaseIterable {
        /// No alignment, because both trajectories are in one world.
        case none
        /// Yaw and position of the first pose: for errors that grow from the start, and for consistency.
        case first
        /// Yaw and position over all poses: the gauge freedom of visual-inertial tracking.
        case yaw
        /// Rotation and position over all poses.
        case rigid
        /// Rotation, position and scale over all poses: for monocular tracking without scale.
        case similarity
    }

    /// Estimate and truth at one time, both in the true world.
    package struct Pair: Sendable, Equatable {
        /// The time in seconds.
        package var time: Double
        /// The aligned estimate.
        package var estimate: RigidTransform
        /// The true pose.
        package var truth: RigidTransform
        /// The index of the pose in the given estimate.
        package var index: Int

        /// The position error in metres.
        package var positionError: Vector3d { estimate.translation - truth.translation }
        /// The rotation vector from the true to the estimated orientation, in radians about the world's axes.
        package var rotationError: Vector3d { (estimate.rotation * truth.rotation.transpose).rotationVector }
    }

    /// The poses with ground truth, in the order of the estimate.
    package let pairs: [Pair]
    /// The transform from the estimate's world to the true one.
    package let truthFromEstimate: SimilarityTransform

    /// Compares two trajectories.
    ///
    /// - Parameters:
    ///   - estimate, truth: Poses of the same body with increasing times, in worlds with +Y up.
    ///   - alignment: Default `.yaw`.
    ///   - largestGap: The longest time between two true poses to interpolate, in seconds. Default 0.15.
    /// - Throws: `TrajectoryError`: invalid poses, or too few pairs for the alignment.
    package init(
        estimate: [TimedPose], truth: [TimedPose], alignment: Alignment = .yaw, largestGap: Double = 0.15
    ) throws(TrajectoryError) {
        let pairs = try Self.associated(estimate, truth, largestGap)
        let moved = try alignment.transform(pairs)
        truthFromEstimate = moved
        self.pairs = pairs.map { pair in
            var pair = pair
            pair.estimate = RigidTransform(
                rotation: moved.rotation * pair.estimate.rotation, translation: moved * pair.estimate.translation)
            return pair
        }
    }

    /// The root mean square position error (absolute trajectory error) in metres.
    package var positionRMSE: Double { Self.rootMeanSquare(pairs.map { lengthSquared($0.positionError) }) }
    /// The root mean square orientation error in radians.
    package var orientationRMSE: Double { Self.rootMeanSquare(pairs.map { lengthSquared($0.rotationError) }) }
    /// The largest position error in metres.
    package var largestPositionError: Double { pairs.reduce(0) { max($0, length($1.positionError)) } }
    /// The length of the true path in metres.
    package var pathLength: Double {
        zip(pairs, pairs.dropFirst()).reduce(0) { $0 + length($1.1.truth.translation - $1.0.truth.translation) }
    }

    static func rootMeanSquare(_ squares: [Double]) -> Double {
        squares.isEmpty ? 0 : (squares.reduce(0, +) / Double(squares.count)).squareRoot()
    }

    private static func associated(
        _ estimate: [TimedPose], _ truth: [TimedPose], _ largestGap: Double
    ) throws(TrajectoryError) -> [Pair] {
        for list in [estimate, truth] {
            for (i, pose) in list.enumerated() {
                guard pose.isFinite else { throw .notFinite(at: i) }
                guard i == 0 || pose.time > list[i - 1].time else { throw .timeNotRising(at: i) }
            }
        }
        var (pairs, next): ([Pair], Int) = ([], 1)
        for (index, pose) in estimate.enumerated() {
            while next < truth.count - 1, truth[next].time < pose.time { next += 1 }
            guard next < truth.count else { break }
            let (a, b) = (truth[next - 1], truth[next])
            guard pose.time >= a.time, pose.time <= b.time, b.time - a.time <= largestGap else { continue }
            let between = Self.between(a.pose, b.pose, (pose.time - a.time) / (b.time - a.time))
            pairs.append(Pair(time: pose.time, estimate: pose.pose, truth: between, index: index))
        }
        guard !pairs.isEmpty else { throw .tooFewPairs(0) }
        return pairs
    }

    private static func between(_ a: RigidTransform, _ b: RigidTransform, _ share: Double) -> RigidTransform {
        let turn = (a.rotation.transpose * b.rotation).rotationVector
        return RigidTransform(
            rotation: a.rotation * Matrix3d.rotation(turn * share), translation: mix(a.translation, b.translation, share))
    }
}

extension TrajectoryComparison.Alignment {
    /// The least-squares transform from the estimates of `pairs` to their true poses.
    fileprivate func transform(_ pairs: [TrajectoryComparison.Pair]) throws(TrajectoryError) -> SimilarityTransform {
        switch self {
        case .none: return .identity
        case .first: return first(pairs[0])
        case .yaw: return yaw(pairs)
        case .rigid, .similarity:
            guard pairs.count >= 3 else { throw .tooFewPairs(pairs.count) }
            let (points, targets) = (pairs.map(\.estimate.translation), pairs.map(\.truth.translation))
            guard var fitted = SimilarityTransform.aligning(points, to: targets) else { throw .noExtent }
            if self == .rigid {
                // The best rotation is the same with the scale and without.
                fitted.scale = 1
                fitted.translation = Self.mean(targets) - fitted.rotation * Self.mean(points)
            }
            return fitted
        }
    }

    /// Aligns the yaw of the first pose; its tilt error remains.
    private func first(_ pair: TrajectoryComparison.Pair) -> SimilarityTransform {
        let q = (pair.truth.rotation * pair.estimate.rotation.transpose).quaternion
        return turned(by: 2 * atan2(q.y, q.w), from: pair.estimate.translation, to: pair.truth.translation)
    }

    private func yaw(_ pairs: [TrajectoryComparison.Pair]) -> SimilarityTransform {
        let (points, targets) = (pairs.map(\.estimate.translation), pairs.map(\.truth.translation))
        let (from, to) = (Self.mean(points), Self.mean(targets))
        var (along, across) = (0.0, 0.0)
        for (point, target) in zip(points, targets) {
            let (p, q) = (point - from, target - to)
            along += q.x * p.x + q.z * p.z
            across += q.x * p.z - q.z * p.x
        }
        return turned(by: atan2(across, along), from: from, to: to)
    }

    private func turned(by angle: Double, from: Vector3d, to: Vector3d) -> SimilarityTransform {
        let rotation = Matrix3d.rotation(Vector3d(0, angle, 0))
        return SimilarityTransform(scale: 1, rotation: rotation, translation: to - rotation * from)
    }

    private static func mean(_ points: [Vector3d]) -> Vector3d { points.reduce(.zero, +) / Double(max(points.count, 1)) }
}

extension TrajectoryComparison {
    /// Relative pose errors over segments of one length.
    package struct Drift: Equatable, Sendable {
        /// The position in metres, median over the segments.
        package var position: Double
        /// The orientation in radians, median over the segments.
        package var orientation: Double
        package var segmentCount: Int
    }

    /// The relative pose error over segments of the true path that are `length` metres long, each aligned at its start. A segment starts every
    /// `length` / 4.
    package func drift(over length: Double) -> Drift {
        var travelled = [0.0]
        for (a, b) in zip(pairs, pairs.dropFirst()) {
            travelled.append(travelled[travelled.count - 1] + VitrineMath.length(b.truth.translation - a.truth.translation))
        }
        var (positions, orientations, begin, end, next): ([Double], [Double], Int, Int, Double) = ([], [], 0, 0, 0)
        while begin < pairs.count {
            while end < pairs.count, travelled[end] < travelled[begin] + length { end += 1 }
            guard end < pairs.count else { break }
            let error = Self.relativeError(pairs[begin], pairs[end])
            positions.append(VitrineMath.length(error.translation))
            orientations.append(VitrineMath.length(error.rotation.rotationVector))
            next += max(length, 1e-3) / 4
            while begin < pairs.count, travelled[begin] < next { begin += 1 }
        }
        return Drift(position: median(positions), orientation: median(orientations), segmentCount: positions.count)
    }

    /// The difference between the estimated and the true relative pose.
    private static func relativeError(_ a: Pair, _ b: Pair) -> RigidTransform {
        (a.truth.inverse * b.truth).inverse * (a.estimate.inverse * b.estimate)
    }

    /// Whether covariances match the actual errors: the normalized estimation error squared (NEES).
    package struct Consistency: Equatable, Sendable {
        /// The mean NEES over the poses with three degrees of freedom each: 3 for a consistent estimator, more for an overconfident one.
        package var orientation, position: Double
        /// The number of poses with an invertible covariance.
        package var count: Int
    }

    /// Computes the NEES of the estimate. Use it with the alignment `.first`, where the error starts at zero.
    ///
    /// - Parameter covariances: One for each pose of the given estimate: rotation about the estimate's world axes (radians), then position
    ///   (metres), 6×6 in row-major order; empty if unknown.
    package func consistency(_ covariances: [[Double]]) -> Consistency {
        var sum = Consistency(orientation: 0, position: 0, count: 0)
        let turn = truthFromEstimate.rotation
        for pair in pairs where pair.index < covariances.count && covariances[pair.index].count == 36 {
            let c = covariances[pair.index]
            let block = { (at: Int) -> Matrix3d in
                let row = { (i: Int) in Vector3d(c[(at + i) * 6 + at], c[(at + i) * 6 + at + 1], c[(at + i) * 6 + at + 2]) }
                return turn * Matrix3d(rows: row(0), row(1), row(2)) * turn.transpose
            }
            let (rotation, position) = (pair.rotationError, pair.positionError)
            let orientationTerm = dot(rotation, block(0).inverse * rotation)
            let positionTerm = dot(position, block(3).inverse * position)
            guard orientationTerm.isFinite, positionTerm.isFinite else { continue }
            sum.orientation += orientationTerm
            sum.position += positionTerm
            sum.count += 1
        }
        sum.orientation /= Double(max(sum.count, 1))
        sum.position /= Double(max(sum.count, 1))
        return sum
    }
}
