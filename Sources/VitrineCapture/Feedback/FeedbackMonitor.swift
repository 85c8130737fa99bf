import VitrineAR
import VitrineMath
import VitrineVision

/// The measurements of a frame that feedback and shots depend on.
struct FrameMeasurements: Sendable {
    var time: Double
    /// nil without a box.
    var projection: BoxProjection?
    /// Whether the camera has viewed the box from directions far enough apart.
    var isBoxConfirmed: Bool
    var quality: ImageQuality
    /// Pixels of motion blur, for an image 1,280 pixels wide or less; nil if unknown.
    var blur: Double?
    /// The blur of a box somewhat larger than the detected one, which may be smaller than the object.
    var shotBlur: Double?
    /// The feedback of light and framing at the frame's time.
    var feedback: Set<ObjectCaptureSession.Feedback> = []
}

/// Turns measurements into feedback.
struct FeedbackMonitor: Sendable {
    typealias Feedback = ObjectCaptureSession.Feedback

    private let thresholds: CaptureThresholds
    private var conditions: [Feedback: Hysteresis] = [:]
    private var detectionStart: Double?

    init(_ thresholds: CaptureThresholds) { self.thresholds = thresholds }

    /// Restarts the wait for an object.
    mutating func restartDetection() { (detectionStart, conditions[.objectNotDetected]) = (nil, nil) }

    /// Ends all conditions.
    mutating func reset() { (conditions, detectionStart) = ([:], nil) }

    /// Returns `movingTooFast` if it is.
    ///
    /// - Parameters:
    ///   - blur: The blur of the newest frame with known motion, pixels.
    ///   - time: The time of the newest frame.
    mutating func updateMotion(blur: Double?, at time: Double) -> Set<Feedback> {
        judge(.movingTooFast, above(blur ?? 0, thresholds.movingTooFastBlur), at: time) ? [.movingTooFast] : []
    }

    /// Returns the feedback of light, and of framing if there is a box.
    mutating func update(_ frame: FrameMeasurements, isDetecting: Bool) -> Set<Feedback> {
        let t = thresholds
        var result = Set<Feedback>()
        func judge(_ feedback: Feedback, _ limits: (begins: Bool, ends: Bool), settling: Double? = nil) {
            if self.judge(feedback, limits, at: frame.time, settling: settling) { result.insert(feedback) }
        }
        judge(.environmentTooDark, below(frame.quality.brightness, t.tooDark))
        judge(.environmentLowLight, below(frame.quality.brightness, t.lowLight))
        if result.contains(.environmentTooDark) { result.remove(.environmentLowLight) }
        judge(.environmentTooBright, above(frame.quality.overexposed, t.tooBright))
        if let projection = frame.projection {
            let isOutside = max(abs(projection.offset.x), abs(projection.offset.y))
            judge(.outOfFieldOfView, above(isOutside, t.largestOffset))
            // An object at the edge has no reliable size.
            let isInView = !result.contains(.outOfFieldOfView)
            judge(.objectTooFar, isInView ? below(projection.size, t.smallestSize(isBoxConfirmed: frame.isBoxConfirmed)) : (false, true))
            judge(.objectTooClose, isInView ? above(projection.size, t.largestObject) : (false, true))
        }
        if isDetecting {
            let start = detectionStart ?? frame.time
            detectionStart = start
            let isLate = frame.projection == nil && frame.time - start >= t.detectionTime
            judge(.objectNotDetected, (isLate, frame.projection != nil), settling: 0)
        }
        return result
    }

    private func below(_ value: Double, _ limit: Double) -> (begins: Bool, ends: Bool) {
        (value < limit, value > limit * (1 + thresholds.hysteresis))
    }
    private func above(_ value: Double, _ limit: Double) -> (begins: Bool, ends: Bool) {
        (value > limit, value < limit * (1 - thresholds.hysteresis))
    }

    /// Updates a condition and returns its state.
    private mutating func judge(
        _ feedback: Feedback, _ limits: (begins: Bool, ends: Bool), at time: Double, settling: Double? = nil
    ) -> Bool {
        conditions[feedback, default: Hysteresis()].update(
            begins: limits.begins, ends: limits.ends, at: time, settling: settling ?? thresholds.settlingTime)
    }
}
