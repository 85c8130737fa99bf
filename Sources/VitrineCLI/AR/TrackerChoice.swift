import VitrineARView

/// Which tracker `vitrine ar track` runs.
enum TrackerChoice: String, CaseIterable {
    /// The poses that come with the pictures.
    case recorded

    /// What is run when nothing is said.
    static let standard = TrackerChoice.recorded
    static let help = "recorded: the poses that come with the recording."

    /// What follows the camera of `rig`; nil: the recording's own poses.
    func make(_ rig: SensorRig) throws(UsageError) -> TrackerRun? {
        switch self {
        case .recorded: return nil
        }
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
