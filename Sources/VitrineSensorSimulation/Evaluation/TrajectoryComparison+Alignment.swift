import VitrineMath
import VitrineVision

extension TrajectoryComparison.Alignment {
    /// What takes the estimates of `pairs` nearest to their truths.
    func transform(_ pairs: [TrajectoryComparison.Pair]) throws(TrajectoryError) -> SimilarityTransform {
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

    /// The turn of the first orientation's error about the vertical; what remains is a tilt.
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
