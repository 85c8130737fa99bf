import VitrineMath

/// A raycast that the session repeats with every frame until it is stopped or released.
public final class ARTrackedRaycast: Sendable {
    private let state: SessionState
    private let key: Int

    init(_ state: SessionState, key: Int) { (self.state, self.key) = (state, key) }
    deinit { stopTracking() }

    /// Stops the raycast: its update handler is not called again.
    public func stopTracking() { state.removeRaycast(key) }
}

extension ARSession {
    /// Casts a ray into the newest frame.
    ///
    /// - Returns: The hits, nearest first; empty before the first frame.
    public func raycast(_ query: ARRaycastQuery) -> [ARRaycastResult] { currentFrame?.raycast(query) ?? [] }

    /// Repeats a raycast with every frame. A query for estimated surfaces moves on to a detected plane, once there is one within 30 % of the
    /// estimated distance.
    ///
    /// - Parameter updateHandler: Called on the main actor after the delegate whenever the results change.
    /// - Returns: The raycast, which stops when it is released; nil if the session is not running.
    public func trackedRaycast(
        _ query: ARRaycastQuery, updateHandler: @escaping @MainActor @Sendable ([ARRaycastResult]) -> Void
    ) -> ARTrackedRaycast? {
        state.addRaycast(query, updateHandler).map { ARTrackedRaycast(state, key: $0) }
    }
}
