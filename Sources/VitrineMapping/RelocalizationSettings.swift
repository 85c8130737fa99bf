/// Settings of landmark maps and relocalization.
package struct RelocalizationSettings: Equatable, Sendable {
    /// Whether keyframes are kept. Default true.
    package var isEnabled = true
    /// Maximum number of keyframes; beyond, the most redundant ones are removed. Default 256: at most 40 MB.
    package var maximumKeyframes = 256
    /// Number of corners of a keyframe or query, without the tracked features. Default 450.
    package var corners = 450
    /// Smallest time between two keyframes, and between two relocalization attempts, in seconds. Defaults 0.3 and 0.1.
    package var keyframeInterval = 0.3
    package var attemptInterval = 0.1
    /// Smallest difference of a new keyframe from all others: distance relative to the scene's depth, and angle of the viewing direction in
    /// radians. Defaults 0.1 and 0.17.
    package var distance = 0.1
    package var angle = 0.17
    /// Number of frames after which the result of a background job is applied. Default 3.
    package var latency = 3
    /// Largest relative standard deviation of a new landmark's depth. Default 0.25.
    package var depthDeviation = 0.25
    /// Smallest number of tracked features of a keyframe. Default 20.
    package var minimumFeatures = 20

    /// Number of keyframes that are matched in full, and with which a new keyframe is matched. Default 5.
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
    /// Standard deviation of the direction of gravity in radians: with a filter, and from the IMU alone. Defaults 0.013 and 0.04.
    package var tilt = 0.013
    package var inertialTilt = 0.04
    /// Smallest number of inliers over all results that agree, and of results; the latter also for a filter that has started from several results in the
    /// map. Defaults 80, 3 and 2.
    package var minimumTotalInliers = 80
    package var minimumResults = 3
    package var minimumResultsInMap = 2
    /// The alignment with the map: largest standard deviations of position (m) and heading (rad), smallest number of landmarks, smallest share of
    /// inliers, and largest mean squared residual. Defaults 0.05, 0.012, 25, 0.8 and 1.4.
    package var positionDeviation = 0.05
    package var headingDeviation = 0.012
    package var minimumLandmarks = 25
    package var minimumAlignedShare = 0.8
    package var maximumResidual = 1.4
    /// Largest difference of results that agree, metres and radians. Defaults 0.1 and 0.03.
    package var maximumDistance = 0.1
    package var maximumAngle = 0.03
    /// Largest speed in metres per second that results without a filter may imply. Default 2.
    package var maximumSpeed = 2.0
    /// Frames are matched with keyframes since which the filter's pose has drifted by this much: the squares of 0.008 rad and 0.012 m by default.
    package var minimumDrift = DriftVariance(heading: 0.008 * 0.008, position: 0.012 * 0.012)
    /// Number of results that agree for a measurement, and seconds until the next attempt if there is none. Defaults 2 and 1.
    package var measurementResults = 2
    package var measurementInterval = 1.0
    /// Factor on the covariance of a measurement: keyframes share landmarks, so that their errors are correlated. Default 4.
    package var measurementFactor = 4.0
    /// With fewer landmarks than `strongLandmarks` in the newest frame, so many results must agree within `steadyDistance` in metres.
    /// Defaults 150, 10 and 0.05.
    package var strongLandmarks = 150
    package var weakResults = 10
    package var steadyDistance = 0.05
    /// Smallest further correction after a relocalization that is reported, metres and radians. Defaults 0.01 and 0.006.
    package var minimumCorrection = 0.01
    package var minimumAngleCorrection = 0.006
    /// Seed of the random numbers.
    package var seed: UInt64 = 1

    package init() {}
}
