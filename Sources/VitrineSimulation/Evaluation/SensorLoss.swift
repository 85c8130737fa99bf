import Vitrine
import VitrineAR
import VitrineVision

/// A loss of tracking that is injected into the events of a recording.
package struct SensorLoss: Sendable, Equatable {
    /// The kind of event that interrupts tracking.
    package enum Kind: String, Sendable, CaseIterable {
        /// Something covers the lens: images are black, the IMU continues.
        case cover
        /// The device is put away: the session is interrupted, images and inertial samples are missing.
        case pocket
        /// The device is somewhere else from one moment to the next, and the session does not know: the recording is cut.
        case kidnap
    }

    package var kind: Kind
    /// The time in seconds after the first image at which the loss starts, and its duration in seconds.
    package var start, duration: Double

    package init(_ kind: Kind, start: Double, duration: Double) { (self.kind, self.start, self.duration) = (kind, start, duration) }
}

/// Applies a loss to events, in order.
struct SensorLossFilter {
    private let loss: SensorLoss
    private var first: Double?
    private var (hasBegun, hasEnded) = (false, false)

    init(_ loss: SensorLoss) { self.loss = loss }

    /// The time from which the camera is free again, on the clock of the filtered events; nil before the first image.
    var returnTime: Double? { first.map { $0 + loss.start + (loss.kind == .kidnap ? 0 : loss.duration) } }
    /// The time at which the loss begins.
    var startTime: Double? { first.map { $0 + loss.start } }

    /// Returns the events that replace one.
    mutating func replacing(_ event: SensorEvent) -> [SensorEvent] {
        guard let time = event.sampleTime else { return [event] }
        if case .image = event, first == nil { first = time }
        guard let start = startTime else { return [event] }
        let end = start + loss.duration
        if time < start { return [event] }
        switch (loss.kind, event) {
        case (.cover, .image(var sample)) where time < end:
            sample.image = CapturedImage(luma: Plane(width: sample.image.width, height: sample.image.height, repeating: 4))
            (sample.depth, sample.secondLuma) = (nil, nil)
            return [.image(sample)]
        case (.cover, _): return [event]
        case (.pocket, _):
            guard time >= end else {
                defer { hasBegun = true }
                return hasBegun ? [] : [.interruptionBegan]
            }
            defer { hasEnded = true }
            return hasEnded ? [event] : [.interruptionEnded, event]
        case (.kidnap, _): return time < end ? [] : [event.earlier(by: loss.duration)]
        }
    }
}

extension SensorEvent {
    fileprivate var sampleTime: Double? {
        switch self {
        case .inertial(let sample): sample.time
        case .image(let sample): sample.time
        case .interruptionBegan, .interruptionEnded: nil
        }
    }

    fileprivate func earlier(by seconds: Double) -> SensorEvent {
        switch self {
        case .inertial(var sample):
            sample.time -= seconds
            return .inertial(sample)
        case .image(var sample):
            sample.time -= seconds
            return .image(sample)
        case .interruptionBegan, .interruptionEnded: return self
        }
    }
}

extension TrackingEvaluation {
    /// The recovery of tracking from a loss. Errors are those of poses with the state `normal`, in metres, in the world of the poses before
    /// the loss.
    package struct Recovery: Sendable, Equatable, Encodable {
        /// The root mean square position error before the loss in metres.
        package var errorBefore: Double
        /// The number of seconds from the return of the view to the first normal pose; nil if none came.
        package var recoveryDelay: Double?
        /// The largest error from the start of the loss on.
        package var largestError: Double?
        /// The median and the largest error from two seconds after the recovery on.
        package var medianError, largestLaterError: Double?
    }

    /// Evaluates a loss.
    ///
    /// - Parameters:
    ///   - start: The start of the loss, on the camera's clock.
    ///   - returnTime: The time from which images are normal again.
    /// - Throws: `TrajectoryError` if too little was tracked before the loss.
    package func recovery(start: Double, returnTime: Double) throws(TrajectoryError) -> Recovery {
        let before = try TrajectoryComparison(estimate: estimate.filter { $0.time < start }, truth: truth, alignment: .yaw)
        let move = before.truthFromEstimate
        let poses = Dictionary(truth.map { ($0.time, $0.pose.translation) }) { first, _ in first }
        let errors = estimate.filter { $0.time >= start }.compactMap { pose in
            poses[pose.time].map { (time: pose.time, error: length(move * pose.pose.translation - $0)) }
        }
        var recovery = Recovery(errorBefore: before.positionRMSE)
        recovery.largestError = errors.map(\.error).max()
        guard let first = errors.first(where: { $0.time >= returnTime }) else { return recovery }
        recovery.recoveryDelay = first.time - returnTime
        let later = errors.filter { $0.time >= first.time + 2 }.map(\.error)
        if !later.isEmpty { (recovery.medianError, recovery.largestLaterError) = (median(later), later.max()) }
        return recovery
    }
}
