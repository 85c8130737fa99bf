import VitrineVision

extension VisualTracker {
    package struct Settings: Equatable, Sendable {
        /// The source of metric scale. Default: a median depth of 2 m in the first view.
        package var scale = TrackingMethod.defaultScale
        /// The marker dictionaries that are detected if the scale comes from a marker. Default: all.
        package var markerDictionaries: [MarkerDictionary] = MarkerDictionary.allCases
        package var featureTracking = FeatureTracker.Settings()
        /// Landmarks that must agree with a pose for a normal state, and to return to it. Defaults 12 and 20.
        package var minimumLandmarks = 12
        package var recoveryLandmarks = 20
        /// rad/s above which too few landmarks count as excessive motion. Default 1.5.
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

    /// Counters and durations.
    package struct Diagnostics: Equatable, Sendable {
        package var frames = 0
        /// Frames that were out of order or not finite.
        package var framesSkipped = 0
        /// Maps started, and failed attempts to start one.
        package var initializations = 0
        package var failedInitializations = 0
        /// The number of tracking losses, and of recoveries.
        package var losses = 0
        package var recoveries = 0
        /// Keyframes and landmarks in the map.
        package var keyframes = 0
        package var landmarks = 0
        /// Landmarks that were matched again after their feature was lost.
        package var reobservations = 0
        /// Landmarks that agree with the newest pose.
        package var landmarksUsed = 0
        /// Frames whose pose came from untriangulated features.
        package var directionOnlyFrames = 0
        /// Frames with a usable marker, and corrections of the scale after the first.
        package var markerFrames = 0
        package var scaleCorrections = 0
        /// The number of drifted maps that were replaced because of a marker's position.
        package var markerResets = 0
        /// Milliseconds spent on the newest frame, if the tracker has a clock.
        package var featureTrackingTime = 0.0
        package var markerTime = 0.0
        package var poseTime = 0.0
        package var mapTime = 0.0
    }
}
