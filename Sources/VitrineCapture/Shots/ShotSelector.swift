import VitrineAR
import VitrineMath
import VitrineReconstruct
import VitrineVision

/// Decides which frames become shots: the sharpest frame of each new view.
struct ShotSelector: Sendable {
    /// A frame that may become a shot.
    struct Candidate: Sendable {
        let frame: ARFrame
        let sharpness: Double
    }

    private let thresholds: CaptureThresholds
    /// The sharpness of recent frames.
    private var recent: [(time: Double, sharpness: Double)] = []
    private var best: Candidate?
    /// The sharpest frame that only the detected box shows sharply, for a camera that moves on although stillness was requested.
    private var spare: Candidate?
    /// The time at which the present choice began.
    private var choiceStart: Double?
    private var lastShotTime = -Double.infinity
    /// The widest angle to the nearest shot since the last one, radians.
    private var widestAngle = 0.0
    /// The time since which blur has prevented the shot of a new view.
    private var blurredSince: Double?
    /// The cameras of an area's shots.
    private var areaShots: [PosedCamera] = []

    init(_ thresholds: CaptureThresholds) { self.thresholds = thresholds }

    /// Forgets the frames since the last shot.
    mutating func restart() { (best, spare, choiceStart, blurredSince, recent) = (nil, nil, nil, nil, []) }

    /// Forgets the shots of an area.
    mutating func restartArea() {
        restart()
        areaShots = []
    }

    /// Whether blur has prevented the shot of a new view for some time.
    func waitsForStillness(at time: Double) -> Bool { blurredSince.map { time - $0 >= thresholds.settlingTime } ?? false }

    /// Chooses among the frames of a new view of an object.
    ///
    /// - Parameters:
    ///   - angle: Radians to the nearest shot, seen from the object; nil without shots.
    ///   - isCovered: Whether shots of the pass cover the direction.
    /// - Returns: The frame to store, if the choice is made.
    mutating func choose(_ frame: ARFrame, _ measurements: FrameMeasurements, angle: Double?, isCovered: Bool) -> Candidate? {
        let time = measurements.time
        let isNew = angle.map { $0 >= thresholds.viewSpacing } ?? true
        // Uncovered directions get a shot earlier: where someone stays, and in the middle of a gap, where the angle decreases again.
        let hasDwelt = time - lastShotTime > thresholds.dwellTime
        if let angle, angle > widestAngle || angle < thresholds.gapSpacing { widestAngle = angle }
        let isMiddle = angle.map { $0 < widestAngle - 0.005 } ?? false
        let fillsGap = !isCovered && (hasDwelt || isMiddle) && angle ?? .infinity >= thresholds.gapSpacing
        // An object that passes by leaves no time to choose.
        let isLate = angle.map { $0 >= thresholds.viewSpacing + thresholds.choiceAngle } ?? false
        let isPassing = angle.map { $0 >= thresholds.viewSpacing + thresholds.passingAngle } ?? false
        return choose(frame, measurements, isNew: isNew || fillsGap, isLate: isLate || isMiddle && fillsGap, isPassing: isPassing)
    }

    /// Chooses among the frames of a new view of an area.
    ///
    /// - Parameter distance: The median distance of the landmarks in metres.
    mutating func chooseInArea(_ frame: ARFrame, _ measurements: FrameMeasurements, distance: Double) -> Candidate? {
        let camera = frame.camera.posed
        let view = CameraView(camera)
        let isKnown = areaShots.contains { shot in
            let other = CameraView(shot)
            let turn = VitrineMath.acos(clamp(dot(view.forward, other.forward), -1, 1))
            return length(view.eye - other.eye) < thresholds.areaSpacing * distance && turn < thresholds.areaTurn
        }
        return choose(frame, measurements, isNew: !isKnown, isLate: false, isPassing: false)
    }

    /// Records a shot.
    mutating func add(_ shot: ARFrame, isArea: Bool) {
        (best, spare, choiceStart, blurredSince, lastShotTime, widestAngle) = (nil, nil, nil, nil, shot.timestamp, 0)
        if isArea { areaShots.append(shot.camera.posed) }
    }

    private mutating func choose(
        _ frame: ARFrame, _ measurements: FrameMeasurements, isNew: Bool, isLate: Bool, isPassing: Bool
    ) -> Candidate? {
        let time = measurements.time
        recent.removeAll { $0.time < time - thresholds.sharpnessMemory || $0.time > time }
        recent.append((time, measurements.quality.sharpness))
        guard isNew else {
            (best, spare, choiceStart, blurredSince) = (nil, nil, nil, nil)
            return nil
        }
        let isBlurred = measurements.shotBlur ?? 0 > thresholds.maximumBlur
        let candidate = Candidate(frame: frame, sharpness: measurements.quality.sharpness)
        if isUsable(measurements, blur: measurements.shotBlur) {
            if candidate.sharpness > best?.sharpness ?? -1 { best = candidate }
        } else if isUsable(measurements, blur: measurements.blur), candidate.sharpness > spare?.sharpness ?? -1 {
            spare = candidate
        }
        guard let best else {
            blurredSince = isBlurred ? blurredSince ?? time : nil
            return isPassing && waitsForStillness(at: time) ? spare : nil
        }
        blurredSince = nil
        let start = choiceStart ?? time
        choiceStart = start
        return isLate || time - start >= thresholds.choiceTime - 1e-6 ? best : nil
    }

    /// Whether a frame is sharp, well exposed, and shows the object: no shot contradicts the feedback.
    private func isUsable(_ frame: FrameMeasurements, blur: Double?) -> Bool {
        guard blur ?? .infinity <= thresholds.maximumBlur else { return false }
        guard frame.quality.brightness >= thresholds.tooDark, frame.quality.overexposed <= thresholds.overexposed else { return false }
        guard frame.feedback.isDisjoint(with: [.objectTooFar, .outOfFieldOfView, .environmentTooDark]) else { return false }
        if let projection = frame.projection {
            let isInView = max(abs(projection.offset.x), abs(projection.offset.y)) <= thresholds.largestOffset
            let isLarge = projection.size >= thresholds.smallestSize(isBoxConfirmed: frame.isBoxConfirmed)
            guard projection.rectangle != nil, isInView, isLarge else { return false }
        }
        return frame.quality.sharpness >= thresholds.minimumRelativeSharpness * quantile(recent.map(\.sharpness), 0.67)
    }
}
