import VitrineMath

/// How two photos of the same rigid things relate, estimated from their matches alone.
public struct TwoViewGeometry: Sendable, Equatable {
    /// What explains the matches.
    public enum Kind: Sendable, Equatable {
        /// Depth and parallax: the epipolar geometry is well determined. A good start for mapping.
        case general
        /// One plane (or nearly) explains the matches, seen from two places: the relative pose may be one of two.
        case planar
        /// The camera turned without moving, or too little: no depth can be had from this pair.
        case rotation
    }

    public var kind: Kind
    /// secondᵀ · fundamental · first = 0 for pixels (x, y, 1) of the photos as stored, lens distortion ignored. Unit Frobenius norm.
    public var fundamental: Matrix3d
    /// The plane-induced (or rotation's) mapping of pixels, second ~ homography · first, where one was found.
    public var homography: Matrix3d?
    /// The matches that the best homography explains as a share of the epipolar geometry's inliers, 0…1.
    public var homographyInlierShare: Double
    /// secondFromFirst: a point in the first camera's frame to the second's; the translation has length 1. Nil where the focal lengths
    /// aren't known well enough for a pose to explain the matches, or for `rotation`.
    public var relativePose: RigidTransform?
    /// The median angle between the rays of a match at its triangulated point, radians. 0 without a relative pose.
    public var medianAngle: Double

    public init(
        kind: Kind, fundamental: Matrix3d, homography: Matrix3d? = nil, homographyInlierShare: Double = 0,
        relativePose: RigidTransform? = nil, medianAngle: Double = 0
    ) {
        (self.kind, self.fundamental, self.homography) = (kind, fundamental, homography)
        (self.homographyInlierShare, self.relativePose, self.medianAngle) = (homographyInlierShare, relativePose, medianAngle)
    }
}
