/// The result of one filter update.
package struct FilterReport: Equatable, Sendable {
    package enum Outcome: String, Equatable, Sendable {
        /// The state was updated to the frame's time.
        case updated
        /// The device is at rest: a zero-velocity update was made, and the features were not used.
        case atRest
        /// The time is not finite or not after the last frame; nothing was done.
        case skipped
        /// There is no inertial sample yet; nothing was done.
        case withoutInertial
        /// The state is not finite or its covariance not positive definite; the filter must be replaced.
        case failed
    }

    package var outcome: Outcome
    /// The time of the state in seconds on the IMU's clock.
    package var time: Double
    /// The size of the error state: 120 with the default settings, plus three for each point.
    package var states = 0
    /// The number of poses in the window, including the newest.
    package var clones = 0
    /// The number of features in the frame.
    package var features = 0
    /// The number of finished tracks that were used, that the gate rejected, and that were not triangulated.
    package var tracksUsed = 0, tracksGated = 0, tracksUntriangulated = 0
    /// The number of points in the state, and of those that were measured, rejected, added and removed.
    package var points = 0, pointsUsed = 0, pointsGated = 0, pointsAdded = 0, pointsRemoved = 0
    /// The number of features in the frame with a triangulated position, inside and outside of the state.
    package var triangulated = 0
    /// The normalized innovation squared of the points, divided by the number of measured coordinates; near 1 if the filter is consistent.
    package var innovation = 0.0
    /// Whether first estimates were renewed.
    package var renewedFirstEstimates = false
    /// The number of inertial samples since the last frame, and of skipped samples in total.
    package var samples = 0, samplesSkipped = 0

    package var isAtRest: Bool { outcome == .atRest }

    init(_ outcome: Outcome, time: Double) { (self.outcome, self.time) = (outcome, time) }
}
