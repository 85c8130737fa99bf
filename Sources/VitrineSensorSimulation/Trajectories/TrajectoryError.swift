/// The reason for which a list of poses is not a usable trajectory. Indices start at 0.
package enum TrajectoryError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There are fewer poses than the operation requires.
    case tooFewPoses(Int)
    /// The pose at this index has a value that is not finite.
    case notFinite(at: Int)
    /// The pose at this index is not later than the previous one.
    case timeNotRising(at: Int)
    /// The trajectory is longer than the solver supports.
    case tooLong(seconds: Double)
    /// Only this many poses have a counterpart at the same time.
    case tooFewPairs(Int)
    /// All positions lie on a line or in one point, so no rotation can be estimated from them.
    case noExtent

    package var description: String {
        switch self {
        case .tooFewPoses(let count): "\(count) poses are too few for a trajectory"
        case .notFinite(let index): "pose \(index) is not finite"
        case .timeNotRising(let index): "pose \(index) is not later than the one before"
        case .tooLong(let seconds): "a trajectory of \(seconds) seconds is too long"
        case .tooFewPairs(let count): "only \(count) poses have a counterpart at the same time"
        case .noExtent: "the poses lie on a line: they cannot be aligned"
        }
    }
}
