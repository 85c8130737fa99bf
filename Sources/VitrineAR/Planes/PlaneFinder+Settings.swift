extension PlaneFinder {
    /// The defaults suit rooms, and trackers and depth cameras of phones.
    public struct Settings: Equatable, Sendable {
        public var finds: Set<PlaneAlignment> = [.horizontal, .vertical]
        /// Seconds between two searches; what comes in between is only remembered.
        public var interval = 0.1
        /// How many searches in a row must agree before a plane is told of.
        public var confirmations = 2
        /// How far from its plane a tracked point may lie, in metres.
        public var pointTolerance = 0.025
        /// What a point is believed to in a fit, in metres, beside the deviation that is told of it: points near one another err alike.
        public var pointNoise = 0.025
        /// In how many pictures a point must have been seen before it counts; or how far off its tracker may say that it is, in metres.
        public var pointSightings = 3
        public var pointDeviation = 0.08
        /// The fewest points that make a plane.
        public var horizontalPoints = 15
        public var verticalPoints = 18
        /// The smallest area that makes a plane, in m².
        public var horizontalArea = 0.04
        public var verticalArea = 0.15
        /// How far gravity as the tracker has it, and surfaces that are called level or upright, are off: the standard deviation of the prior
        /// on a plane's tilt, in radians. Few points leave a plane level; depth shows its true tilt.
        public var tiltDeviation = 0.014
        /// How far a tracker's points far apart drift against each other, radians: however many there are, they tell a slope no better.
        public var driftDeviation = 0.014
        /// A plane that tilts more, in radians, is neither horizontal nor vertical.
        public var tiltLimit = 0.14
        /// Depth farther than this isn't believed, in metres.
        public var depthLimit = 5.0
        /// A plane is told of when so many searches have left it within this: metres at its middle, and radians. Those that know its slope
        /// worse than to half of the angle count for less.
        public var steadyDistance = 0.01
        public var steadyAngle = 0.012
        public var steadiness = 5.0
        /// The frame of a plane that was told of is corrected where it lies farther off than this and three times the evidence's deviation, each
        /// time that it is looked at (every fifth search) for so many times.
        public var correctionDistance = 0.02
        public var correctionAngle = 0.026
        public var correctionSearches = 4
        /// Corners of an outline.
        public var outlineLimit = 64
        /// Points remembered, and planes kept.
        public var pointLimit = 4096
        public var planeLimit = 64

        // What a plane is called. Heights in metres, areas in m².

        /// The lowest level surface facing up is a floor if it is this far below the camera's usual height, and this large.
        public var floorBelowCamera = 0.9
        public var floorArea = 0.25
        /// Above the floor; a level surface in between is a seat where it isn't larger than `seatArea`.
        public var seatHeights = 0.3...0.55
        public var seatArea = 0.7
        public var tableHeights = 0.4...1.3
        /// The highest level surface facing down is a ceiling if it is this far above the camera's usual height.
        public var ceilingAboveCamera = 0.4
        /// An upright surface is a wall if it is this large.
        public var wallArea = 0.6

        public init() {}
    }
}
