import Synchronization
import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Tracks a camera and keeps anchors in place.
///
/// The same code runs on a camera, a recording and a simulated room: only the source differs.
///
/// ```swift
/// let session = ARSession(source: source, pace: .stepped)
/// session.run(ARWorldTrackingConfiguration(planeDetection: [.horizontal]))
/// for try await frame in session.frames {
///     print(frame.timestamp, frame.camera.transform.translation)
/// }
/// ```
///
/// Call all methods from any task; they take effect with the next frame. Tracking runs off the main actor; the session calls its delegate on
/// the main actor.
public final class ARSession: Sendable {
    /// The speed at which a session reads a recording. A live source has its own pace, but `.stepped` applies to it as well.
    public enum Pace: String, Equatable, Sendable, CaseIterable {
        /// The pace of the recording, like a camera. A slower tracker or reader slows playback; no frame is lost.
        case realTime
        /// The session delivers frames as fast as tracking, the delegate and the readers of frames allow.
        case unpaced
        /// The session delivers one frame for each call of `step()` and for each frame requested from `frames`.
        case stepped
    }

    /// Changes of the existing session by `run`.
    public struct RunOptions: OptionSet, Hashable, Sendable {
        public let rawValue: UInt

        /// Creates options of their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Restarts tracking with a new origin, without the mesh and the image anchors of the old world.
        public static let resetTracking = RunOptions(rawValue: 1)
        /// Removes all anchors and detected planes.
        public static let removeExistingAnchors = RunOptions(rawValue: 2)
        /// Stops all tracked raycasts.
        public static let stopTrackedRaycasts = RunOptions(rawValue: 4)
        /// Removes the mesh and starts its reconstruction over.
        public static let resetSceneReconstruction = RunOptions(rawValue: 8)
    }

    /// Identifies the session.
    public let identifier = UUID()
    /// The source of images and inertial samples.
    public let source: any SensorSource
    /// The speed at which the session reads a recording.
    public let pace: Pace
    let state = SessionState()
    private let engine: SessionEngine

    /// Creates a session that is not running yet.
    ///
    /// - Parameters:
    ///   - source: A camera, a recording or a simulated room. Do not use it in another session at the same time.
    ///   - pace: The pace at which the session reads a recording. Default `.realTime`.
    public init(source: any SensorSource, pace: Pace = .realTime) {
        (self.source, self.pace) = (source, pace)
        engine = SessionEngine(source: source, pace: pace, state: state)
    }

    deinit { pause() }

    /// Receives the session's events on the main actor. Held weakly.
    public var delegate: (any ARSessionDelegate)? {
        get { state.snapshot.delegate }
        set { state.setDelegate(newValue) }
    }

    /// The configuration of the last `run`; nil before the first.
    public var configuration: (any ARConfiguration)? { state.snapshot.configuration }

    /// The newest frame; nil before the first. A pause keeps it.
    public var currentFrame: ARFrame? { state.snapshot.frame }

    /// The processing times of the newest frame; zero before the first.
    package var frameTimings: ARFrameTimings { state.snapshot.timings }

    /// Whether the session runs, even if the source delivers nothing at present.
    public var isRunning: Bool { state.snapshot.isRunning }

    /// Camera samples that the session skipped: times that do not increase, invalid poses. `source.problems` has the source's own.
    public var problems: SourceProblems { state.snapshot.problems }

    /// Starts the session, resumes it after a pause, or changes its configuration while it runs.
    ///
    /// Without options, tracking continues; with another tracking method it restarts. The session fails if the device does not support the
    /// configuration: see `isSupported(by:)`. At the end of a recording, `run` rewinds it and restarts tracking.
    public func run(_ configuration: any ARConfiguration, options: RunOptions = []) {
        guard let epoch = state.run(configuration, options), pace != .stepped else { return }
        // Retains the session only while a frame is made: an unreferenced session ends.
        Task(priority: .userInitiated) { [engine, weak self] in while await engine.nextFrame(epoch: epoch, for: self) != nil {} }
    }

    /// Pauses the session: it delivers no frame once this method has returned, and the frame sequences end. `run` resumes with the next frame of
    /// a recording.
    public func pause() {
        state.stop()
        Task { [engine] in await engine.stopSourceIfPaused() }
    }

    /// Adds an anchor with the next frame; replaces one with the same identifier.
    ///
    /// - Throws: `ARError` with `.invalidValue` if the transform is not finite or not invertible.
    public func add(anchor: ARAnchor) throws(ARError) {
        try TransformCheck.requireInvertible(anchor.transform)
        state.enqueue(.add(anchor))
    }

    /// Removes the anchor with the same identifier with the next frame, also a detected plane. Ignores an unknown identifier.
    public func remove(anchor: ARAnchor) { state.enqueue(.remove(anchor.identifier)) }

    /// Moves the world origin with the next frame: camera, anchors, feature points and tracked raycasts are expressed in the new frame of
    /// reference from then on, and the session reports all anchors as updated.
    ///
    /// - Parameter relativeTransform: The pose of the new origin in the present world: a rotation and a translation.
    /// - Throws: `ARError` with `.invalidValue` if the transform is not finite or not rigid.
    public func setWorldOrigin(relativeTransform: Matrix4) throws(ARError) {
        let rigid = try TransformCheck.rigid(relativeTransform)
        state.enqueue(.moveOrigin(rigid))
    }

    /// The world map of the session so far.
    ///
    /// - Throws: `ARError` with `.insufficientFeatures` if nothing is mapped yet.
    public func getCurrentWorldMap() async throws(ARError) -> ARWorldMap { try await engine.worldMap() }
}

extension ARSession {
    /// Produces the next frame of a session with pace `.stepped`: reads the source up to its next usable image, and returns after the delegate
    /// was called.
    ///
    /// - Returns: nil if the session is paused or the recording is at its end.
    /// - Throws: The `ARError` of a failed session; `.requestFailed` if the session was never run or has another pace.
    public func step() async throws(ARError) -> ARFrame? {
        guard pace == .stepped else {
            throw ARError(.requestFailed, "the session runs by itself: use pace .stepped to call step()")
        }
        let snapshot = state.snapshot
        guard snapshot.configuration != nil else {
            throw ARError(.requestFailed, "the session was never run: call run(_:options:) first")
        }
        let frame = snapshot.isRunning ? await engine.nextFrame(epoch: snapshot.epoch, for: self) : nil
        if frame == nil, let failure = state.snapshot.failure { throw failure }
        return frame
    }

    /// The frames of one run as an asynchronous sequence. It ends when the session pauses or its recording ends, and throws the error of a failed
    /// session.
    ///
    /// A recording loses no frame: the session waits until each reader has taken the previous one. A live camera's reader gets the newest frame.
    /// With pace `.stepped`, each requested frame performs a step.
    public var frames: some AsyncSequence<ARFrame, ARError> & Sendable { FrameSequence(session: self) }
}

/// The frames of one run: see `ARSession.frames`.
private struct FrameSequence: AsyncSequence, Sendable {
    let session: ARSession

    func makeAsyncIterator() -> Iterator { Iterator(session) }

    struct Iterator: AsyncIteratorProtocol {
        private enum Source {
            case steps(ARSession)
            case broadcast(FrameReader)
        }

        private let source: Source

        init(_ session: ARSession) {
            // A reader does not retain its session: an unreferenced session ends.
            source = session.pace == .stepped ? .steps(session) : .broadcast(FrameReader(session.state.broadcast))
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(ARError) -> ARFrame? {
            switch source {
            case .steps(let session): try await session.step()
            case .broadcast(let reader): try await reader.next()
            }
        }

        mutating func next() async throws(ARError) -> ARFrame? { try await next(isolation: nil) }
    }
}

/// A reader of the frame broadcast; unregisters when it is released.
private final class FrameReader: Sendable {
    private let broadcast: FrameBroadcast
    private let key: Int

    init(_ broadcast: FrameBroadcast) {
        self.broadcast = broadcast
        key = broadcast.register()
    }

    deinit { broadcast.unregister(key) }

    func next() async throws(ARError) -> ARFrame? { try await broadcast.next(key) }
}
