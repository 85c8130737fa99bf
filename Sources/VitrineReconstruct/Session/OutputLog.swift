import Synchronization

/// Outputs in order, for any number of readers.
final class OutputLog: Sendable {
    private struct State {
        var outputs: [PhotogrammetrySession.Output] = []
        var isFinished = false
        var readers: [Int: Reader] = [:]
        var nextReader = 0
    }

    private struct Reader {
        let index: Int
        let continuation: CheckedContinuation<PhotogrammetrySession.Output?, Never>
    }

    private let state = Mutex(State())

    func append(_ output: PhotogrammetrySession.Output) {
        let waiting = state.withLock { state -> [Reader] in
            guard !state.isFinished else { return [] }
            state.outputs.append(output)
            let ready = state.readers.filter { $0.value.index < state.outputs.count }
            for key in ready.keys { state.readers[key] = nil }
            return Array(ready.values)
        }
        for reader in waiting { reader.continuation.resume(returning: output) }
    }

    func finish() {
        let waiting = state.withLock { state -> [Reader] in
            state.isFinished = true
            defer { state.readers.removeAll() }
            return Array(state.readers.values)
        }
        for reader in waiting { reader.continuation.resume(returning: nil) }
    }

    /// The output at `index`, as soon as it exists; nil past the end, or when the task is cancelled.
    func output(at index: Int) async -> PhotogrammetrySession.Output? {
        let ticket = state.withLock { state -> Int in
            state.nextReader += 1
            return state.nextReader
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> PhotogrammetrySession.Output?? in
                    if index < state.outputs.count { return state.outputs[index] }
                    // A task is marked as cancelled before its handler runs: either it is noticed here, or the handler gets the reader.
                    if state.isFinished || Task.isCancelled { return .some(nil) }
                    state.readers[ticket] = Reader(index: index, continuation: continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let reader = state.withLock { $0.readers.removeValue(forKey: ticket) }
            reader?.continuation.resume(returning: nil)
        }
    }
}
