/// The state of a session that an `ObjectCaptureView` shows.
package struct CaptureDisplay {
    package var frame: ARFrame?
    package var state = ObjectCaptureSession.CaptureState.initializing
    package var tracking = ObjectCaptureSession.Tracking.notAvailable
    package var feedback: Set<ObjectCaptureSession.Feedback> = []
    /// The direction in which to turn the camera (x right, y down).
    package var direction: SIMD2<Float>?
    package var shotCount = 0
    package var box: OrientedBoundingBox?
    package var dial = CaptureDial()
    package var points: [PhotogrammetrySession.PointCloud.Point] = []
    package var advice: PassAdvice?
    package var isAutomatic = true
    package var canShoot = false
    package var isAtEnd = false
    /// The number of seconds since the newest shot; nil before the first.
    package var secondsSinceShot: Double?

    package init() {}

    @MainActor init(_ session: ObjectCaptureSession, secondsSinceShot: Double?) {
        frame = session.currentFrame
        (state, tracking, feedback) = (session.state, session.cameraTracking, session.feedback)
        (direction, shotCount, box) = (session.outOfFieldOfViewDirection, session.numberOfShotsTaken, session.boundingBox)
        (dial, points, advice) = (session.dial, session.pointCloud.points, session.advice)
        (isAutomatic, canShoot) = (session.isAutoCaptureEnabled, session.canRequestImageCapture)
        isAtEnd = session.isSourceAtEnd
        self.secondsSinceShot = secondsSinceShot
    }

    /// The buttons, in their order.
    var commands: [CaptureCommand] {
        switch state {
        case .ready: [.detect, .captureArea]
        case .detecting: [.capture, .reset]
        case .capturing: [.shoot, .toggleAutomatic, .nextPass, .flip, .finish]
        case .initializing, .finishing, .completed, .failed: []
        }
    }

    func isEnabled(_ command: CaptureCommand) -> Bool {
        switch command {
        case .capture: box != nil
        case .shoot: canShoot
        default: true
        }
    }

    /// The button that the person most likely needs next; nil if the camera is to be moved first.
    var suggestion: CaptureCommand? {
        switch state {
        case .ready: tracking == .normal ? .detect : nil
        case .detecting: box != nil ? .capture : nil
        case .capturing:
            if isAtEnd {
                .finish
            } else {
                switch advice {
                case .anotherHeight: .nextPass
                case .flip: .flip
                case .finish: .finish
                case nil: nil
                }
            }
        case .initializing, .finishing, .completed, .failed: nil
        }
    }
}
