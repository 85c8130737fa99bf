import Synchronization

/// Keeps as many prepared photos as fit, because texturing processes the photos several times in the same order. In such a
/// cycle a least-recently-used cache never has a hit; this cache keeps the first photos and prepares the others again.
final class PreparedViewCache: Sendable {
    private struct State {
        var views: [Int: PreparedView] = [:]
        var bytes = 0
    }

    private let budget: Int
    private let state = Mutex(State())

    /// Creates an empty cache.
    ///
    /// - Parameter budget: The largest size of the cache in bytes.
    init(budget: Int) { self.budget = budget }

    /// The view, prepared by `make` unless it is in the cache. Called from several threads, each with another index.
    func view(_ index: Int, make: () -> PreparedView?) -> PreparedView? {
        if let kept = state.withLock({ $0.views[index] }) { return kept }
        guard let made = make() else { return nil }
        state.withLock { state in
            guard state.bytes + made.byteCount <= budget else { return }
            state.bytes += made.byteCount
            state.views[index] = made
        }
        return made
    }
}
