import Synchronization
import VitrineAR
import VitrineVision

/// A source with scripted events.
final class ScriptedSource: SensorSource {
    enum Step: Sendable {
        case event(SensorEvent)
        case fail(String)
    }

    let rig: SensorRig
    let isLive: Bool
    private let steps: [Step]
    private let position = Mutex(0)
    /// The number of calls of `rewind()`.
    private let rewindCount = Mutex(0)

    init(_ steps: [Step], rig: SensorRig = .scripted, isLive: Bool = false) { (self.steps, self.rig, self.isLive) = (steps, rig, isLive) }

    /// One image per time.
    convenience init(times: [Double], rig: SensorRig = .scripted, isLive: Bool = false) {
        self.init(times.map { .event(.image(.scripted($0))) }, rig: rig, isLive: isLive)
    }

    var rewinds: Int { rewindCount.withLock { $0 } }
    var problems: SourceProblems { SourceProblems() }
    /// The calls: "start" and "stop".
    let calls = Mutex<[String]>([])

    func start() async throws { calls.withLock { $0.append("start") } }
    func stop() async { calls.withLock { $0.append("stop") } }

    func next() async throws -> SensorEvent? {
        let step = position.withLock { position -> Step? in
            guard position < steps.count else { return nil }
            defer { position += 1 }
            return steps[position]
        }
        switch step {
        case .event(let event): return event
        case .fail(let reason): throw SourceError.broken(reason)
        case nil: return nil
        }
    }

    func rewind() async throws {
        if isLive { throw SourceError.cannotRewind }
        position.withLock { $0 = 0 }
        rewindCount.withLock { $0 += 1 }
    }
}

extension ScriptedSource.Step {
    static func image(_ time: Double, worldFromCamera: RigidTransform? = nil) -> Self {
        .event(.image(.scripted(time, worldFromCamera: worldFromCamera)))
    }
    static func inertial(_ time: Double) -> Self {
        .event(.inertial(InertialSample(time: time, angularVelocity: .zero, acceleration: Vector3d(0, 9.81, 0))))
    }
    static let interruptionBegan = Self.event(.interruptionBegan)
    static let interruptionEnded = Self.event(.interruptionEnded)
}

extension SensorRig {
    /// 8 × 6 pixels with a vertical field of view of 90°.
    static let scripted = SensorRig(camera: CameraIntrinsics(width: 8, height: 6, verticalFieldOfView: .pi / 2))
}

extension CameraSample {
    static func scripted(_ time: Double, width: Int = 8, height: Int = 6, worldFromCamera: RigidTransform? = nil) -> CameraSample {
        CameraSample(
            time: time, image: CapturedImage(luma: Plane(width: width, height: height, repeating: 128)), worldFromCamera: worldFromCamera)
    }
}

/// A live camera whose events a test sends.
final class LiveSource: SensorSource {
    let rig = SensorRig.scripted
    let isLive = true
    private let state = Mutex<(events: [SensorEvent], waiting: CheckedContinuation<SensorEvent?, Never>?, isOver: Bool)>(([], nil, false))

    var problems: SourceProblems { SourceProblems() }

    func send(_ event: SensorEvent) {
        let waiting = state.withLock { state in
            if state.waiting == nil { state.events.append(event) }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: event)
    }

    func finish() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }

    func next() async throws -> SensorEvent? {
        await withCheckedContinuation { (continuation: CheckedContinuation<SensorEvent?, Never>) in
            let answer = state.withLock { state -> SensorEvent?? in
                if !state.events.isEmpty { return state.events.removeFirst() }
                if state.isOver { return .some(nil) }
                state.waiting = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    func rewind() async throws { throw SourceError.cannotRewind }
}
