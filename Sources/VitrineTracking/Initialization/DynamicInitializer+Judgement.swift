import VitrineMath
import VitrineVision

extension DynamicInitializer {
    /// The last word: whether the whole is to be believed.
    func judged(_ solved: Solved) throws(InitializationFailure) -> StartEstimate {
        let adjustment = solved.adjustment
        guard adjustment.inertialResidual < 2, adjustment.biasResidual < 3 else { throw .inertialDisagrees }
        // The frame farthest from the first tells how sure the scale is.
        let origin = adjustment.frames[0].worldFromBody.translation
        let (far, last) = (solved.farthest, adjustment.frames.count - 1)
        let (pose, velocity, biases) = (adjustment.pose(last), adjustment.velocity(last), adjustment.biases)
        let wanted =
            (0..<6).map { pose + $0 } + (0..<3).map { velocity + $0 } + (0..<6).map { biases + $0 } + [adjustment.clock]
            + (0..<3).map { adjustment.pose(far) + 3 + $0 }
        guard far > 0, let covariance = adjustment.covariance(wanted) else { throw .noSolution }
        let way = normalize(adjustment.frames[far].worldFromBody.translation - origin)
        var variance = 0.0
        for i in 0..<3 { for j in 0..<3 { variance += way[i] * way[j] * covariance[(16 + i) * 19 + 16 + j] } }
        let deviation = variance.squareRoot() / solved.extent
        // A better one is waited for, but not for ever.
        let isLongest = solved.times[last] - solved.times[0] >= 0.85 * settings.longest
        guard deviation.isFinite, deviation <= (isLongest ? settings.lastScaleDeviation : settings.scaleDeviation) else {
            throw .scaleUnsure
        }

        let frame = adjustment.frames[last]
        let state = FilterState(
            time: solved.times[last], worldFromBody: frame.worldFromBody, velocity: frame.velocity, gyroscopeBias: adjustment.gyroscopeBias,
            accelerometerBias: adjustment.accelerometerBias)
        return StartEstimate(
            state: state, timeOffset: solved.offset,
            timeOffsetDeviation: max(covariance[15 * 19 + 15], 0).squareRoot(),
            covariance: Self.inWorld(covariance, frame.worldFromBody.rotation), first: adjustment.frames[0].worldFromBody,
            scaleDeviation: deviation, freeGravity: solved.freeGravity, residual: solved.noise)
    }

    /// The first fifteen unknowns, their turn about the world's axes instead of the body's.
    private static func inWorld(_ covariance: [Double], _ rotation: Matrix3d) -> [Double] {
        var result = [Double](repeating: 0, count: 225)
        var half = result
        for i in 0..<15 {
            for j in 0..<15 {
                half[i * 15 + j] =
                    i >= 3 ? covariance[i * 19 + j] : (0..<3).reduce(0) { $0 + rotation.column($1)[i] * covariance[$1 * 19 + j] }
            }
        }
        for i in 0..<15 {
            for j in 0..<15 {
                result[i * 15 + j] = j >= 3 ? half[i * 15 + j] : (0..<3).reduce(0) { $0 + half[i * 15 + $1] * rotation.column($1)[j] }
            }
        }
        return result
    }
}
