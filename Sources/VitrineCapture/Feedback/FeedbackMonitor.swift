import VitrineAR
import VitrineMath
import VitrineVision

/// The measurements of a frame that feedback and shots depend on.
struct FrameMeasurements: Sendable {
    var time: Double
    /// nil without a box.
    var projection: BoxProjection?
    var quality: ImageQuality
    /// Pixels of motion blur, for an image 1,280 pixels wide or less; nil if unknown.
    var blur: Double?
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

    /// The feedback of light and motion, and of framing if there is a box.
    mutating func update(_ frame: FrameMeasurements, isDetecting: Bool) -> Set<Feedback> {
        let t = thresholds
        var result = Set<Feedback>()
        func below(_ value: Double, _ limit: Double) -> (Bool, Bool) { (value < limit, value > limit * (1 + t.hysteresis)) }
        func above(_ value: Double, _ limit: Double) -> (Bool, Bool) { (value > limit, value < limit * (1 - t.hysteresis)) }
        func judge(_ feedback: Feedback, _ limits: (begins: Bool, ends: Bool), settling: Double? = nil) {
            var condition = conditions[feedback] ?? Hysteresis()
            if condition.update(begins: limits.begins, ends: limits.ends, at: frame.time, settling: settling ?? t.settlingTime) {
                result.insert(feedback)
            }
            conditions[feedback] = condition
        }
        judge(.environmentTooDark, below(frame.quality.brightness, t.tooDark))
        judge(.environmentLowLight, below(frame.quality.brightness, t.lowLight))
        if result.contains(.environmentTooDark) { result.remove(.environmentLowLight) }
        judge(.environmentTooBright, above(frame.quality.overexposed, t.tooBright))
        judge(.movingTooFast, above(frame.blur ?? 0, t.movingTooFastBlur))
        if let projection = frame.projection {
            let isOutside = max(abs(projection.offset.x), abs(projection.offset.y))
            judge(.outOfFieldOfView, above(isOutside, t.largestOffset))
            // An object at the edge has no reliable size.
            let isInView = !result.contains(.outOfFieldOfView)
            judge(.objectTooFar, isInView ? below(projection.size, t.smallestObject) : (false, true))
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
}
