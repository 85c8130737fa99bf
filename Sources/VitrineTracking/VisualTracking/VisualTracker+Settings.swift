import VitrineVision

extension VisualTracker {
    package struct Settings: Equatable, Sendable {
        /// The source of metric scale. Default: a median depth of 2 m in the first view.
        package var scale = TrackingMethod.defaultScale
        /// The marker dictionaries that are detected if the scale comes from a marker. Default: all.
        package var markerDictionaries: [MarkerDictionary] = MarkerDictionary.allCases
        package var featureTracking = FeatureTracker.Settings()
        /// The number of landmarks that must agree with a pose for a normal state, and to return to it. Defaults 12 and 20.
        package var minimumLandmarks = 12
        package var recoveryLandmarks = 20
        /// The angular speed in rad/s above which too few landmarks count as excessive motion. Default 1.5.
        package var fastAngularSpeed = 1.5
        /// The number of seconds for which the motion model extrapolates the pose. Default 0.3.
        package var maximumExtrapolation = 0.3
        /// The number of seconds for which the pose may come from untriangulated features at an assumed depth: the rotation is accurate
        /// then, the position is not. Default 8.
        package var maximumDirectionOnlyTime = 8.0
        /// The number of seconds without a match in the map after which a new map is started. Default 2.
        package var maximumSearchTime = 2.0

        package init() {}
        package init(scale: VisualScale) { self.scale = scale }
    }

    /// Counters since the start of tracking, and durations of the newest frame.
    package struct Diagnostics: Equatable, Sendable {
        package var frames = 0
        /// The number of skipped frames, which were out of order or not finite.
        package var framesSkipped = 0
        /// The number of maps that were started, and of failed attempts to start one.
        package var initializations = 0
        package var failedInitializations = 0
        /// The number of tracking losses, and of recoveries.
        package var losses = 0
        package var recoveries = 0
        /// The number of keyframes and of landmarks in the map.
        package var keyframes = 0
        package var landmarks = 0
        /// The number of landmarks that were matched again after their feature was lost.
        package var reobservations = 0
        /// The number of landmarks that agree with the newest pose.
        package var landmarksUsed = 0
        /// The number of frames whose pose came from untriangulated features.
        package var directionOnlyFrames = 0
        /// The number of frames with a usable marker, and of corrections of the scale after the first.
        package var markerFrames = 0
        package var scaleCorrections = 0
        /// The number of drifted maps that were replaced because of a marker's position.
        package var markerResets = 0
        /// The time spent on each stage of the newest frame in milliseconds, if the tracker has a clock.
        package var featureTrackingTime = 0.0
        package var markerTime = 0.0
        package var poseTime = 0.0
        package var mapTime = 0.0
    }
}
