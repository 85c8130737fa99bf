import VitrineVision

extension FeatureTracker {
    public struct Settings: Equatable, Sendable {
        /// How many features are followed at once. Default 200.
        public var maximumFeatures = 200
        /// Between two features, at least, in working pixels. Default 10.
        public var minimumDistance: Float = 10
        /// Photos are halved until they are no wider, in pixels; the others are worked on as they are. Default 640.
        public var maximumWidth = 640
        /// Sizes of the picture, each half of the one before: how far a feature may jump. Default 4.
        public var levels = 4
        /// How far back from the found place a feature may come out from where it was, in working pixels. Default 0.5.
        public var returnLimit: Float = 0.5
        /// How alike a patch must stay from one picture to the next: correlation, 0…1. Default 0.8.
        public var leastSimilarity: Float = 0.8
        /// How far from its epipolar plane a feature may lie, in working pixels. Default 1.
        public var epipolarLimit = 1.0
        /// How strong a corner must be: the lesser eigenvalue of the slopes' mean square, in squared grey levels a pixel. Default 6.
        public var weakestCorner: Float = 6
        /// Pictures with less to see are passed over: the root mean square of the differences of neighbours, in grey levels. Default 0.6.
        public var leastContrast = 0.6
        /// For how long a feature is looked for again after pictures that show nothing, in seconds. Default 1.
        public var longestGap = 1.0

        public init() {}
    }

    /// What became of the features in one picture, for who decides how well things go.
    public struct Report: Equatable, Sendable {
        /// Features that were followed into the picture.
        public var tracked = 0
        /// Features that were not: because they left the picture,
        public var lostAtEdge = 0
        /// don't look alike any more, or could not be compared,
        public var lostByLooks = 0
        /// were not found again on the way back,
        public var lostOnReturn = 0
        /// moved otherwise than the still world,
        public var lostByMotion = 0
        /// or came too near to another.
        public var lostByCrowding = 0
        /// Features forgotten because the picture's size changed, or the last picture is too long ago.
        public var dropped = 0
        /// Features begun in the picture.
        public var new = 0
        /// The picture shows nothing to follow: it was passed over, and features wait for the next.
        public var isBlind = false
        /// The mean grey value, 0…255.
        public var brightness = 0.0
        /// The root mean square of the differences of neighbouring pixels, reduced to half size, in grey levels: low in the dark, in fog and blur.
        public var contrast = 0.0
        /// How far the followed features moved in the photo, and how far once the turn is taken out, medians in pixels: the second is
        /// next to nothing at rest, and grows with travel.
        public var medianMotion = 0.0, medianParallax = 0.0
        /// The turn since the picture followed from (new camera from old), the given one sharpened by the features; nil where too few were followed.
        public var rotation: Matrix3d?

        public init() {}

        /// Features that were lost by what the picture shows, or where.
        public var lost: Int { lostAtEdge + lostByLooks + lostOnReturn + lostByMotion + lostByCrowding }
    }
}
