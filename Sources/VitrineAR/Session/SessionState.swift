import Synchronization
import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request of the app that takes effect with the next frame.
enum SessionCommand: Sendable {
    case run(any ARConfiguration, ARSession.RunOptions)
    case add(ARAnchor)
    case remove(UUID)
    /// The transform from the new origin's frame to the world.
    case moveOrigin(RigidTransform)

    var isRun: Bool { if case .run = self { true } else { false } }
}

/// The state that the app's side and the tracking side of a session share.
///
/// A run is identified by its epoch: a run that has ended can neither take commands nor publish frames.
final class SessionState: Sendable {
    /// Values that the app reads.
    struct Snapshot {
        weak var delegate: (any ARSessionDelegate)?
        fileprivate(set) var configuration: (any ARConfiguration)?
        fileprivate(set) var isRunning = false
        /// The number of runs that have ended.
        fileprivate(set) var epoch = 0
        fileprivate(set) var failure: ARError?
        fileprivate(set) var frame: ARFrame?
        fileprivate(set) var timings = ARFrameTimings()
        fileprivate(set) var problems = SourceProblems()
    }

    private struct State {
        var snapshot = Snapshot()
        var commands: [SessionCommand] = []
        var raycasts: [TrackedRaycastEntry] = []
        var lastRaycast = 0

        func isCurrent(_ epoch: Int) -> Bool { snapshot.isRunning && snapshot.epoch == epoch }
    }

    private let state = Mutex(State())
    let broadcast = FrameBroadcast()

    var snapshot: Snapshot { state.withLock { $0.snapshot } }

    func setDelegate(_ delegate: (any ARSessionDelegate)?) { state.withLock { $0.snapshot.delegate = delegate } }

    func report(_ problem: String) { state.withLock { $0.snapshot.problems.add(problem) } }

    // MARK: Runs

    /// Starts a run, or reconfigures the current one.
    ///
    /// - Returns: The epoch of a run that must be started; nil if one is in progress.
    func run(_ configuration: any ARConfiguration, _ options: ARSession.RunOptions) -> Int? {
        state.withLock { state in
            state.snapshot.configuration = configuration
            state.commands.append(.run(configuration, options))
            state.snapshot.failure = nil
            if options.contains(.stopTrackedRaycasts) { state.raycasts = [] }
            guard !state.snapshot.isRunning else { return nil }
            state.snapshot.isRunning = true
            broadcast.open()
            return state.snapshot.epoch
        }
    }

    func isCurrent(_ epoch: Int) -> Bool { state.withLock { $0.isCurrent(epoch) } }

    /// Makes `frame` the current one. Returns false if its run has ended.
    func publish(_ frame: ARFrame, _ timings: ARFrameTimings, epoch: Int) -> Bool {
        state.withLock { state in
            guard state.isCurrent(epoch) else { return false }
            (state.snapshot.frame, state.snapshot.timings) = (frame, timings)
            return true
        }
    }

    /// Ends a run. Returns false if it has ended already, or if a new `run` command replaces it before it fails.
    @discardableResult func stop(epoch: Int? = nil, failure: ARError? = nil) -> Bool {
        state.withLock { state in
            guard state.snapshot.isRunning, epoch == nil || state.snapshot.epoch == epoch else { return false }
            if let failure, state.commands.contains(where: \.isRun) {
                state.snapshot.problems.add("a run that was replaced before its first frame: \(failure)")
                return false
            }
            state.snapshot.isRunning = false
            state.snapshot.epoch += 1
            state.snapshot.failure = failure
            broadcast.finish(failure.map { .failure($0) } ?? .success(nil))
            return true
        }
    }

    // MARK: Commands

    func enqueue(_ command: SessionCommand) { state.withLock { $0.commands.append(command) } }

    /// Returns and clears the pending commands; nil if the run has ended: they belong to the next one.
    func takeCommands(epoch: Int) -> [SessionCommand]? {
        state.withLock { state in
            guard state.isCurrent(epoch) else { return nil }
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Returns commands that were not applied to the front of the queue.
    func requeue(_ commands: ArraySlice<SessionCommand>) { state.withLock { $0.commands.insert(contentsOf: commands, at: 0) } }

    // MARK: Tracked raycasts

    /// Adds a tracked raycast. Returns its key; nil if the session is not running.
    func addRaycast(
        _ query: ARRaycastQuery, _ handler: @escaping @MainActor @Sendable ([ARRaycastResult]) -> Void
    ) -> Int? {
        state.withLock { state in
            guard state.snapshot.isRunning else { return nil }
            state.lastRaycast += 1
            state.raycasts.append(TrackedRaycastEntry(key: state.lastRaycast, query: query, results: [], handler: handler))
            return state.lastRaycast
        }
    }

    func removeRaycast(_ key: Int) { state.withLock { state in state.raycasts.removeAll { $0.key == key } } }

    /// Repeats all tracked raycasts in a frame. Returns those whose results changed.
    func castTrackedRaycasts(in frame: ARFrame) -> [RaycastDelivery] {
        let entries = state.withLock { $0.raycasts }
        var deliveries: [RaycastDelivery] = []
        for entry in entries {
            let results = frame.trackedRaycast(entry.query)
            guard results != entry.results else { continue }
            deliveries.append(RaycastDelivery(results: results, handler: entry.handler))
            state.withLock { state in
                guard let index = state.raycasts.firstIndex(where: { $0.key == entry.key }) else { return }
                state.raycasts[index].results = results
            }
        }
        return deliveries
    }

    /// Transforms the rays with the world, so that they stay fixed in the room when the origin moves.
    func transformRaycasts(by move: RigidTransform) {
        let matrix = Matrix4(move)
        state.withLock { state in
            for index in state.raycasts.indices {
                let query = state.raycasts[index].query
                state.raycasts[index].query = ARRaycastQuery(
                    origin: matrix.transform(point: query.origin), direction: matrix.transform(direction: query.direction),
                    allowing: query.target, alignment: query.targetAlignment)
            }
        }
    }
}

/// A tracked raycast with its last results.
private struct TrackedRaycastEntry: Sendable {
    let key: Int
    var query: ARRaycastQuery
    var results: [ARRaycastResult]
    let handler: @MainActor @Sendable ([ARRaycastResult]) -> Void
}

/// Changed results of a tracked raycast.
struct RaycastDelivery: Sendable {
    let results: [ARRaycastResult]
    let handler: @MainActor @Sendable ([ARRaycastResult]) -> Void
}
