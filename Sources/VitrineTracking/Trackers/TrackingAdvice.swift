/// Advice for the user if tracking is limited.
public enum TrackingAdvice: String, Equatable, Sendable, CaseIterable {
    /// The camera hardly moves sideways, which leaves distances unknown.
    case moveSideways
    /// The motion does not determine the scale.
    case changeSpeed
    /// The camera moves too fast.
    case moveSlowly
    /// The image is too dark.
    case addLight
    /// The image has too few details.
    case findTexture
    /// Moving objects fill the view, or the image is blurred.
    case avoidMovingObjects
    /// Tracking was lost, and the view is not one that the map contains.
    case returnToKnownView
    /// Wait, because no samples of the IMU arrive.
    case waitForInertialSamples
    /// Images and IMU contradict each other.
    case checkCalibration
    /// Tracking is good; no surface was detected yet.
    case scanSurfaces

    /// The cause and the remedy, as an English sentence.
    public var text: String {
        switch self {
        case .moveSideways: "The camera hardly moves: move it sideways by a hand's breadth and back."
        case .changeSpeed: "The motion does not determine distances: change speed and direction."
        case .moveSlowly: "The camera moves too fast: move it slowly."
        case .addLight: "The image is too dark: turn on more light."
        case .findTexture: "The image has too few details: point the camera at objects with texture."
        case .avoidMovingObjects: "Moving objects or blur hide the scene: point the camera at objects that do not move."
        case .returnToKnownView: "Tracking was lost: point the camera at something that it observed before."
        case .waitForInertialSamples: "No samples of the IMU arrive."
        case .checkCalibration: "Images and IMU contradict each other: check clocks, units and the pose of the camera on the IMU."
        case .scanSurfaces: "No surface is detected yet: move the camera along the floor, a table or a wall."
        }
    }

    /// Mean grey level of 255 below which missing features are due to darkness.
    private static let darkBrightness = 30.0

    /// The advice for an image with too few features.
    /// - Parameter brightness: Mean grey level, 0…255; nil if unknown.
    static func forFewFeatures(_ brightness: Double?) -> TrackingAdvice {
        (brightness ?? .infinity) < darkBrightness ? .addLight : .findTexture
    }
}

extension InitializationFailure {
    /// The advice for the user.
    /// - Parameter brightness: Mean grey level of the newest image, 0…255; nil if unknown.
    func advice(_ brightness: Double?) -> TrackingAdvice {
        switch self {
        case .tooShort, .insufficientMotion: .moveSideways
        case .noSolution, .inconsistentGravity, .uncertainScale: .changeSpeed
        case .tooFewFeatures: .forFewFeatures(brightness)
        case .inconsistentFeatures: .avoidMovingObjects
        case .inertialGap: .waitForInertialSamples
        case .inconsistentRotation, .inconsistentInertial: .checkCalibration
        }
    }
}
