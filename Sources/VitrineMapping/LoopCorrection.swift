import VitrineMath
import VitrineVision

/// The correction of a drifted world by an alignment with keyframes: a Kalman update of heading and position.
///
/// Drift is a random walk along the path, so the newest pose's error is that of the matched keyframes plus the drift since then, and only that
/// drift is measured. Keyframes without drift since then give no information: matches with them have no weight, and no error is counted twice.
struct LoopCorrection {
    /// The correction of the newest pose, about the pivot: rotation about +Y, and translation.
    let heading: Double
    let move: Vector3d
    /// The drift of the matched keyframes, and the drift since then.
    private let reference, since: DriftVariance
    /// Shares of the drift.
    private struct Share: Equatable {
        var heading = 1.0
        var position = 1.0
    }

    /// The share of the drift that the update removes.
    private let gain: Share
    /// The squared deviation of the alignment from the prediction in standard deviations; 4 degrees of freedom.
    let squaredDeviation: Double

    private static let noiseFactor = 3.0

    /// - Parameters:
    ///   - alignment: The measured correction.
    ///   - pivot: The position for which the alignment's covariance holds.
    ///   - drift: The newest pose's drift; nil if its position in the map is unknown. With it the alignment's covariance counts three times: later
    ///     alignments with the same keyframes have the same errors.
    ///   - reference: The drift of the matched keyframes.
    init?(_ alignment: MapAlignment.Result, at pivot: Vector3d, drift: DriftVariance?, reference: DriftVariance) {
        let turn = alignment.correction.rotation.rotationVector.y
        let way = alignment.correction * pivot - pivot
        self.reference = reference
        let noise = DriftVariance(
            heading: alignment.covariance[0], position: (alignment.covariance[5] + alignment.covariance[10] + alignment.covariance[15]) / 3)
        guard let drift else {
            (heading, move, since, gain, squaredDeviation) = (turn, way, noise, Share(), 0)
            return
        }
        since = drift - reference
        let variances = [since.heading, since.position, since.position, since.position]
        var system = SymmetricSystem(size: 4)
        system.matrix = alignment.covariance.map { $0 * Self.noiseFactor }
        for k in 0..<4 { system.matrix[5 * k] += variances[k] }
        let residual = [turn, way.x, way.y, way.z]
        guard let factor = system.factored() else { return nil }
        let solved = factor.solve(residual)
        squaredDeviation = zip(solved, residual).reduce(0) { $0 + $1.0 * $1.1 }
        heading = variances[0] * solved[0]
        move = Vector3d(solved[1], solved[2], solved[3]) * since.position
        let inverse = factor.inverse([0, 1, 2, 3])
        gain = Share(
            heading: variances[0] * inverse[0], position: since.position * (inverse[5] + inverse[10] + inverse[15]) / 3)
    }

    /// The correction of the newest pose.
    func correction(at pivot: Vector3d) -> RigidTransform { transform(share: Share(), at: pivot) }

    /// The correction of a keyframe; nil for none.
    func transform(of drift: DriftVariance, at pivot: Vector3d) -> RigidTransform? {
        let share = share(drift)
        return share == Share(heading: 0, position: 0) ? nil : transform(share: share, at: pivot)
    }

    private func transform(share: Share, at pivot: Vector3d) -> RigidTransform {
        let turn = Matrix3d.rotation(Vector3d(0, heading * share.heading, 0))
        return RigidTransform(rotation: turn, translation: pivot + move * share.position - turn * pivot)
    }

    /// The share of the drift since the matched keyframes that had happened when a keyframe was added.
    private func share(_ drift: DriftVariance) -> Share {
        let part = drift - reference
        return Share(
            heading: since.heading > 0 ? min(1, part.heading / since.heading) : 0,
            position: since.position > 0 ? min(1, part.position / since.position) : 0)
    }

    /// A drift after the correction.
    func corrected(_ drift: DriftVariance) -> DriftVariance {
        let share = share(drift)
        return DriftVariance(
            heading: drift.heading - share.heading * share.heading * gain.heading * since.heading,
            position: drift.position - share.position * share.position * gain.position * since.position)
    }

    /// The newest pose's drift after the correction.
    func drift(before drift: DriftVariance?) -> DriftVariance { drift.map(corrected) ?? reference + since }
}
