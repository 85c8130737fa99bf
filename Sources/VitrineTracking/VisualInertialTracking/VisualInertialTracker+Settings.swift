import VitrineMapping
import VitrineVision

extension VisualInertialTracker {
    /// Settings of a visual-inertial tracker. The defaults suit phones, headsets and small drones.
    package struct Settings: Equatable, Sendable {
        package var featureTracking = FeatureTracker.Settings()
        /// Tuned for patch-tracked features: no points in the state, because a lost feature gets a new identifier; little noise from frame to
        /// frame (`landmarkNoise` 0.5), but a drift of half a pixel over fifty frames (`featureDrift` 0.07).
        package var filter = FilterSettings()
        package var relocalization = RelocalizationSettings()

        /// Prior standard deviation of the camera's clock offset against the rig's `timeOffset`, in seconds. 0 fixes the offset. Default 0.04.
        package var timeOffsetDeviation = 0.04
        /// Prior standard deviations of the camera's pose on the IMU: radians and metres. Defaults 0.01 and 0.01.
        package var extrinsicRotationDeviation = 0.01
        package var extrinsicTranslationDeviation = 0.01
        /// Prior standard deviation of focal lengths and principal point, in pixels. 0 fixes the intrinsics. Default 1.
        package var intrinsicsDeviation = 1.0
        /// Prior standard deviation of each entry of the matrices of the IMU's scale and misalignment. 0 fixes them. Default 0.01.
        package var inertialCalibrationDeviation = 0.01
        /// Prior standard deviation of the accelerometer bias, m/s². Default 0.25.
        package var accelerometerBiasDeviation = 0.25

        /// Seconds between attempts of dynamic initialization. Default 0.3.
        package var attemptInterval = 0.3
        /// The scale is known if the distance from the start has this relative standard deviation. Default 0.15.
        package var scaleDeviation = 0.15
        /// Tracked features required for a normal state, and to return to it. Defaults 10 and 18.
        package var minimumFeatures = 10
        package var recoveryFeatures = 18
        /// Angular speeds in rad/s. Above the first, a lack of features counts as excessive motion; above the second, the motion is always
        /// excessive. Defaults 1.5 and 6.
        package var fastAngularSpeed = 1.5
        package var excessiveAngularSpeed = 6.0

        /// Seconds without features after which tracking is lost. Default 4.
        package var maximumBlindTime = 4.0
        /// Seconds without inertial samples after which tracking is lost. Default 0.3.
        package var maximumInertialGap = 0.3
        /// Standard deviation in metres by which the position may become less certain while nothing is observed. Beyond, the tracker must relocalize:
        /// the state is `limited(.relocalizing)`. Default 0.1.
        package var maximumBlindDeviation = 0.1
        /// Limits of a plausible filter state: speed (m/s) and its standard deviation, gyroscope bias (rad/s), accelerometer bias (m/s²).
        /// Defaults 12, 0.6, 0.3 and 1.5.
        package var maximumSpeed = 12.0
        package var maximumVelocityDeviation = 0.6
        package var maximumGyroscopeBias = 0.3
        package var maximumAccelerometerBias = 1.5
        /// The share of rejected measurements over a second above which tracking is lost. Default 0.7.
        package var maximumRejectedShare = 0.7

        package init() {
            // More than the defaults: twelve percent less error for a tenth more time (docs/measurements/ar.md).
            (featureTracking.maximumFeatures, filter.tracks) = (300, 200)
            filter.keyframes = 32
            (filter.points, filter.landmarkNoise, filter.featureDrift) = (0, 0.5, 0.07)
        }
    }

    /// Counters and durations.
    package struct Diagnostics: Equatable, Sendable {
        package var frames = 0
        package var samples = 0
        /// Frames and samples that were out of order or not finite.
        package var framesSkipped = 0
        package var samplesSkipped = 0
        package var initialization = InitializationCounts()
        /// The number of tracking losses, and the last reason.
        package var losses = 0
        package var lastLoss: Loss?
        /// The filter's report on the newest frame.
        package var report: FilterReport?
        /// Milliseconds spent on the newest frame, if the tracker has a clock.
        package var featureTrackingTime = 0.0
        package var initializationTime = 0.0
        package var filterTime = 0.0
        package var relocalizationTime = 0.0
        /// Milliseconds spent waiting for a background job: 0 if images arrive in real time and a core is free.
        package var relocalizationWait = 0.0
    }

    /// The reason for which tracking was lost.
    package enum Loss: String, Equatable, Sendable, CaseIterable {
        /// The filter's state is not finite or its covariance not positive definite.
        case filterFailed
        /// A velocity or a bias is implausible.
        case implausible
        /// The velocity's standard deviation is too large.
        case uncertain
        /// Most measurements contradict the state.
        case inconsistent
        /// No features were tracked for too long.
        case noFeatures
        /// No inertial samples arrived for too long.
        case inertialSilence
        /// Nothing was observed for so long that the position became too uncertain. The filter continues, and relocalization corrects it.
        case unobserved
        /// The device was interrupted.
        case interrupted
        /// The camera views another scene from one frame to the next.
        case discontinuity
        /// Landmarks of the map are repeatedly recognized where the filter's pose excludes them. The filter continues, and relocalization corrects it.
        case contradictsMap
    }
}
