import Synchronization
import VitrineAR
import VitrineMapping
import VitrineVision

/// A tracker with scripted results that logs its input.
final class ScriptedTracker: Tracker {
    /// The calls of trackers, from any task.
    final class Log: Sendable {
        private let entries = Mutex<[String]>([])
        func add(_ entry: String) { entries.withLock { $0.append(entry) } }
        var all: [String] { entries.withLock { $0 } }
        func count(_ entry: String) -> Int { all.filter { $0 == entry }.count }
    }

    /// The result by the number of the image since the tracker was made, starting at 0, and its time.
    typealias Script = @Sendable (Int, Double) -> TrackingResult

    private let script: Script
    private let log: Log
    private var imageCount = 0

    init(_ log: Log, _ script: @escaping Script) { (self.log, self.script) = (log, script) }

    func add(_ sample: InertialSample) { log.add("inertial \(sample.time)") }

    func track(_ image: Plane<UInt8>, time: Double) -> TrackingResult {
        defer { imageCount += 1 }
        log.add("image \(time)")
        return script(imageCount, time)
    }

    func reset() { log.add("reset") }
    func interrupt() { log.add("interrupt") }
}

/// A tracker whose map always has one keyframe.
final class ScriptedMappingTracker: MappingTracker {
    private let tracker: ScriptedTracker
    private let log: ScriptedTracker.Log

    init(_ log: ScriptedTracker.Log, _ script: @escaping ScriptedTracker.Script) {
        (self.log, tracker) = (log, ScriptedTracker(log, script))
    }

    var landmarkMap: LandmarkMap { .oneView }
    var mappingStatus: MappingStatus { .mapped }

    func add(_ sample: InertialSample) { tracker.add(sample) }
    func track(_ image: Plane<UInt8>, time: Double) -> TrackingResult { tracker.track(image, time: time) }
    func reset() { tracker.reset() }
    func interrupt() { tracker.interrupt() }
    func relocalize(in map: LandmarkMap) { log.add("relocalize \(map.keyframeCount)") }
}

extension LandmarkMap {
    /// A keyframe at the origin without landmarks.
    static var oneView: LandmarkMap {
        var bytes: [UInt8] = Array("VPLC".utf8) + [3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
        for k in 0..<12 { bytes += k % 4 == 0 && k < 9 ? [0, 0, 0, 0, 0, 0, 0xF0, 0x3F] : [UInt8](repeating: 0, count: 8) }
        // A depth of 1 m; no corners, no descriptors.
        bytes += [0, 0, 0, 0, 0, 0, 0xF0, 0x3F] + [UInt8](repeating: 0, count: 8)
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        for k in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: ~sum >> UInt32(8 * k))) }
        return try! LandmarkMap(encoded: bytes)
    }
}

extension TrackingMethod {
    static func mapping(
        _ log: ScriptedTracker.Log = ScriptedTracker.Log(), _ script: @escaping ScriptedTracker.Script
    ) -> TrackingMethod { .custom(CustomTracker(name: "mapping") { _ in ScriptedMappingTracker(log, script) }) }

    static func scripted(
        _ log: ScriptedTracker.Log = ScriptedTracker.Log(), name: String = "scripted", _ script: @escaping ScriptedTracker.Script
    ) -> TrackingMethod {
        .custom(
            CustomTracker(name: name) { _ in
                log.add("made")
                return ScriptedTracker(log, script)
            })
    }

    /// Moves at 1 m/s along x, with constant orientation.
    static let walking = TrackingMethod.scripted { _, time in .at(time, Vector3d(time, 0, 0)) }
}

extension TrackingResult {
    /// The pose of a camera that looks along −Z of the world.
    static func at(
        _ time: Double, _ position: Vector3d = .zero, _ state: TrackingState = .normal, points: [TrackedPoint] = []
    ) -> TrackingResult {
        TrackingResult(
            time: time, state: state, worldFromCamera: RigidTransform(rotation: .lookingAhead, translation: position), points: points,
            rig: .scripted)
    }
}

extension Matrix3d {
    /// x right, y down, z forward in a world with +Y up; looks along −Z.
    static let lookingAhead = Matrix3d(Vector3d(1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, -1))
}

extension ARWorldTrackingConfiguration {
    static let walking = ARWorldTrackingConfiguration(isLightEstimationEnabled: false, tracking: .walking)
}
