import Synchronization
import VitrineMath
import VitrineVision

/// Follows a camera through the world, and keeps what is put there in its place.
///
/// The same code runs over a camera, a recording and a simulated room: what differs is the source that the session is made with.
///
/// ```swift
/// let session = ARSession(source: source, pace: .stepped)
/// session.run(ARWorldTrackingConfiguration(planeDetection: [.horizontal]))
/// for try await frame in session.frames {
///     print(frame.timestamp, frame.camera.transform.translation)
/// }
/// ```
///
/// All of it may be called from any task: what is asked for takes effect on the next frame. Tracking runs beside the main actor, on which the
/// delegate is called.
public final class ARSession: Sendable {
    /// How fast a recording is read. A live source has its own pace; `.stepped` applies to it too.
    public enum Pace: String, Equatable, Sendable, CaseIterable {
        /// As it was recorded, like a camera; slower where tracking or a reader is slower, but no frame is lost.
        case realTime
        /// As fast as tracking, delegate and readers go.
        case unpaced
        /// A frame for each call of `step`, and for each frame that is asked of `frames`: nothing happens by itself.
        case stepped
    }

    /// What `run` does to what was there before.
    public struct RunOptions: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Tracking begins anew, with a new origin.
        public static let resetTracking = RunOptions(rawValue: 1)
        public static let removeExistingAnchors = RunOptions(rawValue: 2)
        public static let stopTrackedRaycasts = RunOptions(rawValue: 4)
    }

    /// Where pictures and inertial samples come from.
    public let source: any SensorSource
    public let pace: Pace
    let shared = SessionShared()
    let engine: SessionEngine

    /// - Parameters:
    ///   - source: A camera, a recording or a simulated room. No other session may read it at the same time.
    ///   - pace: How fast a recording is read.
    public init(source: any SensorSource, pace: Pace = .realTime) {
        (self.source, self.pace) = (source, pace)
        engine = SessionEngine(source: source, pace: pace, shared: shared)
    }

    deinit { pause() }

    /// Told what happens, on the main actor; kept weakly.
    public var delegate: (any ARSessionDelegate)? {
        get { shared.state.withLock { $0.delegate } }
        set { shared.state.withLock { $0.delegate = newValue } }
    }

    /// What was run last.
    public var configuration: (any ARConfiguration)? { shared.state.withLock { $0.configuration } }

    /// The newest frame; nil before the first. It stays through a pause.
    public var currentFrame: ARFrame? { shared.state.withLock { $0.frame } }

    /// What making the newest frame took; zero before the first.
    public var frameTimes: ARFrameTimes { shared.state.withLock { $0.times } }

    /// Whether frames come, or would if there were any.
    public var isRunning: Bool { shared.state.withLock { $0.isRunning } }

    /// What was passed over instead of giving up: pictures whose time doesn't rise, poses that aren't finite. `source.problems` has the source's own.
    public var problems: SourceProblems { shared.state.withLock { $0.problems } }

    /// Begins, goes on after a pause, or changes what is done while running.
    ///
    /// Without options, tracking goes on where it was; the kind of tracking changing, it begins anew. What a device can't do fails the session:
    /// see `isSupported(by:)`. After a recording's end this begins again at its beginning, with tracking anew.
    public func run(_ configuration: any ARConfiguration, options: RunOptions = []) {
        let started = shared.state.withLock { state -> Int? in
            state.configuration = configuration
            state.commands.append(.run(configuration, options))
            state.failure = nil
            if options.contains(.stopTrackedRaycasts) { state.raycasts = [] }
            guard !state.isRunning else { return nil }
            state.isRunning = true
            shared.broadcast.open()
            return state.epoch
        }
        guard let started, pace != .stepped else { return }
        // Holds the session only while a frame is made: one that nobody else holds ends.
        Task(priority: .userInitiated) { [engine, weak self] in while await engine.frame(epoch: started, for: self) != nil {} }
    }

    /// No frame is delivered once this has returned, and the frames' sequences end. `run` goes on: a recording with the picture that would
    /// have been next.
    public func pause() {
        shared.stop()
        Task { [engine] in await engine.rest() }
    }

    /// Adds an anchor with the next frame. One that is there already is replaced.
    ///
    /// - Throws: `ARError` with `.invalidValue` for a transform that isn't finite or has no volume.
    public func add(anchor: ARAnchor) throws(ARError) {
        try TransformCheck.requirePlace(anchor.transform)
        shared.state.withLock { $0.commands.append(.add(anchor)) }
    }

    /// Removes the anchor with the same identifier with the next frame, also one that was found by the session. One that isn't there is no error.
    public func remove(anchor: ARAnchor) {
        shared.state.withLock { $0.commands.append(.remove(anchor.identifier)) }
    }

    /// Moves the world's origin with the next frame: camera, anchors, points and tracked raycasts are told in the new frame from then on, and
    /// every anchor is reported as updated.
    ///
    /// - Parameter relativeTransform: Where the new origin lies in the present world: a turn and a move.
    /// - Throws: `ARError` with `.invalidValue` for a transform that isn't finite and rigid.
    public func setWorldOrigin(relativeTransform: Matrix4) throws(ARError) {
        let rigid = try TransformCheck.rigid(relativeTransform)
        shared.state.withLock { $0.commands.append(.moveOrigin(rigid)) }
    }
}

extension ARSession {
    /// What is known of the place so far.
    ///
    /// - Throws: `ARError` with `.insufficientFeatures` where that is nothing.
    public func getCurrentWorldMap() async throws(ARError) -> ARWorldMap { try await engine.worldMap() }
}
