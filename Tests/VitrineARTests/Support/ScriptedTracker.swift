import Synchronization
import VitrineAR
import VitrineVision

/// A tracker that says what a test wrote down, and what it was fed.
final class ScriptedTracker: Tracker {
    /// What trackers were told, whatever task they worked on.
    final class Log: Sendable {
        private let entries = Mutex<[String]>([])
        func add(_ entry: String) { entries.withLock { $0.append(entry) } }
        var all: [String] { entries.withLock { $0 } }
        func count(_ entry: String) -> Int { all.filter { $0 == entry }.count }
    }

    /// The number of the picture since the tracker was made, from 0, and its time.
    typealias Script = @Sendable (Int, Double) -> TrackingResult

    private let script: Script
    private let log: Log
    private var pictures = 0

    init(_ log: Log, _ script: @escaping Script) { (self.log, self.script) = (log, script) }

    func add(_ sample: InertialSample) { log.add("inertial \(sample.time)") }

    func track(_ image: TrackingImage, time: Double) -> TrackingResult {
        defer { pictures += 1 }
        log.add("picture \(time)")
        return script(pictures, time)
    }

    func reset() { log.add("reset") }
}

extension ARTracking {
    static func scripted(
        _ log: ScriptedTracker.Log = ScriptedTracker.Log(), name: String = "scripted", _ script: @escaping ScriptedTracker.Script
    ) -> ARTracking {
        .custom(
            ARTrackerMaker(name: name) { _ in
                log.add("made")
                return ScriptedTracker(log, script)
            })
    }

    /// Moves a metre a second along x, from the start's orientation.
    static let walking = ARTracking.scripted { _, time in .at(time, Vector3d(time, 0, 0)) }
}

extension TrackingResult {
    /// A camera that looks along the world's −Z.
    static func at(
        _ time: Double, _ position: Vector3d = .zero, _ state: TrackingState = .normal, points: [TrackedPoint] = []
    ) -> TrackingResult {
        TrackingResult(
            time: time, state: state, worldFromCamera: RigidTransform(rotation: .lookingAhead, translation: position), points: points,
            rig: .scripted)
    }
}

extension Matrix3d {
    /// x right, y down, z forward, in a world with +Y up, looking along −Z.
    static let lookingAhead = Matrix3d(Vector3d(1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, -1))
}

extension ARWorldTrackingConfiguration {
    static let walking = ARWorldTrackingConfiguration(isLightEstimationEnabled: false, tracking: .walking)
}
