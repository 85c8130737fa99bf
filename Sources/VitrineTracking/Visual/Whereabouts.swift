import VitrineMath
import VitrineVision

/// Where the camera is, how it moves, and how far that can be believed.
struct Whereabouts: Sendable {
    /// Before anything is known: at the origin, looking along −Z, its top up.
    var worldFromCamera = RigidTransform(
        rotation: Matrix3d(Vector3d(1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, -1)), translation: .zero)
    /// m/s in the world; rad/s about the camera's axes.
    var velocity = Vector3d.zero
    var rate = Vector3d.zero
    /// On the camera's clock: of the newest picture whose pose was found.
    var time = -Double.infinity
    /// Whether the newest picture's was.
    var isFound = false
    /// Of the newest one that known points hold.
    var heldAt = -Double.infinity
    /// Whether few points hold it.
    var isPoor = true
    /// Whether the map is there, but not where in it.
    var isLost = false
    /// Whether a new map is being begun after one was given up.
    var isRelocalizing = false
    /// Whether a pose was ever believed.
    var wasKnown = false
    /// The median depth of what is seen, in the map's unit.
    var depth = 1.0
    /// Since when pictures have shown something, but nothing known.
    var searchBegan: Double?

    /// The pose at a later time, by the motion so far.
    func predicted(_ time: Double, longest: Double) -> RigidTransform {
        let step = min(max(0, time - self.time), longest)
        guard step.isFinite, step > 0 else { return worldFromCamera }
        return RigidTransform(
            rotation: worldFromCamera.rotation * Matrix3d.rotation(rate * step), translation: worldFromCamera.translation + velocity * step)
    }

    /// The later camera from the present one.
    func turn(in step: Double) -> Matrix3d { Matrix3d.rotation(-rate * step) }

    mutating func find(_ pose: RigidTransform, at time: Double) {
        let step = time - self.time
        if isFound, step > 0, step < 0.5 {
            velocity = (pose.translation - worldFromCamera.translation) / step
            rate = (worldFromCamera.rotation.transpose * pose.rotation).rotationVector / step
        } else {
            (velocity, rate) = (.zero, .zero)
        }
        (worldFromCamera, self.time, isFound, searchBegan) = (pose, time, true, nil)
    }

    /// The world moved; the camera with it.
    mutating func transform(by change: SimilarityTransform) {
        worldFromCamera = RigidTransform(
            rotation: change.rotation * worldFromCamera.rotation, translation: change * worldFromCamera.translation)
        velocity = change.rotation * velocity * change.scale
        depth *= change.scale
    }
}
