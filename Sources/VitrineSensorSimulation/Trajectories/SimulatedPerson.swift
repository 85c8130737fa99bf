import Synchronization
import VitrineMath
import VitrineVision

/// A person with a device whose walk grows as far as it is needed, and who hears the feedback of a capture in the meantime.
///
/// The trajectory is exact at each time at which it was requested: later feedback does not change it.
package final class SimulatedPerson: Sendable {
    private struct State {
        var walk: GuidedWalk
        var spline: TrajectorySpline
    }

    private let state: Mutex<State>
    private let cameraFromBody: RigidTransform
    /// The seconds after which the walk ends in any case.
    package let timeLimit: Double

    /// Creates a person at the start of a walk.
    ///
    /// - Parameter cameraFromBody: The camera on the device's body, whose trajectory the person's is. Default: the camera itself.
    package init(_ walk: GuidedWalk, cameraFromBody: RigidTransform = .identity) {
        var walk = walk
        let first = (0...TrajectorySpline.degree).map { _ in walk.next() * cameraFromBody }
        let spline = TrajectorySpline(start: 0, spacing: GuidedWalk.interval, following: first)
        state = Mutex(State(walk: walk, spline: spline))
        (self.cameraFromBody, timeLimit) = (cameraFromBody, walk.timeLimit)
    }

    /// The trajectory of the body so far.
    package var spline: TrajectorySpline { state.withLock { $0.spline } }

    /// Reports feedback to the person; the reaction follows after the walk's reaction time.
    ///
    /// - Parameter time: The time of the frame that the guidance belongs to, seconds, increasing.
    package func hear(_ guidance: GuidedWalk.Guidance, at time: Double) { state.withLock { $0.walk.hear(guidance, at: time) } }

    /// Walks on until the trajectory is defined at a time.
    ///
    /// - Returns: The trajectory of the body; it ends earlier if the walk does.
    package func walk(until time: Double) -> TrajectorySpline {
        state.withLock { state in
            while state.spline.end < time, !state.walk.isFinished { state.spline.append(state.walk.next() * cameraFromBody) }
            return state.spline
        }
    }
}
