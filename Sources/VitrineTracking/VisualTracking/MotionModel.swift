import VitrineMath
import VitrineVision

/// The camera's pose, its constant-velocity motion model, and the reliability of the pose.
struct MotionModel: Sendable {
    /// Initially at the origin, looking along −Z, upright.
    var worldFromCamera = RigidTransform(
        rotation: Matrix3d(Vector3d(1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, -1)), translation: .zero)
    /// m/s in the world; rad/s about the camera's axes.
    private(set) var velocity = Vector3d.zero
    private(set) var angularVelocity = Vector3d.zero
    /// Camera time of the newest frame with a pose.
    private(set) var time = -Double.infinity
    /// Whether the newest frame has a pose.
    var hasPose = false
    /// Camera time of the newest frame whose pose was determined by landmarks.
    var landmarkTime = -Double.infinity
    /// Whether few landmarks determine the pose.
    var isPoor = true
    /// Whether tracking is lost.
    var isLost = false
    /// Whether a new map is initialized after a map was discarded.
    var isRelocalizing = false
    /// Whether there was ever a metric map.
    var wasInitialized = false
    /// The median depth of the landmarks in view, in the map's unit.
    var medianDepth = 1.0
    /// Camera time since which frames have had features but no pose.
    var searchStart: Double?

    /// The pose at a later time.
    /// - Parameter maximum: Largest extrapolation in seconds.
    func predicted(_ time: Double, maximum: Double) -> RigidTransform {
        let step = min(max(0, time - self.time), maximum)
        guard step.isFinite, step > 0 else { return worldFromCamera }
        return RigidTransform(
            rotation: worldFromCamera.rotation * Matrix3d.rotation(angularVelocity * step),
            translation: worldFromCamera.translation + velocity * step)
    }

    /// The predicted rotation after some seconds: new camera from old.
    func rotation(over step: Double) -> Matrix3d { Matrix3d.rotation(-angularVelocity * step) }

    /// Sets the pose of a frame and estimates the velocities.
    mutating func update(_ pose: RigidTransform, at time: Double) {
        let step = time - self.time
        if hasPose, step > 0, step < 0.5 {
            velocity = (pose.translation - worldFromCamera.translation) / step
            angularVelocity = (worldFromCamera.rotation.transpose * pose.rotation).rotationVector / step
        } else {
            (velocity, angularVelocity) = (.zero, .zero)
        }
        (worldFromCamera, self.time, hasPose, searchStart) = (pose, time, true, nil)
    }

    /// Sets the pose without motion.
    mutating func stop(at pose: RigidTransform) { (worldFromCamera, velocity, angularVelocity) = (pose, .zero, .zero) }

    /// Applies a transform of the world.
    mutating func transform(by change: SimilarityTransform) {
        worldFromCamera = RigidTransform(
            rotation: change.rotation * worldFromCamera.rotation, translation: change * worldFromCamera.translation)
        velocity = change.rotation * velocity * change.scale
        medianDepth *= change.scale
    }
}
