import Synchronization

/// Sends each frame to any number of readers. A reader buffers at most one frame; for lossless delivery, the sender waits for the slowest reader.
final class FrameBroadcast: Sendable {
    typealias Outcome = Result<ARFrame?, ARError>

    private struct Reader {
        var frame: ARFrame?
        var waiting: CheckedContinuation<Outcome, Never>?
        /// The outcome after its buffered frame; nil while the run lasts.
        var end: Outcome?
    }

    private struct State {
        var readers: [Int: Reader] = [:]
        var lastReader = 0
        /// The outcome of the last run; nil before the first and during a run.
        var end: Outcome?
        var sender: CheckedContinuation<Void, Never>?

        /// Takes the waiting sender, to resume it.
        mutating func takeSender() -> CheckedContinuation<Void, Never>? {
            defer { sender = nil }
            return sender
        }
    }

    private let state = Mutex(State())

    /// Starts a run.
    func open() { state.withLock { $0.end = nil } }

    /// Ends the run: readers get their buffered frame and then the outcome, until the next `open()`.
    func finish(_ end: Outcome = .success(nil)) {
        let (waiting, sender) = state.withLock { state in
            state.end = end
            var waiting: [CheckedContinuation<Outcome, Never>] = []
            for key in state.readers.keys {
                state.readers[key]?.end = end
                if let reader = state.readers[key]?.waiting { waiting.append(reader) }
                state.readers[key]?.waiting = nil
            }
            return (waiting, state.takeSender())
        }
        for reader in waiting { reader.resume(returning: end) }
        sender?.resume()
    }

    /// Sends a frame to all readers.
    ///
    /// - Parameter isDropping: Whether the frame replaces an unread one. Otherwise waits until each reader has room for it or is released.
    func send(_ frame: ARFrame, isDropping: Bool) async {
        var served = Set<Int>()
        while true {
            let (ready, isDone) = state.withLock { state in
                var ready: [CheckedContinuation<Outcome, Never>] = []
                var isDone = true
                for (key, reader) in state.readers where reader.end == nil && !served.contains(key) {
                    if let waiting = reader.waiting {
                        ready.append(waiting)
                        state.readers[key]?.waiting = nil
                    } else if reader.frame == nil || isDropping {
                        state.readers[key]?.frame = frame
                    } else {
                        isDone = false
                        continue
                    }
                    served.insert(key)
                }
                return (ready, isDone)
            }
            for reader in ready { reader.resume(returning: .success(frame)) }
            if isDone { return }
            await waitForReader(served)
        }
    }

    /// Waits until an unserved reader takes its frame, unregisters or ends.
    private func waitForReader(_ served: Set<Int>) async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                // It may have done so since the last check.
                if state.readers.contains(where: { $1.frame != nil && $1.end == nil && !served.contains($0) }) {
                    state.sender = continuation
                    return false
                }
                return true
            }
            if isReady { continuation.resume() }
        }
    }

    // MARK: Readers

    func register() -> Int {
        state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = Reader(end: state.end)
            return state.lastReader
        }
    }

    func unregister(_ key: Int) {
        let (reader, sender) = state.withLock { ($0.readers.removeValue(forKey: key), $0.takeSender()) }
        reader?.waiting?.resume(returning: .success(nil))
        sender?.resume()
    }

    /// The next frame; nil at the end and if the task is cancelled. Call it once at a time for each reader.
    func next(_ key: Int) async throws(ARError) -> ARFrame? {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
                let (answer, sender) = state.withLock { state in
                    (self.answer(key, &state, continuation), state.takeSender())
                }
                sender?.resume()
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                defer { state.readers[key]?.waiting = nil }
                return state.readers[key]?.waiting
            }
            waiting?.resume(returning: .success(nil))
        }
        return try outcome.get()
    }

    /// The available outcome, or nil to wait.
    private func answer(_ key: Int, _ state: inout State, _ continuation: CheckedContinuation<Outcome, Never>) -> Outcome? {
        guard let reader = state.readers[key], !Task.isCancelled else { return .success(nil) }
        if let frame = reader.frame {
            state.readers[key]?.frame = nil
            return .success(frame)
        }
        if let end = reader.end { return end }
        state.readers[key]?.waiting = continuation
        return nil
    }
}
