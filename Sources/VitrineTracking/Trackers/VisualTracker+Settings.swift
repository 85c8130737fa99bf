import VitrineVision

extension VisualTracker {
    public struct Settings: Equatable, Sendable {
        /// What gives the pictures their metres. Default: the median depth of the first view is taken for 2 m.
        public var scale = VisualScale.medianDepth(2)
        /// Which markers are looked for where the scale comes from one. Default AprilTag 36h11 and ArUco 4×4.
        public var dictionaries: [MarkerDictionary] = MarkerDictionary.allCases
        public var frontEnd = FeatureTracker.Settings()
        /// Points that a pose has to explain to be called normal, and to be called so again. Defaults 12 and 20.
        public var leastPoints = 12
        public var enoughPoints = 20
        /// rad/s: above, too few points are put down to the motion. Default 1.5.
        public var fastTurn = 1.5
        /// Seconds for which the last motion is carried on where nothing is seen. Default 0.3.
        public var longestGuess = 0.3
        /// Seconds for which the way goes on by features alone that have no place yet, as if they were as far away as the rest was: the turn is then
        /// known, the way about. Default 8.
        public var longestDetour = 8.0
        /// Seconds of pictures that show something, but nothing known, after which a new map is begun. Default 2.
        public var longestSearch = 2.0

        public init() {}
        public init(scale: VisualScale) { self.scale = scale }
    }

    /// What has been going on, for those who look for a reason.
    public struct Diagnostics: Equatable, Sendable {
        public var pictures = 0
        /// Not finite, or not after the one before.
        public var picturesPassedOver = 0
        /// Maps begun, tries that came to nothing, and how often the place was lost and found again.
        public var starts = 0
        public var refusals = 0
        public var losses = 0
        public var recoveries = 0
        /// Of the map now.
        public var keyframes = 0
        public var points = 0
        /// Points that were lost and known again, over all pictures.
        public var recalls = 0
        /// Points that explain the newest picture's pose.
        public var pointsUsed = 0
        /// Pictures whose pose was told by features without a place.
        public var detours = 0
        /// Pictures that showed a marker that could be used, and corrections of the scale after the first.
        public var markerSights = 0
        public var scaleCorrections = 0
        /// How often a marker that was seen again put a map right that had drifted.
        public var reanchorings = 0
        /// Of the newest picture, milliseconds, where there is a clock: following features, markers, pose, map.
        public var frontEndTime = 0.0
        public var markerTime = 0.0
        public var poseTime = 0.0
        public var mapTime = 0.0
    }
}
