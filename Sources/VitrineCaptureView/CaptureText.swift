extension ObjectCaptureSession.Feedback {
    /// The next action of the user, in a few words.
    public var advice: String {
        switch self {
        case .objectTooClose: "Move farther away"
        case .objectTooFar: "Move closer"
        case .movingTooFast: "Slow down and hold still"
        case .environmentLowLight: "More light would help"
        case .environmentTooDark: "Too dark: add light"
        case .environmentTooBright: "Too bright: avoid direct light"
        case .outOfFieldOfView: "Aim at the object"
        case .objectNotFlippable: "Do not turn it over: too little texture"
        case .overCapturing: "Enough shots: finish"
        case .objectNotDetected: "No object found: put it in the middle"
        }
    }

    /// The most urgent first.
    private static let urgency: [Self] = [
        .environmentTooDark, .movingTooFast, .outOfFieldOfView, .environmentTooBright, .objectTooClose, .objectTooFar, .objectNotDetected,
        .environmentLowLight, .overCapturing, .objectNotFlippable,
    ]

    /// The advice of the most urgent one; nil for none.
    public static func advice(for feedback: Set<Self>) -> String? { urgency.first { feedback.contains($0) }?.advice }
}

extension ObjectCaptureSession.Tracking {
    /// The next action of the user until the camera is tracked; nil if it is.
    public var captureAdvice: String? {
        switch self {
        case .normal, .limited(.scaleUnknown): nil
        case .notAvailable: "Waiting for the camera"
        case .limited(.initializing): "Move the camera slowly from side to side"
        case .limited(.relocalizing): "Point the camera at where it was before"
        case .limited(.excessiveMotion): "Move slower"
        case .limited(.insufficientFeatures): "Not enough features: show more of the table"
        }
    }
}

extension CaptureDisplay {
    /// The line at the top, and whether it is a problem.
    var message: (text: String, isProblem: Bool) {
        switch state {
        case .initializing: return ("Waiting for the camera", false)
        case .finishing: return ("Writing the last files", false)
        case .completed: return ("Done: \(shotCount) \(shotCount == 1 ? "shot" : "shots")", false)
        case .failed(let error): return ("\(error)", true)
        case .ready, .detecting, .capturing: break
        }
        if isAtEnd { return ("The recording has ended", false) }
        if let advice = tracking.captureAdvice { return (advice, true) }
        if let text = ObjectCaptureSession.Feedback.advice(for: feedback) { return (text, feedback != [.environmentLowLight]) }
        switch state {
        case .ready: return ("Put the object in the middle of the image", false)
        case .detecting: return (box == nil ? "Looking for the object" : "Is the box around the object? Drag its dots to change it", false)
        default: break
        }
        switch advice {
        case .anotherHeight(.low): return ("Pass complete. Next: hold the camera low", false)
        case .anotherHeight(.middle): return ("Pass complete. Next: hold the camera a little higher", false)
        case .anotherHeight(.high): return ("Pass complete. Next: hold the camera high", false)
        case .flip: return ("Pass complete. Next: turn the object over", false)
        case .finish: return ("Everything is captured: finish", false)
        case nil: return (box == nil ? "Walk through the area slowly" : "Walk around the object slowly", false)
        }
    }
}
