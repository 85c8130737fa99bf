extension PlaneDetector {
    /// Thresholds of plane detection. The defaults suit rooms, and the trackers and depth cameras of phones.
    package struct Settings: Equatable, Sendable {
        /// The alignments to detect. Default both.
        package var alignments: Set<ARPlaneAnchor.Alignment> = [.horizontal, .vertical]
        /// The number of seconds between two searches. Default 0.1.
        package var searchInterval = 0.1
        /// The number of consecutive searches that must find a plane before it is reported.
        package var confirmations = 2
        /// The largest distance of a feature point from its plane, in metres.
        package var pointTolerance = 0.025
        /// The standard deviation of a feature point in a fit, in metres, in addition to the tracker's own: errors of neighbouring points are
        /// correlated.
        package var pointNoise = 0.025
        /// The fewest observations of a point, or its largest standard deviation in metres if the tracker estimates it.
        package var minimumObservations = 3
        package var maximumPointDeviation = 0.08
        /// The fewest points of a plane.
        package var horizontalPoints = 15
        package var verticalPoints = 18
        /// The smallest area of a plane in m².
        package var horizontalArea = 0.04
        package var verticalArea = 0.15
        /// The standard deviation of the gravity prior on a plane's tilt, in radians: the error of the tracker's gravity and of real surfaces. Few
        /// points leave a plane level; depth reveals its true tilt.
        package var tiltDeviation = 0.014
        /// The standard deviation of the drift between distant feature points, as a slope in radians: it does not average out over points.
        package var driftDeviation = 0.014
        /// The largest tilt of a horizontal or vertical plane in radians.
        package var maximumTilt = 0.14
        /// The distance in metres beyond which depth is ignored. Default 5.
        package var maximumDepth = 5.0
        /// A plane is reported once `stability` searches have moved it by less than this: metres at its centre, and radians. A search that
        /// determines its slope worse than to half of the angle counts less.
        package var stableDistance = 0.01
        package var stableAngle = 0.012
        package var stability = 5.0
        /// The frame of a reported plane is corrected if it is off by more than this and three standard deviations in so many evaluations
        /// (one in five searches).
        package var correctionDistance = 0.02
        package var correctionAngle = 0.026
        package var correctionSearches = 4
        /// The most corners of an outline.
        package var maximumOutlineCorners = 64
        /// The most feature points and planes kept.
        package var pointCapacity = 4096
        package var planeCapacity = 64

        // Classification. Heights in metres, areas in m².

        /// The lowest surface that faces up is a floor if it is this far below the camera's usual height and this large.
        package var floorBelowCamera = 0.9
        package var floorArea = 0.25
        /// The heights of seats and of tables above the floor. A surface in both ranges is a seat if it is not larger than `seatArea`.
        package var seatHeights = 0.3...0.55
        package var seatArea = 0.7
        package var tableHeights = 0.4...1.3
        /// The highest surface that faces down is a ceiling if it is this far above the camera's usual height.
        package var ceilingAboveCamera = 0.4
        /// A vertical surface is a wall if it is this large.
        package var wallArea = 0.6

        package init() {}
    }
}
