import Synchronization
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an app asked for, to be done with the next picture.
enum SessionCommand: Sendable {
    case run(any ARConfiguration, ARSession.RunOptions)
    case add(ARAnchor)
    case remove(UUID)
    /// From the new origin's frame to the world's.
    case moveOrigin(RigidTransform)

    var isRun: Bool { if case .run = self { true } else { false } }
}

/// What the app's side and the tracking side of a session share.
final class SessionShared: Sendable {
    struct State {
        weak var delegate: (any ARSessionDelegate)?
        var configuration: (any ARConfiguration)?
        var isRunning = false
        /// Counts the ends of runs: what was begun in an earlier one isn't delivered any more.
        var epoch = 0
        var failure: ARError?
        var commands: [SessionCommand] = []
        var frame: ARFrame?
        var times = ARFrameTimes()
        var raycasts: [TrackedRaycastEntry] = []
        var lastRaycast = 0
        var problems = SourceProblems()
    }

    let state = Mutex(State())
    let broadcast = FrameBroadcast()

    func isCurrent(_ epoch: Int) -> Bool { state.withLock { $0.isRunning && $0.epoch == epoch } }

    /// nil where the run is over: what was asked for then belongs to the next one.
    func takeCommands(epoch: Int) -> [SessionCommand]? {
        state.withLock { state in
            guard state.isRunning, state.epoch == epoch else { return nil }
            defer { state.commands = [] }
            return state.commands
        }
    }

    func putBack(_ commands: ArraySlice<SessionCommand>) { state.withLock { $0.commands.insert(contentsOf: commands, at: 0) } }

    /// Makes `frame` the current one, unless the run that it belongs to is over.
    func publish(_ frame: ARFrame, _ times: ARFrameTimes, epoch: Int) -> Bool {
        state.withLock { state in
            guard state.isRunning, state.epoch == epoch else { return false }
            (state.frame, state.times) = (frame, times)
            return true
        }
    }

    /// Ends a run; false where it was over already, or is replaced before it could fail.
    @discardableResult func stop(epoch: Int? = nil, failure: ARError? = nil) -> Bool {
        state.withLock { state in
            guard state.isRunning, epoch == nil || state.epoch == epoch else { return false }
            if let failure, state.commands.contains(where: \.isRun) {
                state.problems.add("a run that was replaced before its first frame: \(failure)")
                return false
            }
            state.isRunning = false
            state.epoch += 1
            state.failure = failure
            broadcast.finish(failure.map { .failure($0) } ?? .success(nil))
            return true
        }
    }

    func report(_ problem: String) { state.withLock { $0.problems.add(problem) } }
}
