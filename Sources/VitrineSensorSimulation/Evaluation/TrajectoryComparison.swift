import VitrineMath
import VitrineVision

/// An estimated trajectory beside the true one.
///
/// The truth is taken between its poses at the estimate's times, then the estimate's world is moved onto the truth's as the alignment allows
/// (Zhang and Scaramuzza, "A tutorial on quantitative trajectory evaluation for visual(-inertial) odometry", 2018).
public struct TrajectoryComparison: Sendable {
    /// What of the estimate's world is free.
    public enum Alignment: String, Sendable, CaseIterable {
        case none
        /// The turn about the vertical and the position, by the first pose alone: for errors that grow from the start, and for consistency.
        case first
        /// The turn about the vertical and the position: what an IMU leaves open.
        case yaw
        case rigid
        /// With the scale: for a lone camera without one.
        case similarity
    }

    /// A pose at a time in both, in the truth's world.
    public struct Pair: Sendable, Equatable {
        public var time: Double
        /// The estimate, aligned.
        public var estimate: RigidTransform
        public var truth: RigidTransform
        /// Of the estimate as it was given, from 0.
        public var index: Int

        /// In metres.
        public var positionError: Vector3d { estimate.translation - truth.translation }
        /// The rotation vector in the world that takes the true orientation to the estimated one, in radians.
        public var rotationError: Vector3d { (estimate.rotation * truth.rotation.transpose).rotationVector }
    }

    public let pairs: [Pair]
    /// From the estimate's world to the truth's.
    public let truthFromEstimate: SimilarityTransform

    /// - Parameters:
    ///   - estimate, truth: of the same body, by rising time, in worlds with +Y up.
    ///   - largestGap: seconds between two true poses that one is still made up between.
    public init(
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

    /// Of positions in metres.
    public var positionRMSE: Double { Self.rootMeanSquare(pairs.map { lengthSquared($0.positionError) }) }
    /// Of orientations in radians.
    public var orientationRMSE: Double { Self.rootMeanSquare(pairs.map { lengthSquared($0.rotationError) }) }
    /// In metres.
    public var largestPositionError: Double { pairs.reduce(0) { max($0, length($1.positionError)) } }
    /// How long the true path is, in metres.
    public var pathLength: Double {
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
