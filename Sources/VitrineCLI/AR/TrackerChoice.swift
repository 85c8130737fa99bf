import VitrineARView

/// Which tracker `vitrine ar track` runs.
enum TrackerChoice: String, CaseIterable {
    /// Pictures and IMU: six degrees of freedom.
    case world
    /// The IMU alone: how the camera turns.
    case orientation
    /// The poses that come with the pictures.
    case recorded

    /// What is run when nothing is said.
    static let standard = TrackerChoice.world
    static let help = """
        world, the default: six degrees of freedom from pictures and IMU; orientation: how the camera turns, from the IMU alone; recorded: the poses \
        that come with the recording.
        """

    /// What follows the camera of `rig`; nil: the recording's own poses.
    func make(_ rig: SensorRig, of file: String) throws(CommandError) -> TrackerRun? {
        if self == .recorded { return nil }
        guard rig.hasInertialUnit else {
            throw CommandError(file: file, reason: "has no IMU, which --tracker \(rawValue) goes by")
        }
        return self == .world
            ? TrackerRun(world: WorldTracker(rig: rig) { MonotonicClock.seconds }) : TrackerRun(tracker: OrientationTracker(rig: rig))
    }
}

/// A tracker, and what can be asked of it beside its results.
struct TrackerRun {
    let tracker: any Tracker
    /// Milliseconds of each stage of the newest picture.
    var stages: () -> [(name: String, milliseconds: Double)] = { [] }
    /// Lines for people, at the end.
    var notes: () -> [String] = { [] }
}

extension TrackerRun {
    init(world: WorldTracker) {
        self.init(
            tracker: world,
            stages: {
                let now = world.diagnostics
                return [("features", now.frontEndTime), ("beginning", now.startTime), ("filter", now.filterTime)]
            },
            notes: {
                let now = world.diagnostics
                let offset = (world.rig.timeOffset * 1e5).rounded() / 100
                return [
                    "began \(now.startsFromRest) times from rest, \(now.startsInMotion) times in motion, was lost \(now.losses) times"
                        + (now.lastLoss.map { ": \($0.rawValue)" } ?? ""),
                    "the camera's clock is \(offset) ms off the IMU's",
                ]
            })
    }
}
