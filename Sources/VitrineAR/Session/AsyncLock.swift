import Synchronization

/// A lock that a task may keep across suspension points. Waiting tasks acquire it in the order of their requests.
final class AsyncLock: Sendable {
    private struct State {
        var isLocked = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits for the lock. Balance each call with `unlock()`.
    func lock() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isLocked { state.waiting.append(continuation) }
                defer { state.isLocked = true }
                return !state.isLocked
            }
            if isFree { continuation.resume() }
        }
    }

    func unlock() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.isLocked = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
