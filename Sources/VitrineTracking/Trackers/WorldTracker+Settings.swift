import VitrineVision

extension VisualInertialTracker {
    /// How a world tracker decides. The defaults suit a telephone, a headset and a small drone.
    public struct Settings: Equatable, Sendable {
        public var frontEnd = FeatureTracker.Settings()
        /// As our front end's features ask for: none of their `points` is part of the state, since they aren't known again as the same; what they
        /// err by from picture to picture is little (`placeNoise` 0.5), but they creep by half a pixel over fifty pictures (`pointDrift` 0.07).
        public var filter = FilterSettings()
        public var places = PlaceSettings()

        /// How far the camera's clock may be off the rig's `timeOffset` beforehand, in seconds: a standard deviation. With 0 the rig is
        /// believed, and what isn't looked for isn't found. Default 0.04.
        public var timeOffsetDeviation = 0.04
        /// How well the camera's place on the IMU is known: radians and metres. Defaults 0.01 and 0.01.
        public var extrinsicRotationDeviation = 0.01
        public var extrinsicTranslationDeviation = 0.01
        /// How well the lens is known, in pixels. Default 1.
        public var lensDeviation = 1.0
        /// The accelerometer's bias beforehand, m/s². Default 0.25.
        public var accelerometerBiasDeviation = 0.25

        /// Seconds between attempts to begin in motion. Default 0.3.
        public var attemptInterval = 0.3
        /// The scale is sure when the distance from the start is known to this share of itself. Default 0.15.
        public var scaleDeviation = 0.15
        /// Features that have to be followed for a pose to be called normal, and to be called so again. Defaults 10 and 18.
        public var leastFeatures = 10
        public var enoughFeatures = 18
        /// rad/s: above, too few features are put down to the motion; far above, the motion is excessive anyway. Defaults 1.5 and 6.
        public var fastTurn = 1.5
        public var excessiveTurn = 6.0

        /// Seconds without features after which the place is given up. Default 4.
        public var longestBlindness = 4.0
        /// Seconds without inertial samples after which the place is given up. Default 0.3.
        public var longestSilence = 0.3
        /// What no filter in its right mind says: m/s, and the same's standard deviation; rad/s and m/s² of bias. Defaults 12, 0.6, 0.3, 1.5.
        public var fastest = 12.0
        public var velocityDeviation = 0.6
        public var largestGyroscopeBias = 0.3
        public var largestAccelerometerBias = 1.5
        /// The share of measurements that the filter may turn away over a second before it is not believed any more. Default 0.7.
        public var gatedShare = 0.7

        public init() { (filter.points, filter.placeNoise, filter.pointDrift) = (0, 0.5, 0.07) }
    }

    /// What has been going on, for those who look for a reason.
    public struct Diagnostics: Equatable, Sendable {
        public var pictures = 0
        public var samples = 0
        /// Not finite, or not after the one before.
        public var picturesPassedOver = 0
        public var samplesPassedOver = 0
        /// Attempts to begin in motion, and why they came to nothing.
        public var attempts = 0
        public var refusals = [Int](repeating: 0, count: InitializationFailure.allCases.count)
        /// Beginnings from rest, and in motion.
        public var startsFromRest = 0
        public var startsInMotion = 0
        /// How often the place was given up, and why last.
        public var losses = 0
        public var lastLoss: Loss?
        /// What the filter said of the newest picture.
        public var report: FilterReport?
        /// Of the newest picture, milliseconds, where there is a clock: following features, beginning, filtering.
        public var frontEndTime = 0.0
        public var startTime = 0.0
        public var filterTime = 0.0
        /// And keeping and comparing views.
        public var placesTime = 0.0

        /// How often attempts were refused for this reason.
        public func refused(_ reason: InitializationFailure) -> Int { refusals[InitializationFailure.allCases.firstIndex(of: reason) ?? 0] }
    }

    /// Why a place was given up.
    public enum Loss: String, Equatable, Sendable, CaseIterable {
        /// The filter's numbers fell apart.
        case filterFailed
        /// A velocity or a bias that can't be.
        case implausible
        /// The filter itself no longer knows how it moves.
        case unsure
        /// Most of what was measured contradicts it.
        case contradicted
        /// Nothing seen for too long.
        case blind
        /// The IMU was silent.
        case inertialSilence
    }
}
