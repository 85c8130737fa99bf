/// Settings of keyframes and relocalization.
package struct RelocalizationSettings: Equatable, Sendable {
    /// Whether keyframes are kept. Default true.
    package var isEnabled = true
    /// Maximum number of keyframes, and of landmarks in each. Beyond, the most redundant keyframes and the least accurate landmarks are removed.
    /// A keyframe takes at most 75 KB. Defaults 256 and 120: 19 MB.
    package var maximumKeyframes = 256
    package var maximumLandmarks = 120
    /// Smallest time between two keyframes and between two relocalization attempts in seconds. Defaults 0.5 and 0.4.
    package var keyframeInterval = 0.5
    package var attemptInterval = 0.4
    /// Smallest difference of a new keyframe from all others: distance relative to the scene's depth, and angle of the viewing direction in
    /// radians. Defaults 0.15 and 0.2.
    package var distance = 0.15
    package var angle = 0.2
    /// Seconds for which a keyframe's landmarks are triangulated. Default 4.
    package var triangulationTime = 4.0
    /// Largest relative standard deviation of a landmark's depth. Default 0.1.
    package var depthDeviation = 0.1
    /// Smallest number of landmarks of a keyframe. Default 20.
    package var minimumLandmarks = 20

    /// Number of corners, including features, by which a frame is matched. Default 300.
    package var corners = 300
    /// Cost of an attempt in one frame, in about microseconds; it continues with the next frames. Default 2000.
    package var work = 2000.0
    /// Number of features by which keyframes are ranked. Default 100.
    package var rankedFeatures = 100
    /// Number of keyframes that are matched in full. Default 5.
    package var candidates = 5
    /// Largest ratio of a match's descriptor distance to the second best one's. Default 0.85.
    package var ratio: Float = 0.85
    /// Smallest number of inliers, and of twelfths of the image that they cover. Defaults 16 and 4.
    package var minimumInliers = 16
    package var minimumCoverage = 4
    /// Smallest share of inliers among the matches, and of the nearest keyframes' landmarks that are matched at their projections.
    /// Defaults 0.2 and 0.3.
    package var minimumInlierShare = 0.2
    package var minimumVisibleShare = 0.3
    /// Largest reprojection error of inliers in pixels. Default 4.
    package var tolerance = 4.0
    /// Largest error of the gravity direction in radians. Default 0.04.
    package var tilt = 0.04
    /// Smallest number of inliers over all results that agree; at least two results are required. Default 80.
    package var minimumTotalInliers = 80
    /// Largest difference of results that agree, metres and radians. Defaults 0.1 and 0.03.
    package var maximumDistance = 0.1
    package var maximumAngle = 0.03
    /// Seconds after relocalization for which the correction is refined. Default 8.
    package var refinementTime = 8.0
    /// Smallest further correction, metres and radians. Defaults 0.01 and 0.006.
    package var minimumCorrection = 0.01
    package var minimumAngleCorrection = 0.006
    /// Seed of the random numbers.
    package var seed: UInt64 = 1

    package init() {}
}
