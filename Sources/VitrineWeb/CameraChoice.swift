import VitrineGeometry
import VitrineMath
import VitrineMotion
import VitrineScene
import VitrineStage

/// The camera that the page has chosen. Properties that are nil fit the model.
struct CameraChoice {
    var azimuth = Angle.degrees(30)
    var elevation = Angle.degrees(15)
    /// The distance in metres; nil for the fraction `share` of the distance that fits the model.
    var distance: Float?
    var share: Float = 1
    var target: Vector3?

    /// Moves the camera at once to the chosen pose.
    func apply(to stage: SceneStage) {
        stage.frameScene(azimuth: azimuth, elevation: elevation)
        if distance != nil || share != 1 || target != nil { stage.cameraPose = pose(stage.cameraPose) }
    }

    /// Moves the camera smoothly to the chosen pose.
    func glide(_ stage: SceneStage, at time: Double) { stage.glideCamera(to: pose(fitted(in: stage)), at: time) }

    /// Returns the pose in the chosen direction that shows the whole scene.
    func fitted(in stage: SceneStage) -> OrbitPose {
        OrbitPose(
            fitting: stage.scene.subjectBounds, azimuth: azimuth, elevation: elevation, fieldOfView: stage.fieldOfView,
            aspectRatio: stage.size.x / max(stage.size.y, 1))
    }

    private func pose(_ fitted: OrbitPose) -> OrbitPose {
        OrbitPose(azimuth: azimuth, elevation: elevation, distance: distance ?? fitted.distance * share, target: target ?? fitted.target)
    }
}

/// Rotates the camera around the model without input.
struct AutoRotation {
    var isOn = false
    /// The speed in radians per second.
    var speed: Float = 12 * .pi / 180
    /// The delay in seconds after the last input.
    var delay = 3.0
    private var lastInput = -Double.infinity
    private var lastFrame: Double?
    /// Whether the delay has not passed yet.
    private(set) var isPending = false

    /// Records input of the user.
    mutating func interrupt(at time: Double) { lastInput = max(lastInput, time) }

    /// Rotates for the time since the last frame.
    ///
    /// - Returns: Whether the rotation is running.
    mutating func advance(to time: Double, _ stage: SceneStage) -> Bool {
        guard isOn, !stage.reducesMotion, speed != 0 else {
            (lastFrame, isPending) = (nil, false)
            return false
        }
        guard time - lastInput >= delay else {
            (lastFrame, isPending) = (nil, true)
            return false
        }
        isPending = false
        // After a pause, such as a hidden tab, the rotation continues without a jump.
        defer { lastFrame = max(time, lastFrame ?? time) }
        // The browser's frame may have begun before the last one was drawn.
        guard let last = lastFrame, time > last else { return true }
        // A limit of the camera ends the rotation.
        return stage.turnCamera(by: .radians(speed * Float(min(time - last, 0.1))))
    }
}
