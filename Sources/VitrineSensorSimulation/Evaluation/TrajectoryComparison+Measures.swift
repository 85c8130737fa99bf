import VitrineMath
import VitrineVision

extension TrajectoryComparison {
    /// The drift over pieces of one length.
    public struct Drift: Equatable, Sendable {
        /// In metres, median over the pieces.
        public var position: Double
        /// In radians, median over the pieces.
        public var orientation: Double
        public var pieces: Int
    }

    /// How far the estimate leaves the truth within pieces of the true path that are `length` metres long, each aligned at its beginning.
    /// The pieces begin one `length` / 4 after another.
    public func drift(over length: Double) -> Drift {
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
        return Drift(position: median(positions), orientation: median(orientations), pieces: positions.count)
    }

    /// What is left of the estimated step after the true one is undone.
    private static func relativeError(_ a: Pair, _ b: Pair) -> RigidTransform {
        (a.truth.inverse * b.truth).inverse * (a.estimate.inverse * b.estimate)
    }

    /// Whether the covariances that came with an estimate tell the truth: normalized estimation errors squared (NEES).
    public struct Consistency: Equatable, Sendable {
        /// Means over the poses; 3 for honest covariances (3 degrees of freedom each), more for boastful ones.
        public var orientation, position: Double
        /// Poses with a covariance that could be inverted.
        public var count: Int
    }

    /// - Parameter covariances: one for every pose of the estimate as it was given; rotation about the estimate's world axes (radians), then
    ///   position: 6×6 by rows, or empty. Makes sense after the alignment `first`, where the error starts at nothing.
    public func consistency(_ covariances: [[Double]]) -> Consistency {
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
