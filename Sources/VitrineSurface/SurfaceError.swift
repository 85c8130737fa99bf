/// Why no surface could be made.
package enum SurfaceError: Error, Equatable, Sendable {
    /// So few usable points are left, after the unusable ones (not finite, outside the bounds, outliers) were dropped.
    case tooFewPoints(count: Int, needed: Int)
    /// The points lie in one place or on one line, or the box around them is too large for the numbers.
    case degenerateExtent
    /// The arrays of the point cloud don't fit together; names the array.
    case inconsistentPoints(String)
    /// An option is out of its range; names the option.
    case invalidOption(String)
    /// No part of the surface is supported by the points, or nothing remains within the bounds.
    case emptySurface
    case cancelled
}
