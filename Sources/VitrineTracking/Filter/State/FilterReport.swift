/// What one picture did to a filter.
@frozen public struct FilterReport: Equatable, Sendable {
    public enum Outcome: String, Equatable, Sendable {
        /// The state is the picture's.
        case updated
        /// Standing still: known from the IMU and the features, which were not used otherwise.
        case atRest
        /// Not a number, or not after the one before it: nothing was done.
        case passedOver
        /// No inertial sample yet: nothing was done.
        case withoutInertial
        /// The state is no longer finite, or its covariance none: start anew.
        case failed
    }

    public var outcome: Outcome
    /// Seconds on the IMU's clock: what the state is of.
    public var time: Double
    /// The size of the error state: of 102 numbers with the default settings, plus three a point.
    public var states = 0
    /// Past poses held, the newest among them.
    public var clones = 0
    /// Features in the picture.
    public var features = 0
    /// Finished tracks that were used, and those the gate or triangulation turned away.
    public var tracksUsed = 0, tracksGated = 0, tracksUntriangulated = 0
    /// Points of the state: how many there are, were measured, were gated, came in and went out.
    public var points = 0, pointsUsed = 0, pointsGated = 0, pointsStarted = 0, pointsDropped = 0
    /// Features whose points have a place, in the state or beside it.
    public var placed = 0
    /// The mean squared innovation per measured number, over its expectation, of the points: near 1 where the filter knows how wrong it is.
    public var innovation = 0.0
    /// Whether first estimates had proved too far off to be kept.
    public var renewedFirstEstimates = false
    /// Inertial samples since the last picture; those that came out of order or weren't finite, in all.
    public var samples = 0, samplesPassedOver = 0

    public var isAtRest: Bool { outcome == .atRest }

    init(_ outcome: Outcome, time: Double) { (self.outcome, self.time) = (outcome, time) }
}
