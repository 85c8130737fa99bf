/// The reason why a surface cannot be reconstructed.
package enum SurfaceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Too few points remain after those that are not finite, outside the bounds, or outliers are removed.
    case tooFewPoints(count: Int, needed: Int)
    /// The points have one position or lie on one line, or the box around them is too large for the precision of the numbers.
    case degenerateExtent
    /// The arrays of the point cloud have different lengths; names the array.
    case inconsistentPoints(String)
    /// An option is out of its range; names the option.
    case invalidOption(String)
    /// No part of the surface is supported by the points, or no triangle is within the bounds.
    case emptySurface
    /// The context was cancelled.
    case cancelled

    package var description: String {
        switch self {
        case .tooFewPoints(let count, let needed): "it has \(count) usable points, \(needed) are needed"
        case .degenerateExtent: "the points lie on one line or at one position"
        case .inconsistentPoints(let array): "the points' array \(array) has another length than the others"
        case .invalidOption(let name): "the option \(name) is out of range"
        case .emptySurface: "no part of it is supported by the points"
        case .cancelled: "cancelled"
        }
    }
}
