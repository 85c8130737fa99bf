import VitrineMath
import VitrineVision

/// A raycast that is made anew with every frame, until it is stopped or nobody holds it.
public final class ARTrackedRaycast: Sendable {
    private let shared: SessionShared
    private let key: Int

    init(shared: SessionShared, key: Int) { (self.shared, self.key) = (shared, key) }
    deinit { stopTracking() }

    public func stopTracking() { shared.state.withLock { state in state.raycasts.removeAll { $0.key == key } } }
}

/// A tracked raycast, and what it found last.
struct TrackedRaycastEntry: Sendable {
    let key: Int
    var query: ARRaycastQuery
    var results: [ARRaycastResult]
    let handler: @MainActor @Sendable ([ARRaycastResult]) -> Void
}

/// What a tracked raycast has to tell.
struct RaycastDelivery: Sendable {
    let results: [ARRaycastResult]
    let handler: @MainActor @Sendable ([ARRaycastResult]) -> Void
}

extension ARSession {
    /// What a ray meets in the newest frame, nearest first; nothing before the first frame.
    public func raycast(_ query: ARRaycastQuery) -> [ARRaycastResult] { currentFrame?.raycast(query) ?? [] }

    /// Makes a raycast anew with every frame.
    ///
    /// - Parameter updateHandler: Called on the main actor after the delegate, whenever the results differ from those before.
    /// - Returns: What stops it; it also stops when nobody holds it. nil where the session isn't running.
    public func trackedRaycast(
        _ query: ARRaycastQuery, updateHandler: @escaping @MainActor @Sendable ([ARRaycastResult]) -> Void
    ) -> ARTrackedRaycast? {
        shared.state.withLock { state in
            guard state.isRunning else { return nil }
            state.lastRaycast += 1
            state.raycasts.append(TrackedRaycastEntry(key: state.lastRaycast, query: query, results: [], handler: updateHandler))
            return ARTrackedRaycast(shared: shared, key: state.lastRaycast)
        }
    }
}

extension SessionShared {
    var hasDelegate: Bool { state.withLock { $0.delegate != nil } }
    var currentFrame: ARFrame? { state.withLock { $0.frame } }

    /// Casts them all; those whose results changed.
    func castTrackedRaycasts(in frame: ARFrame) -> [RaycastDelivery] {
        let entries = state.withLock { $0.raycasts }
        var deliveries: [RaycastDelivery] = []
        for entry in entries {
            let results = frame.raycast(entry.query)
            guard results != entry.results else { continue }
            deliveries.append(RaycastDelivery(results: results, handler: entry.handler))
            state.withLock { state in
                guard let place = state.raycasts.firstIndex(where: { $0.key == entry.key }) else { return }
                state.raycasts[place].results = results
            }
        }
        return deliveries
    }

    /// The rays keep their places in the room while the world's origin moves.
    func moveRaycasts(by move: RigidTransform) {
        let matrix = Matrix4(move)
        state.withLock { state in
            for place in state.raycasts.indices {
                let query = state.raycasts[place].query
                state.raycasts[place].query = ARRaycastQuery(
                    origin: matrix.transform(point: query.origin), direction: matrix.transform(direction: query.direction),
                    allowing: query.target, alignment: query.targetAlignment)
            }
        }
    }
}
