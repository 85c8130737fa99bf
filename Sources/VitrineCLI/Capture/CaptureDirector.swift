import VitrineCaptureView
import VitrineMath

/// Makes the calls that a user would make in the window: detects, starts when the box rests, begins passes, and finishes.
@MainActor
struct CaptureDirector {
    let session: ObjectCaptureSession
    let settings: CaptureSettings
    /// Whether the camera can wait for the user; a recording ends.
    let isLive: Bool
    /// Reports a decision to the user.
    let warn: (String) -> Void

    /// The box and when it came to rest.
    private var resting: (box: OrientedBoundingBox, since: Double)?
    /// The time at which detection began, in seconds of the source's clock.
    private var detectingSince: Double?

    /// Seconds that a box must rest.
    private static let restTime = 0.8
    /// Seconds without a box after which the capture continues without one.
    private static let detectionLimit = 12.0

    init(_ session: ObjectCaptureSession, _ settings: CaptureSettings, isLive: Bool, warn: @escaping (String) -> Void) {
        (self.session, self.settings, self.isLive, self.warn) = (session, settings, isLive, warn)
    }

    /// Makes the next call, if one is due.
    mutating func advance() throws(ObjectCaptureSession.InvalidCall) {
        let time = session.currentFrame?.timestamp ?? 0
        switch session.state {
        case .ready:
            guard session.cameraTracking == .normal else { return }
            if settings.isArea {
                try session.startCapturing()
            } else {
                try session.startDetecting()
                (detectingSince, resting) = (time, nil)
            }
        case .detecting: try detect(time)
        case .capturing: try capture()
        case .initializing, .finishing, .completed, .failed: break
        }
    }

    private mutating func detect(_ time: Double) throws(ObjectCaptureSession.InvalidCall) {
        if let box = session.boundingBox {
            if let resting, box.isNear(resting.box) {
                if time - resting.since >= Self.restTime { try session.startCapturing() }
            } else {
                resting = (box, time)
            }
        } else {
            resting = nil
            guard time - (detectingSince ?? time) > Self.detectionLimit else { return }
            warn("no object was found in \(Int(Self.detectionLimit)) s: shots are taken along the camera's way")
            try session.resetDetection()
            try session.startCapturing()
        }
    }

    private func capture() throws(ObjectCaptureSession.InvalidCall) {
        if let limit = settings.shotLimit, session.numberOfShotsTaken >= limit { return try session.finish() }
        guard session.userCompletedScanPass, let advice = session.advice else { return }
        switch advice {
        case .anotherHeight: try session.beginNewScanPass()
        // Without a window, the user cannot report a flip; a recording may contain more.
        case .flip, .finish: if isLive { try session.finish() }
        }
    }
}

extension OrientedBoundingBox {
    /// Whether the other box has nearly the same position and size.
    fileprivate func isNear(_ other: OrientedBoundingBox) -> Bool {
        let (a, b) = (bounds.size, other.bounds.size)
        let side = max(a.max(), b.max())
        let (here, there) = (orientation.rotate(bounds.center), other.orientation.rotate(other.bounds.center))
        return distance(here, there) < 0.1 * side && (a - b).max() < 0.15 * side && (b - a).max() < 0.15 * side
    }
}
