import VitrineVision

/// How a filter works: what a device's calibration doesn't say.
public struct FilterSettings: Equatable, Sendable {
    /// m/s² in the world: the filter's "down". Earth's standard along −Y by default.
    public var gravity = Vector3d(0, -9.81, 0)
    /// How many past poses are kept to tell depth by, beside the newest: 3…23. At 10 to 20 pictures a second eleven are half a second to one.
    public var clones = 11
    /// At most so many points are part of the state, 0…150: the filter's memory beyond its past poses. Default 60: for features of which each
    /// picture errs by itself, as marks that are known again. With features that are followed from picture to picture they make a filter
    /// surer than it should be, however they drift: then 0.
    public var points = 60
    /// At most so many finished tracks are used per picture, the longest first. Cheap: each costs a few microseconds.
    public var tracks = 120
    /// A feature's standard deviation in pixels.
    public var pixelNoise = 1.0
    /// The same as the places of points are told by, which nothing else follows from: what features really err by. Default 1.
    public var placeNoise = 1.0
    /// How far what is followed creeps over its surface from picture to picture, a standard deviation in pixels: where patches are compared with
    /// the picture before, what each comparison errs by stays. A point may move by as much in the world; otherwise hundreds of
    /// pictures that all err alike would be believed as if each erred by itself. Default 0: features that don't creep, as a marker's corners.
    public var pointDrift = 0.0
    /// A measurement that would be this unlikely or more, were the filter right, is passed over: the χ² gate's probability.
    public var gate = 0.95
    /// Tracks that fewer pictures show say too little.
    public var sightings = 4
    /// The largest standard deviation of a track's depth, as a share of it, with which the track is used. Where depth is less sure, a point's
    /// place follows the noise of its own pixels, and what is left of them is no longer what Jacobians promise: a few such tracks can spoil
    /// a state that isn't sure of itself, as at the start.
    public var depthDeviation = 0.1
    /// A track whose depth is less sure is used all the same where that does little harm: where what isn't known of the depth, times what isn't
    /// known of how far the camera went meanwhile, is worth less than this share of `pixelNoise`. Default 0.25.
    public var unsureDepth = 0.25
    /// A point of the state out of sight for longer than this many seconds is dropped. Only worth more than a moment where features come back under the
    /// same id. Where there is no room for a new point, those longest out of sight go first.
    public var pointMemory = 0.0
    /// Whether standing still is noticed and made use of (zero-velocity update).
    public var noticesRest = true
    /// Pixels: features that move less than this on average, against the newest clone, are at rest.
    public var restDisparity = 0.5
    /// How much more than its noise the IMU may show at rest, as a factor on the standard deviation: motors, hands, a table.
    public var restNoise = 10.0

    public init() {}
}
